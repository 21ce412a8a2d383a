//! Tests of withdrawals from a vault with the signer's help.

use bitcoin::{Amount, FeeRate, Weight};
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::vault_change::SplitError;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal, WithdrawalError, WithdrawalFault};

use super::super::loan_fixture::{is_valid, rate};
use super::{Deposits, paid};

/// The share that leaves a vault of a million sats.
const PART: Share = Share::Part(Amount::from_sat(700_000));

#[test]
fn a_part_of_a_vault_goes_to_the_lender_and_the_rest_returns() {
    let deposits = Deposits::new(&[600_000, 400_000]);
    let template = deposits.withdrawal(PART, rate(8)).build().unwrap();
    let signed = deposits.sign(&template);
    assert_eq!(paid(&signed, &deposits.script()), Amount::from_sat(300_000));
    // 10.5 + 2 x 82.75 in, 43 + 31 out.
    assert_eq!(template.weight, Weight::from_wu(1_000));
    assert_eq!(paid(&signed, &deposits.payment_script), Amount::from_sat(700_000 - 2_000));
    let all = deposits.withdrawal(Share::All, rate(8)).build().unwrap();
    assert_eq!(deposits.sign(&all).output.len(), 1);
    // A rest too small for an output goes to the lender.
    let nearly = deposits.withdrawal(Share::Part(Amount::from_sat(1_000_000 - 329)), rate(8)).build().unwrap();
    assert_eq!(nearly, all);
    let just = deposits.withdrawal(Share::Part(Amount::from_sat(1_000_000 - 330)), rate(8)).build().unwrap();
    assert_eq!(paid(&deposits.sign(&just), &deposits.script()), Amount::from_sat(330));
}

#[test]
fn the_rest_returns_in_the_requested_number_of_equal_outputs() {
    let deposits = Deposits::new(&[6_000_003]);
    let plain = deposits.withdrawal(PART, rate(1));
    let split = VaultWithdrawal { change_outputs: 4, ..plain };
    let template = split.build().unwrap();
    let signed = deposits.sign(&template);
    assert_eq!(template.output_amounts()[..4], [1_325_003, 1_325_000, 1_325_000, 1_325_000].map(Amount::from_sat));
    assert_eq!(paid(&signed, &deposits.script()), Amount::from_sat(5_300_003));
    let [one, four] = [plain.build().unwrap(), template.clone()].map(|template| template.fee().unwrap());
    assert_eq!(four - one, Amount::from_sat(3 * 43), "a withdrawal pays for its split");
    for found in [0, 9] {
        let (rest, max) = (Amount::from_sat(5_300_003), 8);
        let refused = Some(WithdrawalError::Split(SplitError { rest, max, found }));
        assert_eq!(VaultWithdrawal { change_outputs: found, ..plain }.build().err(), refused);
    }
    let nothing_left = VaultWithdrawal { share: Share::All, change_outputs: 2, ..plain };
    let refused = SplitError { rest: Amount::ZERO, max: 1, found: 2 };
    assert_eq!(nothing_left.build().err(), Some(WithdrawalError::Split(refused)));
    let expensive = VaultWithdrawal { fee_rate: rate(100), ..split };
    assert!(matches!(expensive.build(), Err(WithdrawalError::Split(SplitError { max: 1, .. }))), "not worth its cost");
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        split.check(&altered).err()
    };
    let uneven = |altered: &mut Template| {
        altered.psbt.unsigned_tx.output[0].value -= Amount::ONE_SAT;
        altered.psbt.unsigned_tx.output[1].value += Amount::ONE_SAT;
    };
    assert_eq!(fault(&uneven), Some(WithdrawalFault::WrongSplit { expected: 4, found: 4 }));
    let fewer = |altered: &mut Template| {
        let taken = altered.psbt.unsigned_tx.output.remove(0).value;
        altered.psbt.unsigned_tx.output[0].value += taken;
    };
    assert_eq!(fault(&fewer), Some(WithdrawalFault::WrongSplit { expected: 4, found: 3 }));
}

#[test]
fn a_withdrawal_needs_the_signer() {
    let deposits = Deposits::new(&[600_000]);
    let template = deposits.withdrawal(Share::All, rate(8)).build().unwrap();
    let mut by_lender = template.clone();
    let mut leaf = deposits.vault.signer_leaf().clone();
    for signer in &mut leaf.signers {
        signer.key = deposits.lender.keys.x_only_public_key().0;
    }
    by_lender.locks[0] = Lock::Script(Box::new(leaf));
    assert!(is_valid(&template, &deposits.ring.sign(&template)));
    assert!(!is_valid(&by_lender, &deposits.ring.sign(&by_lender)));
}

#[test]
fn invalid_withdrawals_are_refused_by_name() {
    let deposits = Deposits::new(&[600_000, 400_000]);
    let plain = deposits.withdrawal(PART, rate(8));
    let refusal = |withdrawal: VaultWithdrawal<'_>| withdrawal.build().err();
    assert_eq!(refusal(plain), None);
    let vault = deposits.script();
    assert_eq!(refusal(VaultWithdrawal { destination: &vault, ..plain }), Some(WithdrawalError::DestinationIsVault));
    let (wanted, found) = (Amount::from_sat(1_000_001), Amount::from_sat(1_000_000));
    let short = Some(WithdrawalError::InsufficientFunds { wanted, found });
    assert_eq!(refusal(VaultWithdrawal { share: Share::Part(wanted), ..plain }), short);
    // The fee is 2,000 sats.
    let part = |sats| VaultWithdrawal { share: Share::Part(Amount::from_sat(sats)), ..plain };
    let (amount, min) = (Amount::from_sat(2_293), Amount::from_sat(294));
    assert_eq!(refusal(part(2_294)), None);
    assert_eq!(refusal(part(2_293)), Some(WithdrawalError::TooSmall { amount, min }));
    let (wanted, found) = (Amount::from_sat(999_000 + 1_752), Amount::from_sat(1_000_000));
    assert_eq!(refusal(part(1_000)), Some(AssemblyError::InsufficientFunds { wanted, found }.into()));
    let twice = [deposits.outputs[0], deposits.outputs[0]];
    let repeated = Some(AssemblyError::DuplicateCoin(twice[0].0).into());
    assert_eq!(refusal(VaultWithdrawal { outputs: &twice, ..plain }), repeated);
    let endless = [(twice[0].0, Amount::MAX), deposits.outputs[1]];
    assert_eq!(refusal(VaultWithdrawal { outputs: &endless, ..plain }), Some(AssemblyError::Overflow.into()));
    let many = Deposits::new(&[1_000; 1_300]);
    let heavy = refusal(many.withdrawal(Share::All, FeeRate::BROADCAST_MIN));
    assert!(matches!(heavy, Some(WithdrawalError::Assembly(AssemblyError::TooHeavy { .. }))), "{heavy:?}");
}

#[test]
fn the_final_check_of_a_withdrawal_finds_every_misdirected_sat() {
    let deposits = Deposits::new(&[600_000, 400_000]);
    let withdrawal = deposits.withdrawal(PART, rate(8));
    let template = withdrawal.build().unwrap();
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        withdrawal.check(&altered).err()
    };
    assert_eq!(fault(&|_| {}), None);
    let other = |altered: &mut Template| altered.psbt.unsigned_tx.input[1].previous_output.vout = 7;
    assert_eq!(fault(&other), Some(WithdrawalFault::ForeignInput { index: 1 }));
    let fewer = |altered: &mut Template| {
        altered.psbt.unsigned_tx.input.pop();
        altered.psbt.inputs.pop();
        altered.locks.pop();
    };
    assert_eq!(fault(&fewer), Some(WithdrawalFault::ForeignInput { index: 1 }));
    let more = |altered: &mut Template| {
        altered.psbt.unsigned_tx.input.push(altered.psbt.unsigned_tx.input[0].clone());
        altered.psbt.inputs.push(altered.psbt.inputs[0].clone());
        altered.locks.push(altered.locks[0].clone());
    };
    assert_eq!(fault(&more), Some(WithdrawalFault::ForeignInput { index: 2 }));
    let by_lender = |altered: &mut Template| {
        altered.locks[0] = Lock::Script(Box::new(deposits.vault.exit_leaf().clone()));
    };
    assert_eq!(fault(&by_lender), Some(WithdrawalFault::ForeignInput { index: 0 }));
    let hidden = |altered: &mut Template| altered.psbt.inputs[0].tap_scripts.clear();
    assert_eq!(fault(&hidden), Some(WithdrawalFault::ForeignInput { index: 0 }));
    let elsewhere = |altered: &mut Template| {
        altered.psbt.unsigned_tx.output[1].script_pubkey = deposits.lender.ordinals().script_pubkey();
    };
    assert_eq!(fault(&elsewhere), Some(WithdrawalFault::WrongDestination));
    let nowhere = |altered: &mut Template| altered.psbt.unsigned_tx.output.clear();
    assert_eq!(fault(&nowhere), Some(WithdrawalFault::WrongDestination));
    let rest_elsewhere = |altered: &mut Template| {
        altered.psbt.unsigned_tx.output[0].script_pubkey = deposits.lender.ordinals().script_pubkey();
    };
    assert_eq!(fault(&rest_elsewhere), Some(WithdrawalFault::ForeignOutput { index: 0 }));
    let in_three = |altered: &mut Template| {
        let output = altered.psbt.unsigned_tx.output[0].clone();
        altered.psbt.unsigned_tx.output.insert(0, output);
    };
    let (expected, found) = (Amount::from_sat(300_000), Amount::from_sat(600_000));
    assert_eq!(fault(&in_three), Some(WithdrawalFault::WrongRest { expected, found }));
    let too_much_back = |altered: &mut Template| {
        altered.psbt.unsigned_tx.output[0].value += Amount::ONE_SAT;
        altered.psbt.unsigned_tx.output[1].value -= Amount::ONE_SAT;
    };
    let (expected, found) = (Amount::from_sat(300_000), Amount::from_sat(300_001));
    assert_eq!(fault(&too_much_back), Some(WithdrawalFault::WrongRest { expected, found }));
    let lavish = |altered: &mut Template| altered.psbt.unsigned_tx.output[1].value -= Amount::ONE_SAT;
    assert!(matches!(fault(&lavish), Some(WithdrawalFault::WrongFee(_))));
}
