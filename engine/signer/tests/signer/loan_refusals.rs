//! Tests of loans that the lender did not sign, or that the policy does not allow.

use bitcoin::absolute::LockTime;
use bitcoin::transaction::Version;
use bitcoin::{Amount, Psbt, Sequence};
use proptest::prelude::*;
use signer::refusal::Refusal;
use signer::request::{Answer, LoanRequest, Pledged, PreparedLoan, Request, SpentOutput};
use signer::term_sheet::Term;

use crate::rig::{PRINCIPAL_SATS, Rig, START_MS, VAULT_SATS, outpoint, signing, wallet};

/// A change to a transaction before it reaches the signer.
type Change<'a> = &'a dyn Fn(&mut Psbt);

/// The refusal of a loan that differs from a valid one.
fn refusal(rig: &mut Rig, good: &LoanRequest, change: impl FnOnce(&mut LoanRequest)) -> Refusal {
    let mut loan = good.clone();
    change(&mut loan);
    rig.refusal(Request::PrepareLoan(Box::new(loan)))
}

#[test]
fn a_loan_that_was_not_offered_is_refused_with_its_reason() {
    let (mut rig, offer) = Rig::lending(None);
    let good = rig.loan(offer);
    rig.prepare(&good);
    assert_eq!(refusal(&mut rig, &good, |loan| loan.lender_id = 5), Refusal::NoVault { lender_id: 5 });
    let unknown = |loan: &mut LoanRequest| loan.offer = bitcoin::hashes::Hash::all_zeros();
    assert_eq!(refusal(&mut rig, &good, unknown), Refusal::NoOffer);
    let longer = |loan: &mut LoanRequest| loan.term = Term { days: 15, ..loan.term };
    assert_eq!(refusal(&mut rig, &good, longer), Refusal::WrongTerm { days: 15, interest_bps: 325 });
    let cheaper = |loan: &mut LoanRequest| loan.term = Term { interest_bps: 324, ..loan.term };
    assert_eq!(refusal(&mut rig, &good, cheaper), Refusal::WrongTerm { days: 14, interest_bps: 324 });
    for asked in [PRINCIPAL_SATS - 1, PRINCIPAL_SATS + 1] {
        let found = refusal(&mut rig, &good, |loan| {
            loan.principal_sats = asked;
            loan.platform_fee_sats = 0;
        });
        assert_eq!(found, Refusal::WrongPrincipal { offered: PRINCIPAL_SATS, asked });
    }
    let runes = rig.rune_loan(offer, 1_000, PRINCIPAL_SATS).pledged;
    assert_eq!(refusal(&mut rig, &good, |loan| loan.pledged = runes), Refusal::WrongCollateral);
}

#[test]
fn an_offer_can_be_used_for_as_long_as_the_policy_allows() {
    let (mut rig, offer) = Rig::lending(None);
    let max_s = rig.draft.offer_age_max_seconds;
    rig.now_ms = START_MS + max_s * 1_000;
    let loan = rig.loan(offer);
    rig.prepare(&loan);
    rig.now_ms += 1_000;
    let loan = rig.loan(offer);
    // It is removed with the first request after it expires.
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan))), Refusal::NoOffer);
}

#[test]
fn an_offer_signed_for_another_policy_cannot_be_used() {
    let (mut rig, offer) = Rig::lending(None);
    let found = rig.policy_hash().to_string();
    rig.draft.limits.hour_max_count += 1;
    let mut rig = rig.restart();
    let expected = rig.policy_hash().to_string();
    let loan = rig.loan(offer);
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(loan))), Refusal::OtherPolicy { expected, found });
}

#[test]
fn an_offer_is_used_up_by_loans_that_can_all_start() {
    let (mut rig, offer) = Rig::lending(None);
    let first = rig.loan(offer);
    let prepared = rig.prepare(&first);
    rig.sign_loan(&first, &prepared);
    let elsewhere = vec![SpentOutput { outpoint: outpoint(51), sats: VAULT_SATS }];
    let used_up = Refusal::OfferUsedUp { offered: PRINCIPAL_SATS, used: PRINCIPAL_SATS, asked: PRINCIPAL_SATS };
    let second = LoanRequest { loan_id: 78, vault_outputs: elsewhere, ..first };
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(second.clone()))), used_up);
    let mut rig = rig.restart();
    assert_eq!(rig.refusal(Request::PrepareLoan(Box::new(second))), used_up);
}

#[test]
fn less_collateral_for_a_sat_than_was_offered_is_refused() {
    let (mut rig, offer) = Rig::lending(Some(1_000));
    let exact = rig.rune_loan(offer, 250, 500_000);
    rig.prepare(&exact);
    let too_little = Refusal::TooLittleCollateral {
        pledged: "250".to_owned(),
        principal: 500_001,
        wanted: "1000".to_owned(),
        offered: PRINCIPAL_SATS,
    };
    assert_eq!(refusal(&mut rig, &exact, |loan| loan.principal_sats = 500_001), too_little);
    let other = |loan: &mut LoanRequest| {
        let Pledged::Runes { coins, id, .. } = &mut loan.pledged else { panic!("runes") };
        id.tx += 1;
        coins[0].runes[0].id = *id;
    };
    assert_eq!(refusal(&mut rig, &exact, other), Refusal::WrongCollateral);
}

#[test]
fn the_limits_of_the_policy_hold_whatever_was_offered() {
    let (mut rig, offer) = Rig::lending(None);
    let good = rig.loan(offer);
    let (expected, slack_s) = (u64::from(good.claim_after), 3_600);
    for beside_s in [slack_s, slack_s + 1] {
        for found in [good.claim_after - beside_s, good.claim_after + beside_s] {
            let answer = rig.ask(Request::PrepareLoan(Box::new(LoanRequest { claim_after: found, ..good.clone() })));
            let refused = Refusal::ClaimTime { expected, found: u64::from(found), slack_s };
            assert_eq!(answer == Answer::Refused(refused), beside_s > slack_s, "{answer:?}");
        }
    }
    // 20 % of the interest of 65,000 sats.
    let found = refusal(&mut rig, &good, |loan| loan.platform_fee_sats = 13_001);
    assert_eq!(found, Refusal::PlatformFeeTooHigh { max: 13_000, found: 13_001 });
    for rate in [24, 250_001] {
        let found = refusal(&mut rig, &good, |loan| loan.fee_rate_sat_per_kwu = rate);
        assert_eq!(found, Refusal::FeeRate { min: 25, max: 250_000, found: rate });
    }
    let found = refusal(&mut rig, &good, |loan| loan.principal_sats = 10_000_001);
    assert_eq!(found, Refusal::LoanTooLarge { max: 10_000_000, found: 10_000_001 });
    let found = refusal(&mut rig, &good, |loan| loan.vault_outputs = vec![loan.vault_outputs[0]; 65]);
    assert_eq!(found, Refusal::TooManyInputs { max: 64, found: 65 });
    let unbuildable: [&dyn Fn(&mut LoanRequest); 5] = [
        &|loan| loan.vault_outputs.clear(),
        &|loan| loan.vault_outputs = vec![loan.vault_outputs[0]; 2],
        &|loan| loan.vault_outputs[0].sats = PRINCIPAL_SATS,
        &|loan| loan.vault_outputs[0].sats = u64::MAX,
        &|loan| loan.borrower = crate::rig::ordinals_key(&wallet(2)),
    ];
    for change in unbuildable {
        let found = refusal(&mut rig, &good, change);
        assert!(matches!(found, Refusal::Unbuildable { .. }), "{found:?}");
    }
}

/// 2,987,000 sats go back, and a change output holds at least half a million.
#[test]
fn the_rest_goes_back_to_the_vault_in_as_many_change_outputs_as_are_economical() {
    let (mut rig, offer) = Rig::lending(None);
    let good = LoanRequest { change_outputs: 5, ..rig.loan(offer) };
    for change_outputs in [0, 6, 255] {
        let found = refusal(&mut rig, &good, |loan| loan.change_outputs = change_outputs);
        assert!(matches!(found, Refusal::Unbuildable { .. }), "{change_outputs}: {found:?}");
    }
    // 46 sats per virtual byte for the 43 of an output: a change output would have to be four times as large.
    let dear = refusal(&mut rig, &good, |loan| loan.fee_rate_sat_per_kwu = 11_500);
    assert!(matches!(dear, Refusal::Unbuildable { .. }), "{dear:?}");
    let prepared = rig.prepare(&good);
    let other = Refusal::OtherTransaction { part: "outputs".to_owned() };
    let fewer = LoanRequest { change_outputs: 4, ..good.clone() };
    assert_eq!(rig.refusal(signing(&fewer, &prepared)), other);
    let places = 5..10;
    for place in places {
        let mut uneven = prepared.clone();
        uneven.psbt.unsigned_tx.output[place].value -= Amount::ONE_SAT;
        assert_eq!(rig.refusal(signing(&good, &uneven)), other, "output {place}");
        let mut stolen = prepared.clone();
        stolen.psbt.unsigned_tx.output[place].script_pubkey = wallet(6).payment_address().script_pubkey();
        assert_eq!(rig.refusal(signing(&good, &stolen)), other, "output {place}");
    }
    rig.sign_loan(&good, &prepared);
}

#[test]
fn a_transaction_that_differs_in_anything_is_refused() {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    let thief = wallet(6).payment_address().script_pubkey();
    let changes: [(&str, Change<'_>); 11] = [
        ("version", &|psbt| psbt.unsigned_tx.version = Version(3)),
        ("lock time", &|psbt| psbt.unsigned_tx.lock_time = LockTime::from_consensus(1)),
        ("inputs", &|psbt| psbt.unsigned_tx.input[1].sequence = Sequence::MAX),
        ("inputs", &|psbt| psbt.unsigned_tx.input[1].previous_output = outpoint(51)),
        ("inputs", &|psbt| psbt.unsigned_tx.input.swap(0, 1)),
        ("outputs", &|psbt| psbt.unsigned_tx.output[0].value -= Amount::ONE_SAT),
        ("outputs", &|psbt| psbt.unsigned_tx.output[5].script_pubkey = thief.clone()),
        ("outputs", &|psbt| psbt.unsigned_tx.output.swap(2, 4)),
        ("outputs", &|psbt| drop(psbt.unsigned_tx.output.pop())),
        ("spent outputs", &|psbt| {
            psbt.inputs[0].witness_utxo.as_mut().unwrap().value += Amount::ONE_SAT;
        }),
        ("spent outputs", &|psbt| psbt.inputs[1].witness_utxo = None),
    ];
    let length = std::fs::metadata(rig.log()).unwrap().len();
    for (part, change) in changes {
        let mut altered = prepared.clone();
        change(&mut altered.psbt);
        // A PSBT carries one map for each input and output.
        altered.psbt.outputs.resize_with(altered.psbt.unsigned_tx.output.len(), Default::default);
        let found = rig.refusal(signing(&loan, &altered));
        assert_eq!(found, Refusal::OtherTransaction { part: part.to_owned() });
    }
    let swapped = |prepared: &PreparedLoan| {
        let mut altered = prepared.clone();
        std::mem::swap(&mut altered.payout.two, &mut altered.payout.truc);
        altered
    };
    let found = rig.refusal(signing(&loan, &swapped(&prepared)));
    assert!(matches!(found, Refusal::BadPreSignature { .. }), "{found:?}");
    // One that the signer made for another loan: its escrow is another one, so the transaction is.
    let PreparedLoan { repay_key, repay_proof, .. } = rig.prepare(&loan);
    let other = PreparedLoan { repay_key, repay_proof, ..prepared };
    assert_eq!(rig.refusal(signing(&loan, &other)), Refusal::OtherTransaction { part: "outputs".to_owned() });
    assert_eq!(std::fs::metadata(rig.log()).unwrap().len(), length, "a refused request leaves no trace in the log");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_flipped_bit_of_a_transaction_is_signed(place in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let (mut rig, offer) = Rig::lending(None);
        let loan = rig.loan(offer);
        let prepared = rig.prepare(&loan);
        let signed = rig.sign_loan(&loan, &prepared);
        let mut bytes = prepared.psbt.serialize();
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        if let Ok(psbt) = Psbt::deserialize(&bytes) {
            match rig.ask(signing(&loan, &PreparedLoan { psbt, ..prepared })) {
                Answer::Refused(Refusal::OtherTransaction { .. }) => {}
                // The flipped bit is in a part that is not signed.
                other => prop_assert_eq!(other, Answer::Signed(signed)),
            }
        }
    }
}
