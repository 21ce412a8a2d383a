//! Golden examples of every message and signature in `messages.golden.json`, which the web app also tests against.
//!
//! The file never changes by itself: `UPDATE_GOLDEN=1 cargo test -p escrow --test golden_messages` rewrites it, and a
//! difference in it means that wallets will display, and servers will expect, another text.

use std::path::Path;

use bitcoin::Network;
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, NewRequest, OfferProcess, RequestedPledge, SignIn};
use escrow::action_message::ActionMessage;
use escrow::address::{AddressKind, WalletAddress};
use escrow::delegation_id::DelegationId;
use escrow::envelope::Envelope;
use escrow::message_signature::verify;
use escrow::new_api_key::{KeyScope, NewApiKey};
use escrow::new_delegation::NewDelegation;
use escrow::wallet_key::WalletKey;
use serde_json::{Value, json};

const SEED: [u8; 32] = [7; 32];
const OFFER: &str = "0b1c6c1e-7f0e-4b52-9a55-3f1d2c4b5a69";
const OTHER_OFFER: &str = "1f9d2a60-2f0c-4a8e-8a8f-6f1f4d0c7b11";
const RUNE_OFFER: &str = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const VAULT: &str = "9d1f0c2ab3e4556677889900aabbccddeeff00112233445566778899aabbccdd";

fn wallet() -> WalletKey {
    WalletKey::from_seed(SEED, Network::Regtest).expect("usable seed")
}

fn manual(quantity: u32) -> NewOffer {
    NewOffer {
        collection_slug: "bitcoin-puppets-30d".to_owned(),
        principal_sats: 1_250_000,
        process: OfferProcess::Manual { quantity },
    }
}

fn instant(slug: &str, fungible_amount: Option<u128>, accept_next_term: bool) -> NewOffer {
    NewOffer {
        collection_slug: slug.to_owned(),
        principal_sats: 2_000_000_000,
        process: OfferProcess::Instant(InstantTerms {
            fungible_amount,
            accept_next_term,
            ..InstantTerms::plain(7_550, VAULT.to_owned())
        }),
    }
}

/// An instant offer for one borrower and a limited time.
fn limited(slug: &str) -> NewOffer {
    let mut offer = instant(slug, None, false);
    if let OfferProcess::Instant(terms) = &mut offer.process {
        terms.borrower = Some(wallet().payment_address().to_string());
        terms.good_until_s = Some(1_800_043_200);
    }
    offer
}

/// A delegation to the key of the wallet, of everything or restricted.
fn delegation(is_restricted: bool) -> NewDelegation {
    NewDelegation {
        id: DelegationId(0x5f2c_1d0e_9b8a_7766_5f2c_1d0e_9b8a_7766),
        program_key: wallet().public_key_hex(AddressKind::P2tr).parse().expect("x-only"),
        vaults: is_restricted.then(|| vec![VAULT.to_owned()]),
        collections: is_restricted.then(|| vec!["pizza-ninjas-14d".to_owned(), "dog-to-the-moon-14d".to_owned()]),
        principal_max_sats: 1_250_000,
        daily_max_sats: 10_000_000,
        interest_min_bps: 120,
        term_max_days: 30,
        valid_until_s: 1_800_000_000 + 90 * 86_400,
    }
}

/// The id of an inscription.
fn inscription(index: u32) -> String {
    format!("{}i{index}", "5a".repeat(32))
}

/// An instant offer that fills a request against three inscriptions.
fn several(slug: &str) -> NewOffer {
    let mut offer = limited(slug);
    if let OfferProcess::Instant(terms) = &mut offer.process {
        terms.inscriptions = Some(3);
    }
    offer
}

/// An instant offer whose principal follows the floor.
fn pegged(slug: &str) -> NewOffer {
    let mut offer = instant(slug, None, false);
    if let OfferProcess::Instant(terms) = &mut offer.process {
        terms.principal_min_sats = Some(1_200_000_000);
    }
    offer
}

fn request(collateral: RequestedPledge) -> Action {
    Action::RequestLoan(NewRequest {
        collection_slug: "bitcoin-puppets".to_owned(),
        collateral,
        principal_sats: 1_250_000,
        interest_max: 350,
        term_min_days: 7,
        term_max_days: 30,
        good_until_s: 1_800_604_800,
    })
}

fn cancel(ordinals: &[&str], runes: &[&str], vault: Option<&str>) -> Action {
    let owned = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
    Action::CancelOffers(CancelOffers {
        ordinal_offer_ids: owned(ordinals),
        rune_offer_ids: owned(runes),
        vault: vault.map(str::to_owned),
    })
}

fn withdrawal(fee_max_sats: Option<u64>) -> Action {
    let to = wallet().payment_address().to_string();
    Action::Withdraw { sats: 2_000_000_000, to, fee_max_sats, vault: VAULT.to_owned() }
}

fn unrestricted_key() -> NewApiKey {
    NewApiKey {
        name: "everything".to_owned(),
        scopes: KeyScope::ALL.into(),
        principal_max_sats: 1_250_000,
        outstanding_max_sats: 50_000_000,
        daily_max_sats: 2_100_000_000_000_000,
        collections: None,
        addresses: None,
        valid_until_s: 1_831_536_000,
    }
}

fn restricted_key() -> NewApiKey {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let ranges = ["203.0.113.0/24", "198.51.100.7/32", "2001:db8::/48"];
    NewApiKey {
        name: "quoting-bot".to_owned(),
        scopes: [KeyScope::Quote, KeyScope::Read].into(),
        collections: Some(owned(&["bitcoin-puppets", "pizza-ninjas"])),
        addresses: Some(ranges.iter().map(|range| range.parse().expect("a network")).collect()),
        valid_until_s: 1_800_604_800,
        ..unrestricted_key()
    }
}

fn examples() -> Vec<(&'static str, Action)> {
    let own = wallet();
    // More than a 64-bit number, as rune amounts can be.
    let raw = 250_000_000_000_000_000_000;
    vec![
        (
            "sign in",
            Action::SignIn(SignIn {
                ordinals_address: own.ordinals_address().to_string(),
                ordinals_public_key: own.public_key_hex(AddressKind::P2tr),
                payment_address: own.payment_address().to_string(),
                payment_public_key: own.public_key_hex(AddressKind::P2wpkh),
            }),
        ),
        ("create a manual offer", Action::CreateOffer(manual(2))),
        ("create an instant offer against an ordinal", Action::CreateOffer(instant("pizza-ninjas-14d", None, false))),
        ("create an instant offer against runes", Action::CreateOffer(instant("dog-to-the-moon-14d", Some(raw), true))),
        (
            "create an instant offer for one borrower and a limited time",
            Action::CreateOffer(limited("pizza-ninjas-14d")),
        ),
        ("create an instant offer that follows the floor", Action::CreateOffer(pegged("pizza-ninjas-14d"))),
        ("request a loan against an inscription", request(RequestedPledge::Inscriptions(vec![inscription(0)]))),
        (
            "request a loan against several inscriptions",
            request(RequestedPledge::Inscriptions((0..3).map(inscription).collect())),
        ),
        (
            "create an instant offer against several inscriptions for one borrower",
            Action::CreateOffer(several("pizza-ninjas-14d")),
        ),
        ("request a loan against tokens", request(RequestedPledge::Amount(raw))),
        ("edit a manual offer", Action::EditOffer { delete_offer_id: OFFER.to_owned(), new_offer: manual(1) }),
        (
            "edit an instant offer against an ordinal",
            Action::EditOffer { delete_offer_id: OFFER.to_owned(), new_offer: instant("pizza-ninjas-14d", None, true) },
        ),
        (
            "edit an instant offer against runes",
            Action::EditOffer {
                delete_offer_id: RUNE_OFFER.to_owned(),
                new_offer: instant("dog-to-the-moon-14d", Some(raw), false),
            },
        ),
        ("cancel instant offers of both kinds", cancel(&[OFFER, OTHER_OFFER], &[RUNE_OFFER], Some(VAULT))),
        ("cancel a manual offer", cancel(&[OFFER], &[], None)),
        ("cancel all instant offers", Action::CancelAllOffers { vault: VAULT.to_owned() }),
        ("accept a term", Action::AcceptTerm { offer_id: OFFER.to_owned(), term_id: "pizza-ninjas-14d-2".to_owned() }),
        ("pause an offer", Action::PauseOffer { offer_id: OFFER.to_owned() }),
        ("resume an offer", Action::ResumeOffer { offer_id: OFFER.to_owned() }),
        (
            "open a vault",
            Action::OpenVault { payment_address: own.payment_address().to_string(), vault: VAULT.to_owned() },
        ),
        ("withdraw from a vault, before fees were signed", withdrawal(None)),
        ("withdraw from a vault", withdrawal(Some(5_250))),
        ("create an API key for everything", Action::CreateApiKey(unrestricted_key())),
        ("create an API key for some collections and networks", Action::CreateApiKey(restricted_key())),
        ("delegate quotes of everything", Action::DelegateQuotes(delegation(false))),
        ("delegate quotes of some collections from one vault", Action::DelegateQuotes(delegation(true))),
    ]
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
        Action::DelegateQuotes(delegation) => {
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
