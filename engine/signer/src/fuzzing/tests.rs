//! The corpora, replayed against the subjects.

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::{Network, OutPoint, ScriptBuf, Txid};
use escrow::action::{Action, CancelOffers, InstantTerms, NewOffer, OfferProcess};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::envelope::Envelope;
use escrow::wallet_key::WalletKey;
use fuzz_testkit::Corpus;
use serde_json::{Value, json};

use super::*;
use crate::entry::{Outgoing, VaultInput};
use crate::refusal::Refusal;
use crate::signed_text::SignedText;
use crate::term_sheet::{Listing, Term};

const LENDER_ID: u64 = 4;
const LISTING: Listing = Listing { days: 14, interest_bps: 325, rune: None };

fn replay(name: &str, subject: fn(&[u8]) -> bool, seeds: &[Vec<u8>]) {
    Corpus::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus"), name).replay(subject, seeds);
}

fn lender() -> WalletKey {
    WalletKey::from_seed([2; 32], Network::Regtest).unwrap()
}

fn vault() -> String {
    "ab".repeat(32)
}

fn signed(action: Action) -> SignedText {
    let lender = lender();
    let envelope = Envelope {
        domain: "lienbook.example".to_owned(),
        network: Network::Regtest,
        address: lender.ordinals_address().to_string(),
        nonce: "5f2c1d0e9b8a7766".to_owned(),
        issued_s: 1_800_000_000,
        expires_s: 1_800_000_600,
    };
    let message = ActionMessage::new(action, envelope).unwrap().to_text();
    let signature = lender.sign_bip322(AddressKind::P2tr, &message).unwrap();
    SignedText { message, signature }
}

fn opening() -> SignedText {
    signed(Action::OpenVault { payment_address: lender().payment_address().to_string(), vault: vault() })
}

fn offer() -> SignedText {
    let terms = InstantTerms::plain(7_500, vault());
    let process = OfferProcess::Instant(terms);
    signed(Action::CreateOffer(NewOffer {
        collection_slug: "ninjas-14d".to_owned(),
        principal_sats: 2_000_000,
        process,
    }))
}

fn cancellation() -> SignedText {
    let (ordinal_offer_ids, rune_offer_ids) = (vec!["of_1".to_owned()], Vec::new());
    signed(Action::CancelOffers(CancelOffers { ordinal_offer_ids, rune_offer_ids, vault: Some(vault()) }))
}

fn term_acceptance() -> SignedText {
    signed(Action::AcceptTerm { offer_id: "of_1".to_owned(), term_id: "tc_1".to_owned() })
}

fn policy() -> Value {
    json!({
        "network": "regtest", "domain": "lienbook.example", "platform_address": lender().payment_address().to_string(),
        "platform_fee_max_bps": 2_000, "grace_seconds": 86_400, "claim_slack_seconds": 3_600,
        "fee_rate_min_sat_per_kwu": 25, "fee_rate_max_sat_per_kwu": 250_000, "offer_age_max_seconds": 2_592_000,
        "limits": { "loan_max_sats": 10_000_000, "hour_max_sats": 9_000_000, "hour_max_count": 5,
            "vault_hour_max_sats": 7_000_000 },
    })
}

fn selected(selector: u8, value: &impl Serialize) -> Vec<u8> {
    [&[selector], serde_json::to_vec(value).unwrap().as_slice()].concat()
}

#[test]
fn messages_are_refused_or_written_with_the_same_content() {
    let key = lender().public_key_hex(AddressKind::P2tr).parse().unwrap();
    let admission = Request::AdmitOffer { lender_id: LENDER_ID, offer_id: "of_1".to_owned(), signed: offer() };
    let requests = [
        Request::Describe,
        Request::PublicKey { lender_id: LENDER_ID },
        Request::OpenVault { lender_id: LENDER_ID, lender: key, signed: opening() },
        Request::OfWriter { epoch: u64::MAX, request: Box::new(admission) },
        Request::ReviseOffers { lender_id: LENDER_ID, signed: cancellation() },
        Request::AcceptTerm { lender_id: LENDER_ID, signed: term_acceptance() },
    ];
    let answers = [
        Answer::PublicKey(key),
        Answer::Vault(ScriptBuf::new_op_return([])),
        Answer::Revised,
        Answer::Refused(Refusal::NoVault { lender_id: LENDER_ID }),
    ];
    let sheet = json!({ "ninjas-14d": { "days": 14, "interest_bps": 325, "rune": null, "changes": {} },
        "dog-14d": { "days": 14, "interest_bps": 325, "rune": "840000:3", "changes": {} } });
    let requests = requests.iter().map(|request| selected(0, request));
    let answers = answers.iter().map(|answer| selected(1, answer));
    let others = [selected(2, &policy()), selected(3, &sheet)];
    replay("signer_message", signer_message, &requests.chain(answers).chain(others).collect::<Vec<_>>());
}

#[test]
fn logs_are_refused_or_lead_to_a_state() {
    let outgoing = |sats| Outgoing {
        txid: Txid::from_byte_array([7; 32]),
        sats,
        inputs: vec![VaultInput(OutPoint::new(Txid::from_byte_array([6; 32]), 1))],
        unsigned: "00".to_owned(),
    };
    let key = lender().public_key_hex(AddressKind::P2tr).parse().unwrap();
    let lender_id = LENDER_ID;
    let withdrawal = Action::Withdraw {
        sats: 1_000,
        to: lender().payment_address().to_string(),
        fee_max_sats: None,
        vault: vault(),
    };
    let whole = Action::MoveVault {
        from_vault: vault(),
        to: lender().ordinals_address().to_string(),
        fee_max_sats: 500,
        payment_address: lender().payment_address().to_string(),
        vault: "other".to_owned(),
    };
    let loan = Entry::LoanSigned {
        lender_id,
        offer: offer().id(),
        loan_id: 9,
        principal_sats: 2_000_000,
        transaction: outgoing(u64::MAX),
    };
    let entries = [
        Entry::Policy { hash: sha256::Hash::hash(b"policy"), text: "policy".to_owned() },
        Entry::VaultOpened { lender_id, lender: key, shared: None, signed: opening() },
        Entry::OfferAdmitted { lender_id, offer_id: "of_1".to_owned(), listing: LISTING, signed: offer() },
        Entry::TermAccepted { lender_id, term: Term { days: 7, interest_bps: 200 }, signed: term_acceptance() },
        loan,
        Entry::FeeBumpSigned { lender_id, transaction: outgoing(500) },
        Entry::WithdrawalSigned { lender_id, signed: signed(withdrawal), transaction: outgoing(u64::MAX) },
        Entry::OffersRevised { lender_id, signed: cancellation() },
        Entry::WriterEpoch { epoch: 3 },
        Entry::VaultMoved { lender_id, signed: signed(whole), transaction: outgoing(1_000) },
    ];
    let lines: Vec<String> = entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    // Alone, a move is of no vault.
    let each = lines[..lines.len() - 1].iter().map(|line| line.clone().into_bytes());
    replay("signing_log", signing_log, &each.chain([lines.join("\n").into_bytes()]).collect::<Vec<_>>());
}
