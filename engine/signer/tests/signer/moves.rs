//! Moves of whole vaults to other signers.

use bitcoin::FeeRate;
use bitcoin::hashes::{Hash as _, sha256};
use escrow::action::Action;
use escrow::action_message::ActionMessage;
use escrow::address::{AddressKind, WalletAddress};
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use escrow::envelope::Envelope;
use signer::identity::AttestedKey;
use signer::refusal::Refusal;
use signer::request::shared::SharedRequest;
use signer::request::{Answer, MoveRequest, Request, SignedTransaction, SpentOutput};
use signer::signed_text::SignedText;
use signer::vault_signer::{SignerError, VaultSigner as _};

use crate::rig::{LENDER_ID, Rig, ordinals_key, outpoint, signed_by, wallet};
use crate::shared_rig::{Fault, SharedRig};
use crate::withdrawals;

const RATE: u64 = 1_250;
const FEE_MAX_SATS: u64 = 5_000;

/// The address of another vault of the lender.
fn elsewhere() -> String {
    wallet(31).ordinals_address().to_string()
}

fn new_policy() -> String {
    sha256::Hash::hash(b"new").to_string()
}

/// The text of the lender's move, by the ordinals address.
fn action(rig: &Rig, to: String) -> Action {
    Action::MoveVault {
        from_vault: rig.policy_hash().to_string(),
        to,
        fee_max_sats: FEE_MAX_SATS,
        payment_address: rig.lender.payment_address().to_string(),
        vault: new_policy(),
    }
}

fn sign(rig: &mut Rig, action: Action) -> SignedText {
    let envelope = Envelope { address: rig.lender.ordinals_address().to_string(), ..rig.envelope() };
    signed_by(&rig.lender, AddressKind::P2tr, action, envelope)
}

/// The request to move these outputs to another vault.
fn request(rig: &mut Rig, to: &str, numbers: &[u8], signed: SignedText) -> MoveRequest {
    let outputs: Vec<_> =
        numbers.iter().map(|number| SpentOutput { outpoint: outpoint(*number), sats: 8_000_000 }).collect();
    let spent: Vec<_> = outputs.iter().map(|output| (output.outpoint, output.value())).collect();
    let destination = WalletAddress::parse(to, bitcoin::Network::Regtest).unwrap().script_pubkey();
    let built = VaultWithdrawal {
        vault: &rig.vault(),
        outputs: &spent,
        destination: &destination,
        share: Share::All,
        fee_rate: FeeRate::from_sat_per_kwu(RATE),
        change_outputs: 1,
    };
    MoveRequest {
        lender_id: rig.lender_id,
        signed,
        vault_outputs: outputs,
        fee_rate_sat_per_kwu: RATE,
        psbt: built.build().unwrap().psbt,
    }
}

/// A request that is signed.
pub(crate) fn good(rig: &mut Rig) -> MoveRequest {
    let text = action(rig, elsewhere());
    let text = sign(rig, text);
    request(rig, &elsewhere(), &[50, 51], text)
}

pub(crate) fn ask(asked: &MoveRequest) -> Request {
    Request::MoveVault(Box::new(asked.clone()))
}

fn open() -> Rig {
    let mut rig = Rig::new();
    rig.open_vault();
    rig
}

fn signed(answer: Answer) -> SignedTransaction {
    match answer {
        Answer::Signed(signed) => signed,
        other => panic!("not signed: {other:?}"),
    }
}

#[test]
fn a_whole_vault_moves_once_and_a_repeated_request_gets_the_same_signatures() {
    let mut rig = open();
    let asked = good(&mut rig);
    let first = signed(rig.ask(ask(&asked)));
    assert_eq!(first.signatures.len(), 2);
    let mut rig = rig.restart();
    assert_eq!(signed(rig.ask(ask(&asked))), first);
    let other = request(&mut rig, &elsewhere(), &[52], asked.signed.clone());
    assert!(matches!(rig.refusal(ask(&other)), Refusal::NonceUsed { .. }), "a second transaction by the same text");
    rig.now_ms += 600_000;
    assert!(matches!(rig.refusal(ask(&asked)), Refusal::NotFresh { .. }));
}

#[test]
fn a_vault_that_was_moved_signs_nothing_but_moves_to_the_same_address() {
    let mut rig = open();
    let offer = rig.admit("of_1", None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let early = withdrawals::signed(&mut rig, 3_000_000);
    let asked = good(&mut rig);
    signed(rig.ask(ask(&asked)));
    let mut rig = rig.restart();
    let moved = Refusal::VaultMoved { lender_id: rig.lender_id, to: elsewhere() };
    let withdrawal = withdrawals::withdrawal(&mut rig, 3_000_000, 60, early);
    assert_eq!(rig.refusal(Request::SignWithdrawal(Box::new(withdrawal))), moved);
    assert_eq!(rig.refusal(crate::rig::signing(&loan, &prepared)), moved);
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan))), moved);
    let admission = rig.admission("of_2", None);
    assert_eq!(rig.refusal(admission), moved);
    let opening = rig.opening();
    assert_eq!(rig.refusal(opening), moved);
    let third = wallet(32).ordinals_address().to_string();
    let text = action(&rig, third.clone());
    let text = sign(&mut rig, text);
    let away = request(&mut rig, &third, &[53], text);
    assert_eq!(rig.refusal(ask(&away)), moved);
    let text = action(&rig, elsewhere());
    let text = sign(&mut rig, text);
    let late = request(&mut rig, &elsewhere(), &[53], text);
    signed(rig.ask(ask(&late)));
}

#[test]
fn a_move_that_the_lender_did_not_sign_so_is_refused() {
    let mut rig = open();
    let asked = good(&mut rig);
    let whole = action(&rig, elsewhere());
    let Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault } = whole.clone() else { panic!() };
    let mut refusal = |action: Action| {
        let signed = sign(&mut rig, action);
        rig.refusal(ask(&MoveRequest { signed, ..asked.clone() }))
    };
    let policy = from_vault.clone();
    let make = |from_vault: &str, to: &str, fee_max_sats, payment_address: &str, vault: &str| Action::MoveVault {
        from_vault: from_vault.to_owned(),
        to: to.to_owned(),
        fee_max_sats,
        payment_address: payment_address.to_owned(),
        vault: vault.to_owned(),
    };
    let other_policy = refusal(make("other", &to, fee_max_sats, &payment_address, &vault));
    assert_eq!(other_policy, Refusal::OtherPolicy { expected: policy.clone(), found: "other".to_owned() });
    let to_itself = refusal(make(&policy, &to, fee_max_sats, &payment_address, &policy));
    assert!(matches!(to_itself, Refusal::ImpossibleVault { .. }));
    let thief = wallet(6).payment_address().to_string();
    let no_vault = refusal(make(&policy, &thief, fee_max_sats, &payment_address, &vault));
    assert!(matches!(no_vault, Refusal::ImpossibleVault { .. }), "{no_vault:?}");
    let other_to = refusal(make(&policy, &wallet(6).ordinals_address().to_string(), 5_000, &payment_address, &vault));
    assert_eq!(other_to, Refusal::OtherTransaction { part: "outputs".to_owned() });
    let other_home = refusal(make(&policy, &to, fee_max_sats, &thief, &vault));
    assert_eq!(other_home, Refusal::WrongAddress { registered: payment_address.clone(), found: thief });
    let fee = asked.psbt.fee().unwrap().to_sat();
    let tight = refusal(make(&policy, &to, fee - 1, &payment_address, &vault));
    assert_eq!(tight, Refusal::FeeAboveCeiling { max: fee - 1, found: fee });
    let opening = refusal(Action::OpenVault { payment_address, vault: policy });
    assert_eq!(opening, Refusal::WrongAction { expected: "move vault".to_owned() });
    // The payment address speaks for the vault in other messages, and not in this one.
    let envelope = rig.envelope();
    let by_payment = signed_by(&rig.lender, AddressKind::P2wpkh, whole, envelope);
    let refused = rig.refusal(ask(&MoveRequest { signed: by_payment, ..asked.clone() }));
    assert!(matches!(refused, Refusal::ForeignAddress { .. }), "{refused:?}");
    let dear = MoveRequest { fee_rate_sat_per_kwu: 250_001, ..asked.clone() };
    assert_eq!(rig.refusal(ask(&dear)), Refusal::FeeRate { min: 25, max: 250_000, found: 250_001 });
    let many = MoveRequest { vault_outputs: vec![asked.vault_outputs[0]; 65], ..asked.clone() };
    assert_eq!(rig.refusal(ask(&many)), Refusal::TooManyInputs { max: 64, found: 65 });
    signed(rig.ask(ask(&asked)));
}

#[test]
fn moves_are_counted_and_their_amount_is_not_limited() {
    let mut rig = open();
    let numbers: Vec<u8> = (50..54).collect();
    for round in 0..5 {
        let text = action(&rig, elsewhere());
        let text = sign(&mut rig, text);
        let numbers: Vec<u8> = numbers.iter().map(|number| number + 10 * round).collect();
        let asked = request(&mut rig, &elsewhere(), &numbers, text);
        let is_counted_out = round == 4;
        match rig.ask(ask(&asked)) {
            Answer::Signed(_) => assert!(!is_counted_out),
            answer => assert_eq!((answer, is_counted_out), (Answer::Refused(Refusal::HourCount { max: 4 }), true)),
        }
    }
}

/// The text by which the new signers take a vault over.
async fn arrival(rig: &mut SharedRig, to: Option<String>) -> SignedText {
    let vault = rig.vault().await.output().script_pubkey();
    let own = bitcoin::Address::from_script(&vault, bitcoin::Network::Regtest).unwrap().to_string();
    let action = Action::MoveVault {
        from_vault: sha256::Hash::hash(b"old").to_string(),
        to: to.unwrap_or(own),
        fee_max_sats: FEE_MAX_SATS,
        payment_address: rig.lender.payment_address().to_string(),
        vault: rig.policy_hash().to_string(),
    };
    rig.sign(AddressKind::P2tr, action)
}

#[tokio::test]
async fn the_text_of_a_move_opens_the_vault_at_the_new_signers_at_its_own_address_alone() {
    let mut rig = SharedRig::new(2, 3);
    let key = ordinals_key(&rig.lender);
    let text = arrival(&mut rig, Some(elsewhere())).await;
    let refused = rig.quorum.open_vault(LENDER_ID, key, text).await;
    let expected = arrival(&mut rig, None).await;
    let Action::MoveVault { to, .. } = ActionMessage::parse(&expected.message).unwrap().action().clone() else {
        panic!()
    };
    let other = Refusal::OtherVaultAddress { expected: to, found: elsewhere() };
    assert_eq!(refused, Err(SignerError::Refused(other)));
    let script = rig.quorum.open_vault(LENDER_ID, key, expected.clone()).await.unwrap();
    assert_eq!(script, rig.vault().await.output().script_pubkey());
    for number in 0..3 {
        rig.restart(number).await;
    }
    assert_eq!(rig.quorum.open_vault(LENDER_ID, key, expected).await, Ok(script), "a repeated request");
    // It is open as if by `open vault`.
    rig.admit("of_1").await.unwrap();
    let asked = rig.withdrawal(3_000_000, 50).await;
    rig.quorum.sign_withdrawal(asked).await.unwrap();
}

#[tokio::test]
async fn a_foreign_key_among_those_of_the_new_signers_is_refused_whatever_the_lender_signed() {
    let mut rig = SharedRig::new(2, 3);
    let lender = ordinals_key(&rig.lender);
    let mut keys: Vec<AttestedKey> = Vec::new();
    for line in &rig.lines {
        let asked = Request::Shared(SharedRequest::VaultKey { lender_id: LENDER_ID });
        match line.ask(asked).await.unwrap() {
            Answer::Attested(key) => keys.push(key),
            other => panic!("{other:?}"),
        }
    }
    keys[2].key = ordinals_key(&wallet(90));
    let signed = arrival(&mut rig, Some(elsewhere())).await;
    let request = Request::Shared(SharedRequest::OpenVault { lender_id: LENDER_ID, lender, keys, signed });
    for line in &rig.lines {
        let answer = line.ask(request.clone()).await.unwrap();
        assert!(matches!(answer, Answer::Refused(Refusal::ForeignKeys { .. })), "{answer:?}");
    }
}

#[tokio::test]
async fn several_signers_move_a_vault_on_by_any_t_of_them() {
    let mut rig = SharedRig::with_vault(2, 3).await;
    let vault = rig.vault().await;
    rig.break_line(0, Fault::Away);
    let action = Action::MoveVault {
        from_vault: rig.policy_hash().to_string(),
        to: elsewhere(),
        fee_max_sats: FEE_MAX_SATS,
        payment_address: rig.lender.payment_address().to_string(),
        vault: new_policy(),
    };
    let signed = rig.sign(AddressKind::P2tr, action);
    let output = SpentOutput { outpoint: outpoint(50), sats: 8_000_000 };
    let destination = wallet(31).ordinals_address().script_pubkey();
    let built = VaultWithdrawal {
        vault: &vault,
        outputs: &[(output.outpoint, output.value())],
        destination: &destination,
        share: Share::All,
        fee_rate: FeeRate::from_sat_per_kwu(RATE),
        change_outputs: 1,
    };
    let psbt = built.build().unwrap().psbt;
    let asked =
        MoveRequest { lender_id: LENDER_ID, signed, vault_outputs: vec![output], fee_rate_sat_per_kwu: RATE, psbt };
    let signed = rig.quorum.move_vault(asked).await.unwrap();
    assert_eq!(signed.signatures.len(), 2);
}
