//! Named attacks on delegations, each refused by the server before anything is journaled.

use bitcoin::Network;
use escrow::action::{Action, NewOffer, OfferProcess};
use escrow::address::AddressKind;
use escrow::delegated_action::DelegatedEnvelope;
use escrow::delegation_id::DelegationId;
use escrow::new_delegation::NewDelegation;
use serde_json::{Value, json};

use super::instant_offers::create_ordinal;
use super::lender::{TestUser, instant};
use super::quoting_program::{
    CANCEL, DELEGATIONS, PRINCIPAL, QUOTES, QuotingProgram, SLUG, delegate, delegation, keys,
};
use super::rig::Rig;

/// Replaces a part of the text of a body, which must be there once.
fn replaced(body: &Value, from: &str, to: &str) -> Value {
    let text = body["message"].as_str().unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from:?} in {text}");
    json!({"message": text.replace(from, to), "signature": body["signature"]})
}

async fn market() -> (Rig, TestUser, TestUser) {
    let rig = Rig::start().await;
    let (lender, other) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    for user in [&lender, &other] {
        user.fund(&rig, 10_000_000).await;
    }
    (rig, lender, other)
}

#[actix_web::test]
async fn each_field_of_a_delegation_is_bound_by_the_wallet() {
    let (rig, lender, other) = market().await;
    let wanted = delegation(&rig, 3).await;
    let signed = lender.sign_fresh(&rig, Action::DelegateQuotes(wanted.clone())).await;
    let body = json!({"message": signed.text, "signature": signed.signature});
    let before = rig.events();
    let number = |name: &str, value: u64| format!("{name}: {value}");
    for (name, from, to) in [
        ("id", format!("Delegation: {}", wanted.id), format!("Delegation: {}", DelegationId(8))),
        ("key", wanted.program_key.to_string(), keys(9).x_only_public_key().0.to_string()),
        ("vaults", format!("Vault: {}", wanted.vaults.as_ref().unwrap()[0]), "Vaults: all".to_owned()),
        ("collections", format!("Collection: {SLUG}"), "Collections: all".to_owned()),
        ("principal", number("Max principal sats", PRINCIPAL), number("Max principal sats", PRINCIPAL + 1)),
        ("day", number("Max daily sats", 2 * PRINCIPAL), number("Max daily sats", 3 * PRINCIPAL)),
        ("interest", number("Min interest x100", 100), number("Min interest x100", 0)),
        ("term", number("Max term days", 7), number("Max term days", 70)),
        ("end", number("Valid until", wanted.valid_until_s), number("Valid until", wanted.valid_until_s + 1)),
    ] {
        let answer = lender.post(&rig, DELEGATIONS, &replaced(&body, &from, &to)).await;
        assert_eq!(answer.status, 422, "{name}: {}", answer.body);
        assert!(["signature_wrong_key", "signature_invalid"].contains(&answer.code()), "{name}: {}", answer.body);
    }
    for (name, from, to, code) in [
        ("domain", "Domain: ", "Domain: evil.", "message_wrong_domain"),
        ("network", "Network: regtest", "Network: bitcoin", "message_wrong_network"),
        ("address", "\nAddress: ", "\nAddress: x", "message_wrong_address"),
        ("nonce", &format!("Nonce: {}", signed.nonce), "Nonce: 00000000000000000000000000000000", "nonce_unknown"),
        ("leading zero", "days: 7", "days: 07", "message_malformed"),
        ("line twice", "Max term days: 7", "Max term days: 7\nMax term days: 7", "message_malformed"),
    ] {
        let answer = lender.post(&rig, DELEGATIONS, &replaced(&body, from, to)).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (422, code), "{name}");
    }
    other.post(&rig, DELEGATIONS, &body).await.refused(422, "message_wrong_address");
    let elsewhere = NewDelegation { vaults: Some(vec!["ab".repeat(32)]), ..wanted.clone() };
    let answer = delegate(&rig, &lender, elsewhere).await;
    answer.refused(403, "delegation_limit");
    assert_eq!(answer.body["values"]["limit"], "vault");
    let pause = lender.sign_fresh(&rig, Action::PauseOffer { offer_id: "of_1".to_owned() }).await;
    let wrong = json!({"message": pause.text, "signature": pause.signature});
    lender.post(&rig, DELEGATIONS, &wrong).await.refused(422, "message_wrong_action");
    assert_eq!(rig.events(), before);
    let poor = TestUser::sign_in(&rig, 9).await;
    let after_sign_in = rig.events();
    delegate(&rig, &poor, delegation(&rig, 5).await).await.refused(404, "vault_not_found");
    assert_eq!(rig.events(), after_sign_in);
    lender.post(&rig, DELEGATIONS, &body).await.ok();
    lender.post(&rig, DELEGATIONS, &body).await.refused(409, "nonce_used");
    delegate(&rig, &lender, NewDelegation { daily_max_sats: 9 * PRINCIPAL, ..wanted })
        .await
        .refused(409, "duplicate_id");
    rig.server.stop().await;
}

#[actix_web::test]
async fn each_field_of_an_offer_is_bound_by_the_program() {
    let (rig, lender, other) = market().await;
    let program = QuotingProgram::of(&rig, &lender, 3).await;
    let body = program.quote(&rig, 17, PRINCIPAL);
    let now_s = program.closing(&rig, 17).issued_s;
    let issued = body["message"].as_str().unwrap().split("Issued: ").nth(1).unwrap();
    let issued_s: u64 = issued.split('\n').next().unwrap().parse().unwrap();
    assert!(now_s >= issued_s);
    let before = rig.events();
    let invalid = "signature_invalid";
    for (name, from, to, code) in [
        ("action", "create offer".to_owned(), "edit offer\nDelete offer: of_9".to_owned(), invalid),
        ("collection", SLUG.to_owned(), "paper-frogs-30d".to_owned(), invalid),
        ("process", "Process: instant".to_owned(), "Process: manual".to_owned(), "message_malformed"),
        ("principal", format!("Principal sats: {PRINCIPAL}"), "Principal sats: 1".to_owned(), invalid),
        ("least principal", "Max LTV".to_owned(), "Min principal sats: 1\nMax LTV".to_owned(), invalid),
        ("inscriptions", "Max LTV".to_owned(), "Inscriptions: 2\nMax LTV".to_owned(), invalid),
        ("largest LTV", "x100: 7500".to_owned(), "x100: 9800".to_owned(), invalid),
        ("next term", "term: yes".to_owned(), "term: no".to_owned(), invalid),
        ("borrower", "\nVault".to_owned(), "\nBorrower: bcrt1qother\nVault".to_owned(), invalid),
        ("good until", "\nVault".to_owned(), "\nGood until: 1900000000\nVault".to_owned(), invalid),
        ("vault", program.vault.clone(), "ab".repeat(32), invalid),
        ("delegation", program.id.to_string(), DelegationId(8).to_string(), "unknown_delegation"),
        ("number", "Number: 17".to_owned(), "Number: 18".to_owned(), invalid),
        ("domain", "Domain: ".to_owned(), "Domain: evil.".to_owned(), "message_wrong_domain"),
        ("network", "Network: regtest".to_owned(), "Network: bitcoin".to_owned(), "message_wrong_network"),
        ("address", "\nAddress: ".to_owned(), "\nAddress: x".to_owned(), "message_wrong_address"),
        ("issue", format!("Issued: {issued_s}"), format!("Issued: {}", issued_s + 1), invalid),
        ("expiry", format!("Expires: {}", issued_s + 600), format!("Expires: {}", issued_s + 599), invalid),
    ] {
        let answer = lender.post(&rig, QUOTES, &replaced(&body, &from, &to)).await;
        assert_eq!(answer.code(), code, "{name}: {}", answer.body);
    }
    let signature = body["signature"].as_str().unwrap();
    for (name, changed, code) in [
        ("another key", program_of(&program, 9).quote(&rig, 17, PRINCIPAL)["signature"].clone(), invalid),
        ("upper case", json!(signature.to_uppercase()), "signature_malformed"),
        ("short", json!(&signature[2..]), "signature_malformed"),
    ] {
        let altered = json!({"message": body["message"], "signature": changed});
        assert_eq!(lender.post(&rig, QUOTES, &altered).await.code(), code, "{name}");
    }
    other.post(&rig, QUOTES, &body).await.refused(404, "unknown_delegation");
    assert_eq!(rig.events(), before);
    lender.post(&rig, QUOTES, &body).await.ok();
    rig.server.stop().await;
}

fn program_of(program: &QuotingProgram, byte: u8) -> QuotingProgram {
    let (id, address, vault) = (program.id, program.address.clone(), program.vault.clone());
    QuotingProgram { keys: keys(byte), id, address, vault }
}

#[actix_web::test]
async fn a_program_that_oversteps_is_refused_with_the_limit() {
    let (rig, lender, other) = market().await;
    let program = QuotingProgram::of(&rig, &lender, 3).await;
    let own = create_ordinal(&rig, &lender, PRINCIPAL).await;
    lender.post(&rig, QUOTES, &program.quote(&rig, 10, PRINCIPAL)).await.ok();
    let little = NewDelegation { daily_max_sats: PRINCIPAL - 1, ..delegation(&rig, 4).await };
    let dear = NewDelegation { interest_min_bps: 121, ..delegation(&rig, 5).await };
    for wanted in [little, dear] {
        delegate(&rig, &lender, wanted).await.ok();
    }
    let by = |byte: u8| QuotingProgram { id: DelegationId(u128::from(byte)), ..program_of(&program, byte) };
    let before = rig.events();
    let offer = |change: &dyn Fn(&mut NewOffer)| {
        let mut new_offer = program.offer();
        change(&mut new_offer);
        Action::CreateOffer(new_offer)
    };
    let with = |change: &dyn Fn(&mut DelegatedEnvelope)| {
        let mut closing = program.closing(&rig, 11);
        change(&mut closing);
        closing
    };
    let now = || with(&|_| ());
    let usual = || offer(&|_| ());
    let of = |action, closing| program.body_of(action, closing);
    let edit = Action::EditOffer { delete_offer_id: own.clone(), new_offer: program.offer() };
    let rune = Action::CreateOffer(instant("frog-pond-open", PRINCIPAL, Some(100_000_000), 7_500, &program.vault));
    let several = offer(&|it| {
        if let OfferProcess::Instant(terms) = &mut it.process {
            terms.inscriptions = Some(2);
        }
    });
    let elsewhere = Action::CreateOffer(instant(SLUG, PRINCIPAL, None, 7_500, "another"));
    for (name, body, status, code, limit) in [
        ("principal", of(offer(&|it| it.principal_sats += 1), now()), 403, "delegation_limit", "principal"),
        (
            "collection",
            of(offer(&|it| it.collection_slug = "paper-frogs-30d".to_owned()), now()),
            403,
            "delegation_limit",
            "collection",
        ),
        ("runes", of(rune, now()), 403, "delegation_limit", "collection"),
        (
            "no collection",
            of(offer(&|it| it.collection_slug = "frogs".to_owned()), now()),
            404,
            "unknown_collection",
            "",
        ),
        ("vault", of(elsewhere, now()), 403, "not_your_vault", ""),
        ("inscriptions", of(several, now()), 422, "invalid_field", ""),
        ("lender's offer", of(edit, now()), 403, "delegation_limit", "offer"),
        ("unknown offer", program.edit(&rig, 11, "of_99999999999", PRINCIPAL), 404, "unknown_offer", ""),
        ("same number", of(usual(), with(&|it| it.number = 10)), 409, "delegation_number", ""),
        ("lower number", of(usual(), with(&|it| it.number = 1)), 409, "delegation_number", ""),
        (
            "old text",
            of(usual(), with(&|it| (it.issued_s, it.expires_s) = (it.issued_s - 600, it.issued_s))),
            422,
            "message_expired",
            "",
        ),
        (
            "future text",
            of(usual(), with(&|it| (it.issued_s, it.expires_s) = (it.issued_s + 90, it.expires_s + 90))),
            422,
            "message_times",
            "",
        ),
        ("long text", of(usual(), with(&|it| it.expires_s += 1)), 422, "message_times", ""),
        ("other network", of(usual(), with(&|it| it.network = Network::Signet)), 422, "message_wrong_network", ""),
        (
            "other address",
            of(usual(), with(&|it| it.address = lender.wallet.address(AddressKind::P2tr).to_string())),
            422,
            "message_wrong_address",
            "",
        ),
        ("other program", of(usual(), with(&|it| it.delegation = DelegationId(4))), 422, "signature_invalid", ""),
        ("day", by(4).quote(&rig, 1, PRINCIPAL), 403, "delegation_limit", "day"),
        ("interest", by(5).quote(&rig, 1, PRINCIPAL), 403, "delegation_limit", "interest"),
        ("cancellation", program.cancellation(&rig, 11, &own), 422, "message_wrong_action", ""),
    ] {
        let answer = lender.post(&rig, QUOTES, &body).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{name}: {}", answer.body);
        if !limit.is_empty() {
            assert_eq!(answer.body["values"]["limit"], limit, "{name}");
        }
    }
    let foreign = lender.post(&rig, CANCEL, &program.cancellation(&rig, 11, &own)).await;
    foreign.refused(403, "delegation_limit");
    lender.post(&rig, CANCEL, &program.quote(&rig, 11, PRINCIPAL)).await.refused(422, "message_wrong_action");
    let wallets = lender.sign_fresh(&rig, Action::CreateOffer(program.offer())).await;
    let posing = json!({"message": wallets.text, "signature": wallets.signature});
    lender.post(&rig, QUOTES, &posing).await.refused(422, "message_malformed");
    let unknown = format!("{DELEGATIONS}/{}", DelegationId(77));
    lender.send(&rig, reqwest::Method::DELETE, &unknown, None).await.refused(404, "unknown_delegation");
    let others = format!("{DELEGATIONS}/{}", program.id);
    other.send(&rig, reqwest::Method::DELETE, &others, None).await.refused(404, "unknown_delegation");
    assert_eq!(rig.events(), before);

    // The same key of another lender is bound to that lender's delegation and address.
    let twin = QuotingProgram::of(&rig, &other, 3).await;
    other.post(&rig, QUOTES, &program.quote(&rig, 11, PRINCIPAL)).await.refused(422, "message_wrong_address");
    other.post(&rig, QUOTES, &twin.quote(&rig, 1, PRINCIPAL)).await.ok();
    rig.server.stop().await;
}
