//! An action of every kind, with a name.

use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, NewRequest, OfferProcess, RequestedPledge, SignIn};
use escrow::address::AddressKind;
use escrow::delegation_id::DelegationId;
use escrow::new_api_key::{KeyScope, NewApiKey};
use escrow::new_delegation::NewDelegation;

use crate::wallet;

const OFFER: &str = "0b1c6c1e-7f0e-4b52-9a55-3f1d2c4b5a69";
const OTHER_OFFER: &str = "1f9d2a60-2f0c-4a8e-8a8f-6f1f4d0c7b11";
const RUNE_OFFER: &str = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const VAULT: &str = "9d1f0c2ab3e4556677889900aabbccddeeff00112233445566778899aabbccdd";

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

fn move_of_a_vault() -> Action {
    Action::MoveVault {
        from_vault: VAULT.to_owned(),
        to: wallet().ordinals_address().to_string(),
        fee_max_sats: 5_250,
        payment_address: wallet().payment_address().to_string(),
        vault: "1c2e4f6a8b0d1c2e4f6a8b0d1c2e4f6a".to_owned(),
    }
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

pub(crate) fn examples() -> Vec<(&'static str, Action)> {
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
        ("move a vault to other signers", move_of_a_vault()),
        ("create an API key for everything", Action::CreateApiKey(unrestricted_key())),
        ("create an API key for some collections and networks", Action::CreateApiKey(restricted_key())),
        ("delegate quotes of everything", Action::DelegateQuotes(delegation(false))),
        ("delegate quotes of some collections from one vault", Action::DelegateQuotes(delegation(true))),
    ]
}
