//! Tests of the lender's exit from a vault.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Sequence};
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::lock::Lock;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::EXIT_BLOCKS;
use escrow::contract::vault::vault_exit::{ExitError, ExitFault, VaultExit};

use super::super::loan_fixture::{Party, is_valid, leaf_witness, rate};
use super::{Deposits, paid};

#[test]
fn the_lender_exits_alone_and_not_one_block_too_early() {
    let deposits = Deposits::new(&[600_000, 400_000, 5_000]);
    let destination = Party::new(&deposits.ring.secp, 33).ordinals().script_pubkey();
    let template = VaultExit { destination: &destination, ..deposits.exit(rate(3)) }.build().unwrap();
    let signed = deposits.sign(&template);
    assert!(signed.input.iter().all(|input| input.sequence == Sequence::from_consensus(144)));
    // 10.5 + 3 x 83.75 in, 43 out, in weight units at 0.75 sats.
    assert_eq!(paid(&signed, &destination), Amount::from_sat(1_005_000 - (1_219_u64 * 3).div_ceil(4)));
    let is_valid_with = |sequence: Sequence, version: Version| {
        let mut altered = template.clone();
        altered.psbt.unsigned_tx.input[1].sequence = sequence;
        altered.psbt.unsigned_tx.version = version;
        is_valid(&altered, &deposits.ring.sign(&altered))
    };
    assert!(is_valid_with(Sequence::from_height(EXIT_BLOCKS), Version::TWO));
    assert!(is_valid_with(Sequence::from_height(EXIT_BLOCKS + 1), Version::TWO));
    assert!(!is_valid_with(Sequence::from_height(EXIT_BLOCKS - 1), Version::TWO), "a block too early");
    assert!(!is_valid_with(Sequence::ENABLE_RBF_NO_LOCKTIME, Version::TWO), "no wait at all");
    assert!(!is_valid_with(Sequence::from_512_second_intervals(EXIT_BLOCKS), Version::TWO), "a wait in seconds");
    assert!(!is_valid_with(Sequence::from_height(EXIT_BLOCKS), Version::ONE), "sequences do not count");
}

#[test]
fn only_the_lender_can_exit() {
    let deposits = Deposits::new(&[600_000]);
    let template = deposits.exit(rate(3)).build().unwrap();
    let leaf = deposits.vault.exit_leaf();
    let mut by_signer = template.clone();
    let mut altered = leaf.clone();
    altered.signers[0].key = deposits.vault.terms().signers.keys()[0];
    by_signer.locks[0] = Lock::Script(Box::new(altered));
    assert!(!is_valid(&by_signer, &deposits.ring.sign(&by_signer)));
    let mut bare = template.psbt.unsigned_tx.clone();
    bare.input[0].witness = leaf_witness(&[vec![]], leaf);
    assert!(!is_valid(&template, &bare), "without a signature");
}

#[test]
fn invalid_exits_are_refused_by_name() {
    let deposits = Deposits::new(&[600_000, 400_000]);
    let plain = deposits.exit(rate(8));
    let refusal = |exit: VaultExit<'_>| exit.build().err();
    assert_eq!(refusal(plain), None);
    let vault = deposits.script();
    assert_eq!(refusal(VaultExit { destination: &vault, ..plain }), Some(ExitError::DestinationIsVault));
    // 10.5 + 83.75 in, 31 out: 1,002 sats at 8.
    let small = |sats| [(deposits.outputs[0].0, Amount::from_sat(sats))];
    let (amount, min) = (Amount::from_sat(1_002 + 293), Amount::from_sat(294));
    assert_eq!(refusal(VaultExit { outputs: &small(1_002 + 294), ..plain }), None);
    let refused = Some(ExitError::TooSmall { amount, min });
    assert_eq!(refusal(VaultExit { outputs: &small(1_002 + 293), ..plain }), refused);
    let (wanted, found) = (Amount::from_sat(754), Amount::from_sat(700));
    let refused = Some(AssemblyError::InsufficientFunds { wanted, found }.into());
    assert_eq!(refusal(VaultExit { outputs: &small(700), ..plain }), refused);
    let nothing = refusal(VaultExit { outputs: &[], ..plain });
    assert!(matches!(nothing, Some(ExitError::Assembly(AssemblyError::InsufficientFunds { .. }))), "{nothing:?}");
    let free = refusal(VaultExit { outputs: &[], fee_rate: FeeRate::ZERO, ..plain });
    assert!(matches!(free, Some(ExitError::TooSmall { .. })), "{free:?}");
    let twice = [deposits.outputs[0], deposits.outputs[0]];
    let repeated = Some(AssemblyError::DuplicateCoin(twice[0].0).into());
    assert_eq!(refusal(VaultExit { outputs: &twice, ..plain }), repeated);
    assert_eq!(refusal(VaultExit { fee_rate: FeeRate::MAX, ..plain }), Some(AssemblyError::Overflow.into()));
    let many = Deposits::new(&[1_000; 1_300]);
    let heavy = refusal(many.exit(FeeRate::BROADCAST_MIN));
    assert!(matches!(heavy, Some(ExitError::Assembly(AssemblyError::TooHeavy { .. }))), "{heavy:?}");
}

#[test]
fn the_final_check_of_an_exit_finds_every_misdirected_sat() {
    let deposits = Deposits::new(&[600_000, 400_000]);
    let exit = deposits.exit(rate(8));
    let template = exit.build().unwrap();
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        exit.check(&altered).err()
    };
    assert_eq!(fault(&|_| {}), None);
    let early = Sequence::from_height(EXIT_BLOCKS - 1);
    let too_early = |altered: &mut Template| altered.psbt.unsigned_tx.input[1].sequence = early;
    assert_eq!(fault(&too_early), Some(ExitFault::WrongSequence { index: 1, found: early }));
    let version = |altered: &mut Template| altered.psbt.unsigned_tx.version = Version::ONE;
    assert_eq!(fault(&version), Some(ExitFault::WrongVersion(Version::ONE)));
    let other = |altered: &mut Template| altered.psbt.unsigned_tx.input[0].previous_output.vout = 7;
    assert_eq!(fault(&other), Some(ExitFault::ForeignInput { index: 0 }));
    let by_signer = |altered: &mut Template| {
        altered.locks[1] = Lock::Script(Box::new(deposits.vault.signer_leaf().clone()));
    };
    assert_eq!(fault(&by_signer), Some(ExitFault::ForeignInput { index: 1 }));
    let elsewhere = |altered: &mut Template| altered.psbt.unsigned_tx.output[0].script_pubkey = deposits.script();
    assert_eq!(fault(&elsewhere), Some(ExitFault::WrongDestination { count: 1 }));
    let nowhere = |altered: &mut Template| altered.psbt.unsigned_tx.output.clear();
    assert_eq!(fault(&nowhere), Some(ExitFault::WrongDestination { count: 0 }));
    let lavish = |altered: &mut Template| altered.psbt.unsigned_tx.output[0].value -= Amount::ONE_SAT;
    assert!(matches!(fault(&lavish), Some(ExitFault::WrongFee(_))));
}
