//! Tests of sessions whose ordinals address has not signed: they can read, but pledge nothing until it has.

use bitcoin::Network;
use domain::{AccountEvent, Event, SessionId, Stream, UserId, WalletAddresses};
use engine::journal::{Append, Batch, Journal as _};
use escrow::address::AddressKind;
use escrow::wallet_key::WalletKey;
use lienbook::clock;
use lienbook::session::token::Subject;
use persistence::{Options, SledJournal};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::lender::TestUser;
use super::rig::{Rig, settings};

const SEED: u8 = 1;
const USER: UserId = UserId(1);
const SESSION: SessionId = SessionId(1);

/// A folder with an account of an earlier version, which required only the payment key's signature.
async fn folder_of_earlier_version() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let wallet = WalletKey::from_seed([SEED; 32], Network::Regtest).unwrap();
    let addresses = WalletAddresses {
        payment_address: wallet.payment_address().to_string(),
        payment_pubkey: wallet.public_key_hex(AddressKind::P2wpkh),
        ordinal_address: wallet.ordinals_address().to_string(),
        ordinal_pubkey: wallet.public_key_hex(AddressKind::P2tr),
    };
    let journal = SledJournal::open(folder.path(), Options::default()).unwrap();
    let opened = AccountEvent::SessionOpened { user: USER, session: SESSION, agent: String::new() };
    let events = [AccountEvent::SignedIn { user: USER, addresses }, opened].map(Event::Account).to_vec();
    let append = Append { stream: Stream::Accounts, after: 0, events };
    journal.append(Batch { at: clock::now(), appends: vec![append] }).await.unwrap().unwrap();
    journal.close();
    folder
}

fn pledging_requests(wallet: &WalletKey) -> [(&'static str, Value); 3] {
    let borrower = |mut body: Value| {
        body["borrower_wallet"] = json!("test");
        body["borrower_payment_address"] = json!(wallet.payment_address().to_string());
        body["borrower_payment_pubkey"] = json!(wallet.public_key_hex(AddressKind::P2wpkh));
        body["borrower_ordinal_address"] = json!(wallet.ordinals_address().to_string());
        body["borrower_ordinal_pubkey"] = json!(wallet.public_key_hex(AddressKind::P2tr));
        body["hardware_wallet"] = json!(false);
        body
    };
    [
        ("/api/v1/loans/manual/prepare", borrower(json!({"offerId": "of_10000000001", "feeRate": 3}))),
        ("/api/v1/offers/instant/ordinals/of_10000000001/prepare-accept", borrower(json!({"fee_rate": 3}))),
        (
            "/api/v1/brc20/orders",
            json!({
                "ticker": "newt", "amount": "1", "feeRate": 3,
                "paymentAddress": wallet.payment_address().to_string(),
                "paymentPubkey": wallet.public_key_hex(AddressKind::P2wpkh),
                "recieveAddress": wallet.ordinals_address().to_string(),
            }),
        ),
    ]
}

#[actix_web::test]
async fn an_account_of_an_earlier_version_must_prove_its_ordinals_address_before_it_pledges() {
    let folder = folder_of_earlier_version().await;
    let settings = settings(&folder);
    let rig = Rig::start_in(folder, settings).await;
    let wallet = WalletKey::from_seed([SEED; 32], Network::Regtest).unwrap();
    let subject = Subject { user: USER, session: SESSION, is_hardware_wallet: false };
    let (tokens, now_s) = (&rig.app().keys.tokens, rig.app().now().seconds());
    let (session, _) = rig.app().market.session(SESSION).await.unwrap();
    let token = tokens.issue_session(subject, now_s, session.ends_at()).unwrap().text;
    let cookie = format!("lienbook_refresh={}", tokens.issue_refresh(subject, &session).unwrap().text);

    let pledge = async |rig: &Rig, token: &str, path: &str, body: &Value| {
        rig.send(rig.request(Method::POST, path).bearer_auth(token).json(body)).await
    };
    let before = rig.events();
    for (path, body) in pledging_requests(&wallet) {
        pledge(&rig, &token, path, &body).await.refused(403, "ordinals_unproven");
    }
    assert_eq!(rig.events(), before);
    // A renewal continues the session and proves nothing.
    let renewal = rig.request(Method::POST, "/api/v1/session/refresh").header("cookie", &cookie);
    let renewed = rig.send(renewal).await.ok();
    assert_eq!(renewed["isOrdinalsProven"], false);
    let token = renewed["jwt"].as_str().unwrap();
    for (path, body) in pledging_requests(&wallet) {
        pledge(&rig, token, path, &body).await.refused(403, "ordinals_unproven");
    }

    let user = TestUser::sign_in(&rig, SEED).await;
    assert_eq!(user.id, USER);
    let shown = user.get(&rig, "/api/v1/session").await.ok();
    assert_eq!(shown["isOrdinalsProven"], true);
    let rig = rig.restart().await;
    assert_eq!(user.get(&rig, "/api/v1/session").await.ok()["isOrdinalsProven"], true);
    for (path, body) in pledging_requests(&wallet) {
        let answer = pledge(&rig, &user.token, path, &body).await;
        assert!(!answer.status.is_success() && answer.code() != "ordinals_unproven", "{}", answer.body);
    }
    rig.server.stop().await;
}
