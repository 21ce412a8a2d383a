//! Tests of the repayment of several loans of one borrower in one transaction.

use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Txid};
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::collateral_flow::CollateralFault;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::repay_keys::REPAY_KEYS_MAX;
use escrow::contract::loan::repayable_loan::PayoutFault;
use escrow::contract::loan::repayment::{Repayment, RepaymentError, RepaymentFault};
use escrow::contract::loan::running_loan::PreSignatureError;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use proptest::prelude::*;

use super::debts::{Debts, any_inscriptions, expected_runs, held_runes, inscription, rune, runes};
use super::flow;
use super::loan_fixture::{Party, assert_weight, coin, is_valid, rate};
use super::mutations::assert_all_found;

/// Three loans: two of the same rune, and an inscription between them that is not on the first sat.
fn three() -> Debts {
    Debts::new(
        &[(546, runes(7, 1_000), 80_000), (10_000, inscription(9_000), 70_000), (546, runes(7, 250), 60_000)],
        500_000,
    )
}

fn loan() -> impl Strategy<Value = (u64, Pledge, u64)> {
    let pledge = |postage| {
        let on_sat = any_inscriptions(postage);
        let transfer = (0..postage).prop_map(|offset| Pledge::TransferInscription { offset: Amount::from_sat(offset) });
        prop_oneof![on_sat, transfer, (1_u32..4, 1_u128..1 << 90).prop_map(|(tx, amount)| runes(tx, amount))]
    };
    (330_u64..=20_000, 546_u64..=50_000_000)
        .prop_flat_map(move |(postage, payout)| (Just(postage), pledge(postage), Just(payout)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn all_collateral_is_returned_and_every_lender_is_paid(
        loans in prop::collection::vec(loan(), 1..=5),
        keys in prop::collection::vec(0..=REPAY_KEYS_MAX, 5),
        pads_kept in 0_usize..5,
        pad_sats in 330_u64..2_000,
        kinds in prop::collection::vec((0_usize..3, 300_u64..100_000), 0..4),
        spare in 0_u64..3_000,
        rate_kwu in 25_u64..=500_000,
        is_truc in any::<bool>(),
    ) {
        // 0.1 to 2,000 sats per virtual byte.
        let fee_rate = FeeRate::from_sat_per_kwu(rate_kwu);
        let version = if is_truc { TRUC } else { Version::TWO };
        let mut debts = Debts::with_repay_keys(&loans, &keys, 0);
        let key = |kind: usize, party: &Party| -> CoinKey { [party.payment(), party.nested(), party.ordinals()][kind] };
        let returning: usize = loans.iter().map(|(_, pledge, _)| pledge.range_count()).sum();
        debts.pads.truncate(returning + 1 + pads_kept);
        for pad in &mut debts.pads {
            pad.output.value = Amount::from_sat(pad_sats);
        }
        debts.funding = (60_u8..).zip(&kinds).map(|(number, (kind, sats))| coin(number, key(*kind, &debts.borrower), *sats)).collect();
        // A coin of about the right value: with a change output, without, or a few sats too few.
        let due: u64 = loans.iter().map(|(_, _, payout)| payout).sum();
        debts.funding.push(coin(99, debts.borrower.payment(), due));
        let ending = debts.ending();
        let short = debts.repayment(&ending, version, fee_rate).build();
        let missing = match short {
            Err(RepaymentError::Assembly(AssemblyError::InsufficientFunds { wanted, found })) => wanted - found,
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
            Ok(_) => Amount::ZERO,
        };
        let last = debts.funding.len() - 1;
        let mut funding = debts.funding.clone();
        funding[last].output.value += missing + Amount::from_sat(spare);
        let repayment = Repayment { funding: &funding, ..debts.repayment(&ending, version, fee_rate) };
        if missing > Amount::ZERO {
            let mut almost = funding.clone();
            almost[last].output.value -= Amount::from_sat(spare + 1);
            let short = Repayment { funding: &almost, ..repayment }.build();
            let is_short = matches!(short, Err(RepaymentError::Assembly(AssemblyError::InsufficientFunds { .. })));
            prop_assert!(is_short, "a sat less is too little");
        }
        let template = repayment.build().unwrap();
        let signed = debts.keyring.sign(&template);
        prop_assert!(is_valid(&template, &signed));
        assert_weight(&template, &signed);
        let fee = template.fee().unwrap();
        prop_assert!(fee >= fee_rate.fee_wu(signed.weight()).unwrap());
        let change_costs = fee_rate.fee_vb(33).unwrap() + Amount::from_sat(294);
        prop_assert!(fee <= fee_rate.fee_wu(template.weight).unwrap() + change_costs);

        let runs = flow::sats(&template);
        let held = flow::runes(&held_runes(loans.iter().map(|(_, pledge, _)| pledge)), &signed);
        let mut destinations = Vec::new();
        for (loan, _) in &debts.loans {
            let index = signed.input.iter().position(|input| input.previous_output == loan.outpoint).unwrap();
            prop_assert_eq!(&signed.output[index], &loan.payout);
            let first = runs.iter().position(|runs| runs.iter().any(|(input, ..)| *input == index)).unwrap();
            let own = first..first + loan.ranges().len();
            prop_assert_eq!(&runs[own.clone()], &expected_runs(loan, index));
            for destination in own {
                prop_assert_eq!(&signed.output[destination].script_pubkey, &debts.ordinals_script);
                if let Pledge::Runes { id, amount } = loan.pledge {
                    prop_assert_eq!(held[destination].iter().collect::<Vec<_>>(), vec![(&id, &amount)]);
                } else {
                    prop_assert!(held[destination].is_empty());
                }
                prop_assert!(!destinations.contains(&destination));
                destinations.push(destination);
            }
        }
        prop_assert!(held.iter().enumerate().all(|(index, held)| held.is_empty() || destinations.contains(&index)));
    }
}

#[test]
fn one_loan_has_its_two_pads_in_front_and_its_runes_in_the_next_output() {
    let debts = Debts::new(&[(546, runes(7, 1_000), 80_000)], 200_000);
    let ending = debts.ending();
    let template = debts.repayment(&ending, TRUC, rate(5)).build().unwrap();
    let transaction = &template.psbt.unsigned_tx;
    let spent: Vec<OutPoint> = transaction.input.iter().map(|input| input.previous_output).collect();
    let loan = &debts.loans[0].0;
    assert_eq!(spent, [debts.pads[0].outpoint, debts.pads[1].outpoint, loan.outpoint, debts.funding[0].outpoint]);
    let paid: Vec<(u64, &ScriptBuf)> =
        transaction.output.iter().map(|output| (output.value.to_sat(), &output.script_pubkey)).collect();
    let runestone = ordinals::Runestone { pointer: Some(1), ..ordinals::Runestone::default() }.encipher();
    let change = transaction.output[4].value.to_sat();
    assert_eq!(
        paid,
        [
            (1_200, &debts.change),
            (546, &debts.ordinals_script),
            (80_000, &loan.payout.script_pubkey),
            (0, &runestone),
            (change, &debts.change)
        ]
    );
}

#[test]
fn invalid_repayments_are_refused_by_name() {
    let debts = three();
    let ending = debts.ending();
    let plain = debts.repayment(&ending, TRUC, rate(5));
    let refusal = |repayment: Repayment<'_>| repayment.build().err();
    let refused = |error: AssemblyError| Some(RepaymentError::Assembly(error));
    assert_eq!(refusal(plain), None);
    assert_eq!(refusal(Repayment { loans: &[], ..plain }), Some(RepaymentError::NoLoan));
    assert_eq!(
        refusal(Repayment { pads: &debts.pads[..3], ..plain }),
        Some(RepaymentError::PadsMissing { wanted: 4, found: 3 })
    );
    let version = Version::ONE;
    assert_eq!(refusal(Repayment { version, ..plain }), refused(AssemblyError::UnknownVersion(version)));
    let foreign = [Coin { key: debts.borrower.nested(), ..debts.funding[0].clone() }];
    let outpoint = debts.funding[0].outpoint;
    assert_eq!(refusal(Repayment { funding: &foreign, ..plain }), refused(AssemblyError::ForeignCoin(outpoint)));
    let twice = [debts.funding[0].clone(), debts.funding[0].clone()];
    assert_eq!(refusal(Repayment { funding: &twice, ..plain }), refused(AssemblyError::DuplicateCoin(outpoint)));
    let same = [ending[0], ending[1], ending[0]];
    let escrow = debts.loans[0].0.outpoint;
    assert_eq!(refusal(Repayment { loans: &same, ..plain }), refused(AssemblyError::DuplicateCoin(escrow)));
    for waiting in [outpoint, escrow, debts.pads[5].outpoint] {
        let coins = [waiting];
        let waits = Repayment { unconfirmed: &coins, ..plain };
        assert_eq!(refusal(waits), refused(AssemblyError::UnconfirmedCoin(waiting)));
        assert_eq!(refusal(Repayment { version: Version::TWO, ..waits }), None, "version 2 accepts it");
    }
    let short = refusal(Repayment { funding: &[], ..plain });
    // Two pads of the six were not needed in front.
    let found = Amount::from_sat(1_200);
    assert!(matches!(
        short,
        Some(RepaymentError::Assembly(AssemblyError::InsufficientFunds { wanted, found: short }))
            if short == found && wanted > Amount::from_sat(210_000)
    ));
    let legacy = ScriptBuf::new_p2pkh(&bitcoin::PubkeyHash::from_byte_array([5; 20]));
    let dust = Debts::new(&[(545, inscription(0), 80_000)], 200_000);
    let ending = dust.ending();
    let min = Amount::from_sat(546);
    assert_eq!(
        refusal(Repayment { destination: &legacy, ..dust.repayment(&ending, TRUC, rate(5)) }),
        refused(AssemblyError::Dust { index: 1, value: Amount::from_sat(545), min })
    );
    let rich = debts.ending();
    let endless =
        [Coin { output: TxOut { value: Amount::MAX, ..debts.funding[0].output.clone() }, ..debts.funding[0].clone() }];
    let endless = [endless, [coin(98, debts.borrower.payment(), 1)]].concat();
    assert_eq!(refusal(Repayment { loans: &rich, funding: &endless, ..plain }), refused(AssemblyError::Overflow));
}

#[test]
fn a_transaction_that_no_node_would_relay_is_refused_before_signing() {
    let loans: Vec<_> = (0..5).map(|number| (546, runes(number, u128::MAX / 8), 80_000)).collect();
    let debts = Debts::new(&loans, 1_000_000);
    let ending = debts.ending();
    let too_long = debts.repayment(&ending, TRUC, rate(5)).build();
    assert!(matches!(
        too_long,
        Err(RepaymentError::Assembly(AssemblyError::RunestoneTooLong { bytes })) if bytes > 83
    ));
    debts.repayment(&ending[..4], TRUC, rate(5)).build().unwrap();
    // 10,000 virtual bytes are about 146 coins.
    let debts = Debts::new(&[(546, inscription(0), 80_000)], 0);
    let ending = debts.ending();
    let coins = |count: u32| -> Vec<Coin> {
        let number =
            |vout| Coin { outpoint: OutPoint::new(Txid::from_byte_array([99; 32]), vout), ..debts.funding[0].clone() };
        let worth = |coin: Coin| Coin { output: TxOut { value: Amount::from_sat(50_000), ..coin.output }, ..coin };
        (0..count).map(number).map(worth).collect()
    };
    let refusal = |version, count| {
        let funding = coins(count);
        Repayment { funding: &funding, ..debts.repayment(&ending, version, rate(5)) }.build().err()
    };
    let most = |wu| bitcoin::Weight::from_wu(wu);
    assert_eq!(refusal(TRUC, 140), None);
    assert!(matches!(
        refusal(TRUC, 142),
        Some(RepaymentError::Assembly(AssemblyError::TooHeavy { most: limit, found }))
            if limit == most(40_000) && found > limit && found < most(40_500)
    ));
    assert_eq!(refusal(Version::TWO, 1_460), None);
    assert!(matches!(
        refusal(Version::TWO, 1_470),
        Some(RepaymentError::Assembly(AssemblyError::TooHeavy { most: limit, found }))
            if limit == most(400_000) && found > limit && found < most(402_000)
    ));
}

#[test]
fn an_invalid_pre_signature_is_found_before_the_borrower_signs() {
    let debts = three();
    let mut ending = debts.ending();
    let (other, pre_signatures) = (debts.loans[1].0.outpoint, debts.loans[0].1.clone());
    ending[1].pre_signatures = &pre_signatures;
    let invalid = PreSignatureError::Invalid(debts.loans[1].0.escrow.terms().repay.keys()[0]);
    let invalid = PayoutFault::InvalidSignature { escrow: other, fault: invalid };
    let unsigned = RepaymentError::Unsound(RepaymentFault::Payout(invalid));
    assert_eq!(debts.repayment(&ending, TRUC, rate(5)).build().err(), Some(unsigned.clone()));
    let PayoutSignaturePair { two, truc } = *debts.loans[1].1.only().unwrap();
    let swapped = PayoutSignaturePair { two: truc, truc: two }.into();
    ending[1].pre_signatures = &swapped;
    assert_eq!(debts.repayment(&ending, TRUC, rate(5)).build().err(), Some(unsigned));
}

#[test]
fn the_final_check_finds_every_misdirection_in_a_repayment() {
    let debts = three();
    let ending = debts.ending();
    let repayment = debts.repayment(&ending, TRUC, rate(5));
    let template = repayment.build().unwrap();
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        repayment.check(&altered).err()
    };
    let escrows: Vec<OutPoint> = debts.loans.iter().map(|(loan, _)| loan.outpoint).collect();
    let unsigned = |loan: usize| {
        let fault = PreSignatureError::Invalid(debts.loans[loan].0.escrow.terms().lender);
        Some(RepaymentFault::Payout(PayoutFault::InvalidSignature { escrow: escrows[loan], fault }))
    };
    let misplaced = |loan: usize| Some(RepaymentFault::Payout(PayoutFault::Misplaced(escrows[loan])));
    // Inputs: pads 0 to 3, escrows 4 to 6, pads 7 and 8, coin 9. Outputs: pads 0, collateral 1 to 3, payouts 4 to 6,
    // runestone 7, change 8.
    assert_eq!(fault(&|_| {}), None);
    let sat = Amount::ONE_SAT;
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.output[5].value -= sat), misplaced(1));
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.output.swap(5, 6)), misplaced(1));
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.input.swap(4, 5)), misplaced(0));
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.input[6].previous_output.vout += 1), misplaced(2));
    let other_version = fault(&|altered| altered.psbt.unsigned_tx.version = Version::TWO);
    assert_eq!(other_version, Some(RepaymentFault::WrongForm), "it was signed for, but not requested");
    let other_coin = fault(&|altered| altered.psbt.unsigned_tx.input[9].previous_output.vout += 1);
    assert_eq!(other_coin, Some(RepaymentFault::ForeignInput { index: 9 }));
    let version = PreSignatureError::UnsignedVersion(Version::ONE);
    let version = PayoutFault::InvalidSignature { escrow: escrows[0], fault: version };
    let unknown = fault(&|altered| altered.psbt.unsigned_tx.version = Version::ONE);
    assert_eq!(unknown, Some(RepaymentFault::Payout(version)));
    let later = bitcoin::absolute::LockTime::from_consensus(1);
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.lock_time = later), unsigned(0));
    let last = bitcoin::Sequence::MAX;
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.input[6].sequence = last), unsigned(2));

    let misplaced_escrow = |change: &dyn Fn(&mut Template)| match fault(change) {
        Some(RepaymentFault::Collateral(CollateralFault::Misplaced { escrow, .. })) => escrow,
        other => panic!("{other:?}"),
    };
    assert_eq!(misplaced_escrow(&|altered| altered.psbt.unsigned_tx.output[0].value -= sat), escrows[0]);
    assert_eq!(
        misplaced_escrow(&|altered| altered.psbt.unsigned_tx.output[2].value -= sat),
        escrows[1],
        "its last sat is missing"
    );
    let misdirected = |altered: &mut Template| altered.psbt.unsigned_tx.output[3].script_pubkey = debts.change.clone();
    assert_eq!(misplaced_escrow(&misdirected), escrows[2]);
    let without_pads = |altered: &mut Template| {
        altered.psbt.inputs.rotate_left(4);
        altered.psbt.unsigned_tx.input.rotate_left(4);
        altered.psbt.unsigned_tx.output.rotate_left(4);
    };
    assert_eq!(misplaced_escrow(&without_pads), escrows[0], "the lender would get it");

    let runes_misplaced = Some(RepaymentFault::Collateral(CollateralFault::WrongRunestone));
    assert_eq!(fault(&|altered| drop(altered.psbt.unsigned_tx.output.remove(7))), runes_misplaced);
    let with = |pointer, output, amount| {
        let edicts = vec![ordinals::Edict { id: rune(7), amount, output }];
        let stone = ordinals::Runestone { edicts, pointer, ..ordinals::Runestone::default() };
        let script = stone.encipher();
        move |altered: &mut Template| altered.psbt.unsigned_tx.output[7].script_pubkey = script.clone()
    };
    assert_eq!(fault(&with(Some(1), 3, 250)), None);
    for wrong in
        [with(Some(1), 3, 249), with(Some(1), 2, 250), with(Some(2), 3, 250), with(None, 3, 250), with(Some(1), 9, 250)]
    {
        assert_eq!(fault(&wrong), runes_misplaced);
    }

    let tip = TxOut { value: sat, script_pubkey: debts.loans[0].0.payout.script_pubkey.clone() };
    let tipped = |altered: &mut Template| {
        altered.psbt.unsigned_tx.output[8].value -= sat;
        altered.psbt.unsigned_tx.output.push(tip.clone());
    };
    assert_eq!(fault(&tipped), Some(RepaymentFault::ForeignOutput { index: 9 }));
    let burning = |altered: &mut Template| altered.psbt.unsigned_tx.output[7].value += sat;
    assert_eq!(fault(&burning), Some(RepaymentFault::ForeignOutput { index: 7 }));
    for value in [0, 400_000_000, u64::MAX] {
        let value = Amount::from_sat(value);
        let wrong = fault(&|altered| altered.psbt.unsigned_tx.output[8].value = value);
        assert!(matches!(wrong, Some(RepaymentFault::WrongFee(_))), "{wrong:?}");
    }
}

#[test]
fn every_change_of_a_repayment_is_detected() {
    let debts = three();
    let ending = debts.ending();
    for loans in [&ending[..], &ending[..1], &ending[1..2]] {
        for version in [Version::TWO, TRUC] {
            let repayment = debts.repayment(loans, version, rate(5));
            let template = repayment.build().unwrap();
            assert_all_found(&template, 1 + 2 * loans.len(), |template| repayment.check(template));
        }
    }
}

#[test]
fn zero_and_overflowing_rune_amounts_are_found_before_they_are_lost() {
    // An edict of 0 would take the whole remainder.
    let debts = Debts::new(&[(546, runes(7, 1_000), 80_000), (546, runes(7, 0), 60_000)], 500_000);
    let ending = debts.ending();
    let misplaced = RepaymentError::Unsound(RepaymentFault::Collateral(CollateralFault::RunesMisplaced));
    assert_eq!(debts.repayment(&ending, TRUC, rate(5)).build().err(), Some(misplaced.clone()));
    let debts = Debts::new(&[(546, runes(7, u128::MAX), 80_000), (546, runes(7, 1), 60_000)], 500_000);
    let ending = debts.ending();
    assert_eq!(debts.repayment(&ending, TRUC, rate(5)).build().err(), Some(misplaced));
}

#[test]
fn collateral_never_arrives_in_a_payout() {
    // The lender is paid at the borrower's address, and as much as the postage: payout and collateral output look the
    // same.
    let mut debts = Debts::new(&[(80_000, inscription(0), 80_000)], 200_000);
    debts.loans[0].0.payout.script_pubkey = debts.ordinals_script.clone();
    debts.loans[0].1 = debts.keyring.pre_sign(&debts.loans[0].0);
    let ending = debts.ending();
    let repayment = debts.repayment(&ending, TRUC, rate(5));
    let mut template = repayment.build().unwrap();
    for gone in [1, 0] {
        template.psbt.inputs.remove(gone);
        template.psbt.unsigned_tx.input.remove(gone);
        template.psbt.unsigned_tx.output.remove(gone);
    }
    assert_eq!(repayment.check(&template), Err(RepaymentFault::CollateralPaidOut { index: 0 }));
}
