//! Golden examples of every message and signature in `messages.golden.json`, which the web app also tests against.
//!
//! The file never changes by itself: `UPDATE_GOLDEN=1 cargo test -p escrow --test golden_messages` rewrites it, and a
//! difference in it means that wallets will display, and servers will expect, another text.

mod examples;

use std::path::Path;

use bitcoin::Network;
use escrow::action::{Action, NewOffer, OfferProcess, RequestedPledge};
use escrow::action_message::ActionMessage;
use escrow::address::{AddressKind, WalletAddress};
use escrow::envelope::Envelope;
use escrow::message_signature::verify;
use escrow::new_api_key::KeyScope;
use escrow::new_delegation::NewDelegation;
use escrow::wallet_key::WalletKey;
use serde_json::{Value, json};

use examples::examples;

const SEED: [u8; 32] = [7; 32];

fn wallet() -> WalletKey {
    WalletKey::from_seed(SEED, Network::Regtest).expect("usable seed")
}

fn envelope() -> Envelope {
    Envelope {
        domain: "lienbook.example".to_owned(),
        network: Network::Regtest,
        address: wallet().payment_address().to_string(),
        nonce: "5f2c1d0e9b8a77665f2c1d0e9b8a7766".to_owned(),
        issued_s: 1_800_000_000,
        expires_s: 1_800_000_600,
    }
}

/// The fields as the web app represents them: camel case, with sats and rune amounts as decimal strings.
fn new_offer_json(new_offer: &NewOffer) -> Value {
    let mut fields = json!({
        "collectionSlug": new_offer.collection_slug,
        "principalSats": new_offer.principal_sats.to_string(),
    });
    match &new_offer.process {
        OfferProcess::Manual { quantity } => {
            fields["process"] = json!("manual");
            fields["quantity"] = json!(quantity);
        }
        OfferProcess::Instant(terms) => {
            fields["process"] = json!("instant");
            fields["fungibleAmount"] = json!(terms.fungible_amount.map(|raw| raw.to_string()));
            fields["ltvMax"] = json!(terms.ltv_max);
            fields["acceptNextTerm"] = json!(terms.accept_next_term);
            if let Some(least) = terms.principal_min_sats {
                fields["principalMinSats"] = json!(least.to_string());
            }
            if let Some(count) = terms.inscriptions {
                fields["inscriptions"] = json!(count);
            }
            if let Some(borrower) = &terms.borrower {
                fields["borrower"] = json!(borrower);
            }
            if let Some(good_until_s) = terms.good_until_s {
                fields["goodUntilS"] = json!(good_until_s);
            }
            fields["vault"] = json!(terms.vault);
        }
    }
    fields
}

fn delegation_json(delegation: &NewDelegation) -> Value {
    let mut fields = json!({
        "type": "delegateQuotes",
        "delegationId": delegation.id.to_string(),
        "programKey": delegation.program_key.to_string(),
        "principalMaxSats": delegation.principal_max_sats.to_string(),
        "dailyMaxSats": delegation.daily_max_sats.to_string(),
        "interestMin": delegation.interest_min_bps,
        "termMaxDays": delegation.term_max_days,
        "validUntilS": delegation.valid_until_s,
    });
    if let Some(vaults) = &delegation.vaults {
        fields["vaults"] = json!(vaults);
    }
    if let Some(slugs) = &delegation.collections {
        fields["collections"] = json!(slugs);
    }
    fields
}

fn action_json(action: &Action) -> Value {
    match action {
        Action::SignIn(sign_in) => json!({
            "type": "signIn",
            "ordinalsAddress": sign_in.ordinals_address,
            "ordinalsPublicKey": sign_in.ordinals_public_key,
            "paymentAddress": sign_in.payment_address,
            "paymentPublicKey": sign_in.payment_public_key,
        }),
        Action::CreateOffer(new_offer) => json!({
            "type": "createOffer",
            "newOffer": new_offer_json(new_offer),
        }),
        Action::EditOffer { delete_offer_id, new_offer } => json!({
            "type": "editOffer",
            "deleteOfferId": delete_offer_id,
            "newOffer": new_offer_json(new_offer),
        }),
        Action::RequestLoan(request) => {
            let mut fields = json!({
                "type": "requestLoan",
                "collectionSlug": request.collection_slug,
                "principalSats": request.principal_sats.to_string(),
                "interestMax": request.interest_max,
                "termMinDays": request.term_min_days,
                "termMaxDays": request.term_max_days,
                "goodUntilS": request.good_until_s,
            });
            match &request.collateral {
                RequestedPledge::Inscriptions(ids) => match &ids[..] {
                    [id] => fields["inscriptionId"] = json!(id),
                    ids => fields["inscriptionIds"] = json!(ids),
                },
                RequestedPledge::Amount(raw) => fields["fungibleAmount"] = json!(raw.to_string()),
            }
            fields
        }
        Action::CancelOffers(cancel) => json!({
            "type": "cancelOffers",
            "ordinalOfferIds": cancel.ordinal_offer_ids,
            "runeOfferIds": cancel.rune_offer_ids,
            "vault": cancel.vault,
        }),
        Action::CreateApiKey(key) => {
            let mut fields = json!({
                "type": "createApiKey",
                "name": key.name,
                "scopes": key.scopes.iter().map(KeyScope::to_string).collect::<Vec<_>>(),
                "principalMaxSats": key.principal_max_sats.to_string(),
                "outstandingMaxSats": key.outstanding_max_sats.to_string(),
                "dailyMaxSats": key.daily_max_sats.to_string(),
                "validUntilS": key.valid_until_s,
            });
            if let Some(slugs) = &key.collections {
                fields["collections"] = json!(slugs);
            }
            if let Some(ranges) = &key.addresses {
                fields["addresses"] = json!(ranges.iter().map(ToString::to_string).collect::<Vec<_>>());
            }
            fields
        }
        Action::DelegateQuotes(delegation) => delegation_json(delegation),
        Action::CancelAllOffers { vault } => json!({"type": "cancelAllOffers", "vault": vault}),
        Action::AcceptTerm { offer_id, term_id } => json!({
            "type": "acceptTerm",
            "offerId": offer_id,
            "termId": term_id,
        }),
        Action::PauseOffer { offer_id } => json!({"type": "pauseOffer", "offerId": offer_id}),
        Action::ResumeOffer { offer_id } => json!({"type": "resumeOffer", "offerId": offer_id}),
        Action::OpenVault { payment_address, vault } => {
            json!({"type": "openVault", "paymentAddress": payment_address, "vault": vault})
        }
        Action::Withdraw { sats, to, fee_max_sats, vault } => {
            let mut fields = json!({"type": "withdraw", "withdrawSats": sats.to_string(), "to": to, "vault": vault});
            if let Some(most) = fee_max_sats {
                fields["feeMaxSats"] = json!(most.to_string());
            }
            fields
        }
        Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault } => json!({
            "type": "moveVault",
            "fromVault": from_vault,
            "to": to,
            "feeMaxSats": fee_max_sats.to_string(),
            "paymentAddress": payment_address,
            "vault": vault,
        }),
    }
}

/// The wallet of the seed with its signatures of one text, which are deterministic in both schemes.
fn wallet_json(text: &str) -> Value {
    let own = wallet();
    let account = |kind: AddressKind, path: &str| {
        json!({
            "kind": kind.to_string(),
            "path": path,
            "address": own.address(kind).to_string(),
            "publicKey": own.public_key_hex(kind),
            "bip322": own.sign_bip322(kind, text).expect("signs"),
            "bip137": own.sign_bip137(kind, text).ok(),
        })
    };
    json!({
        "seed": "07".repeat(32),
        "signedMessage": "sign in",
        "accounts": [
            account(AddressKind::P2tr, "m/86'/1'/0'/0/0"),
            account(AddressKind::P2wpkh, "m/84'/1'/0'/0/0"),
            account(AddressKind::P2shP2wpkh, "m/49'/1'/0'/0/0"),
        ],
    })
}

fn document() -> Value {
    let closing = envelope();
    let messages: Vec<Value> = examples()
        .into_iter()
        .map(|(name, action)| {
            let fields = action_json(&action);
            let message = ActionMessage::new(action, closing.clone()).expect(name);
            json!({"name": name, "action": fields, "text": message.to_text()})
        })
        .collect();
    let signed = messages[0]["text"].as_str().expect("text").to_owned();
    json!({
        "envelope": {
            "domain": closing.domain,
            "network": closing.network.to_string(),
            "address": closing.address,
            "nonce": closing.nonce,
            "issuedS": closing.issued_s,
            "expiresS": closing.expires_s,
        },
        "messages": messages,
        "wallet": wallet_json(&signed),
    })
}

fn golden() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages.golden.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let text = serde_json::to_string_pretty(&document()).expect("serialises");
        std::fs::write(&path, text + "\n").expect("writes");
    }
    let text = std::fs::read_to_string(&path).expect("the golden file exists");
    serde_json::from_str(&text).expect("the golden file is JSON")
}

#[test]
fn the_texts_are_those_of_the_golden_file() {
    assert_eq!(golden(), document());
}

#[test]
fn the_texts_of_the_golden_file_parse_to_their_actions() {
    let golden = golden();
    let messages = golden["messages"].as_array().expect("list");
    assert_eq!(messages.len(), examples().len());
    for (written, (name, action)) in messages.iter().zip(examples()) {
        let text = written["text"].as_str().expect("text");
        let message = ActionMessage::parse(text).expect(name);
        assert_eq!(*message.action(), action);
        assert_eq!(*message.envelope(), envelope());
    }
}

#[test]
fn the_signatures_of_the_golden_file_verify() {
    let golden = golden();
    let text = golden["messages"][0]["text"].as_str().expect("text");
    for account in golden["wallet"]["accounts"].as_array().expect("list") {
        let address = account["address"].as_str().expect("address");
        let address = WalletAddress::parse(address, Network::Regtest).expect("address");
        let key = account["publicKey"].as_str().expect("key");
        assert_eq!(address.check_public_key(key), Ok(()));
        for scheme in ["bip322", "bip137"] {
            if let Some(signature) = account[scheme].as_str() {
                assert!(verify(&address, text, signature).is_ok(), "{address} {scheme}");
            }
        }
    }
}
