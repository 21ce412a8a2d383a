//! Tests of loans from origination to repayment, with every script run by Bitcoin Core's own interpreter.

use bitcoin::absolute::LockTime;
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Sequence, Transaction, TxIn, TxOut};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::transaction::version::TRUC;
use signer::request::{
    Answer, LoanRequest, OfferHash, OfferStatus, PreparedLoan, Request, SignedTransaction, SpentOutput,
};

use crate::rig::{
    Borrower, DOG, LENDER_ID, PLATFORM_FEE_SATS, PRINCIPAL_SATS, Rig, VAULT_SATS, is_valid, leaf_witness, outpoint,
    spent_outputs,
};

/// Returns the transaction with the signatures of the borrower and the signer.
fn finished(rig: &mut Rig, prepared: &PreparedLoan, signed: &SignedTransaction) -> Transaction {
    let (vault, spent) = (rig.vault(), spent_outputs(&prepared.psbt));
    let unsigned = prepared.psbt.unsigned_tx.clone();
    let mut transaction = unsigned.clone();
    transaction.input[0].witness = Borrower::new().key_spend(&unsigned, 0, &spent);
    for one in &signed.signatures {
        let signature = one.signature.serialize().to_vec();
        transaction.input[one.index].witness = leaf_witness(&[signature], vault.signer_leaf());
    }
    transaction
}

fn assert_valid(prepared: &PreparedLoan, transaction: &Transaction) {
    let spent = spent_outputs(&prepared.psbt);
    for index in 0..transaction.input.len() {
        assert!(is_valid(transaction, index, &spent), "input {index}");
    }
}

/// Returns whether the borrower alone can spend the escrow with the repay key's signatures.
fn is_repayable(rig: &Rig, loan: &LoanRequest, prepared: &PreparedLoan, begun: &Transaction, paid_sats: u64) -> bool {
    let escrow = rig.escrow_of(loan, prepared);
    assert_eq!(begun.output[0].script_pubkey, escrow.output().script_pubkey());
    let (borrower, leaf) = (Borrower::new(), escrow.repay_leaf());
    let payouts = PayoutSignaturePair::from(prepared.payout);
    let own = TxOut { value: Amount::from_sat(3_000_000), script_pubkey: borrower.script() };
    let spent = [own, begun.output[0].clone()];
    let input =
        |previous_output| TxIn { previous_output, sequence: Sequence::ENABLE_RBF_NO_LOCKTIME, ..TxIn::default() };
    let payment = rig.lender.payment_address().script_pubkey();
    [(Version::TWO, payouts.two), (TRUC, payouts.truc)].into_iter().all(|(version, beforehand): (_, Signature)| {
        let mut repayment = Transaction {
            version,
            lock_time: LockTime::ZERO,
            input: vec![input(outpoint(90)), input(OutPoint::new(begun.compute_txid(), 0))],
            output: vec![
                begun.output[0].clone(),
                TxOut { value: Amount::from_sat(paid_sats), script_pubkey: payment.clone() },
            ],
        };
        let signature = borrower.leaf_signature(&repayment, 1, &spent, leaf);
        repayment.input[1].witness = leaf_witness(&[beforehand.to_vec(), signature], leaf);
        is_valid(&repayment, 1, &spent)
    })
}

#[test]
fn a_vault_funds_a_loan_that_the_borrower_alone_can_repay() {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let signed = rig.sign_loan(&loan, &prepared);
    let begun = finished(&mut rig, &prepared, &signed);
    assert_valid(&prepared, &begun);
    assert_eq!(begun.compute_txid(), signed.txid);
    let vault = rig.vault().output().script_pubkey();
    let back: u64 = begun.output.iter().filter(|out| out.script_pubkey == vault).map(|out| out.value.to_sat()).sum();
    assert_eq!(back, VAULT_SATS - PRINCIPAL_SATS - PLATFORM_FEE_SATS);
    // 3.25 % of two million sats.
    assert!(is_repayable(&rig, &loan, &prepared, &begun, 2_065_000));
    assert!(!is_repayable(&rig, &loan, &prepared, &begun, 2_064_999), "a sat less for the lender");
}

#[test]
fn runes_are_lent_against_in_parts_until_the_offer_is_used_up() {
    let (mut rig, offer) = Rig::lending(Some(1_000));
    for (number, (amount, principal)) in [(250, 500_000), (750, 1_500_000)].into_iter().enumerate() {
        let number = u8::try_from(number).unwrap();
        let vault_outputs = vec![SpentOutput { outpoint: outpoint(50 + number), sats: VAULT_SATS }];
        let loan = LoanRequest { vault_outputs, ..rig.rune_loan(offer, amount, principal) };
        let prepared = rig.prepare(&loan);
        let signed = rig.sign_loan(&loan, &prepared);
        let begun = finished(&mut rig, &prepared, &signed);
        assert_valid(&prepared, &begun);
        assert!(is_repayable(&rig, &loan, &prepared, &begun, principal + principal * 325 / 10_000));
        let stone = ordinals::Runestone::decipher(&begun);
        let Some(ordinals::Artifact::Runestone(stone)) = stone else { panic!("{stone:?}") };
        assert_eq!(stone.edicts, [ordinals::Edict { id: DOG, amount, output: 0 }]);
    }
}

#[test]
fn each_loan_has_a_repay_key_of_its_own() {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let (one, other) = (rig.prepare(&loan), rig.prepare(&loan));
    assert_ne!(one.repay_key, other.repay_key);
    assert_ne!(one.psbt.unsigned_tx.output[0], other.psbt.unsigned_tx.output[0]);
}

#[test]
fn a_repeated_request_gives_the_same_signatures_and_counts_once() {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let signed = rig.sign_loan(&loan, &prepared);
    let length = std::fs::metadata(rig.log()).unwrap().len();
    // The answer is lost when the server crashes, and then when the signer does.
    for _ in 0..10 {
        assert_eq!(rig.sign_loan(&loan, &prepared), signed);
    }
    let mut rig = rig.restart();
    assert_eq!(rig.sign_loan(&loan, &prepared), signed);
    assert_eq!(std::fs::metadata(rig.log()).unwrap().len(), length);
}

#[test]
fn a_borrower_who_abandons_a_loan_does_not_use_up_the_offer() {
    let (mut rig, offer) = Rig::lending(None);
    let first = rig.loan(offer);
    let prepared = rig.prepare(&first);
    rig.sign_loan(&first, &prepared);
    let (name, standing) = (OfferHash(offer), OfferStatus::Used { sats: PRINCIPAL_SATS });
    let asked = Request::Standing { offers: vec![name] };
    assert_eq!(rig.ask(asked.clone()), Answer::Standing(vec![(name, standing)]), "it can still be broadcast");
    let mut rig = rig.restart();
    assert_eq!(rig.ask(asked), Answer::Standing(vec![(name, standing)]));
    // From the same output of the vault: only one of the two loans can ever start.
    let second = LoanRequest { loan_id: 78, ..first };
    let prepared = rig.prepare(&second);
    assert_eq!(rig.sign_loan(&second, &prepared).signatures.len(), 1);
}

#[test]
fn every_output_of_the_vault_is_signed_for_and_no_other() {
    let (mut rig, offer) = Rig::lending(None);
    let vault_outputs = (50..53).map(|number| SpentOutput { outpoint: outpoint(number), sats: 700_000 }).collect();
    let loan = LoanRequest { vault_outputs, ..rig.loan(offer) };
    let prepared = rig.prepare(&loan);
    let signed = rig.sign_loan(&loan, &prepared);
    assert_eq!(signed.signatures.iter().map(|one| one.index).collect::<Vec<_>>(), [1, 2, 3]);
    let begun = finished(&mut rig, &prepared, &signed);
    assert_valid(&prepared, &begun);
}

#[test]
fn a_false_value_of_an_output_makes_the_signature_invalid() {
    let (mut rig, offer) = Rig::lending(None);
    let vault_outputs = vec![SpentOutput { outpoint: outpoint(50), sats: VAULT_SATS - 1_000_000 }];
    let loan = LoanRequest { vault_outputs, ..rig.loan(offer) };
    let prepared = rig.prepare(&loan);
    let signed = rig.sign_loan(&loan, &prepared);
    let begun = finished(&mut rig, &prepared, &signed);
    let mut spent = spent_outputs(&prepared.psbt);
    assert!(is_valid(&begun, 1, &spent));
    // The real value: a million sats would have gone to the fee.
    spent[1].value = Amount::from_sat(VAULT_SATS);
    assert!(!is_valid(&begun, 1, &spent));
}

#[test]
fn the_next_term_applies_to_lenders_who_accept_it() {
    let mut rig = Rig::new();
    rig.open_vault();
    let next = signer::term_sheet::Term { days: 7, interest_bps: 200 };
    let mut accepting = crate::rig::offer(&rig.policy_hash(), None);
    let escrow::action::OfferProcess::Instant(terms) = &mut accepting.process else { panic!("instant") };
    terms.accept_next_term = true;
    let signed = rig.sign(escrow::action::Action::CreateOffer(accepting));
    let request = signer::request::Request::AdmitOffer { lender_id: LENDER_ID, offer_id: "of_1".to_owned(), signed };
    let signer::request::Answer::Offer(accepting) = rig.ask(request) else { panic!("not admitted") };
    let insisting = rig.admit("of_2", None);
    for listing in rig.sheet.values_mut() {
        (listing.days, listing.interest_bps) = (next.days, next.interest_bps);
    }
    let mut rig = rig.restart();
    let claim_after = rig.loan(accepting).claim_after - 7 * 86_400;
    let loan = |offer, rig: &Rig| LoanRequest { term: next, claim_after, ..rig.loan(offer) };
    let small = LoanRequest { platform_fee_sats: 8_000, ..loan(accepting, &rig) };
    rig.prepare(&small);
    let refused = LoanRequest { offer: insisting, ..small };
    assert_eq!(
        rig.refusal(signer::request::Request::PrepareLoan(Box::new(refused))),
        signer::refusal::Refusal::WrongTerm { days: 7, interest_bps: 200 }
    );
    // The old term still applies to the lender who insists on it, at the old interest.
    let old = rig.loan(insisting);
    rig.prepare(&old);
}
