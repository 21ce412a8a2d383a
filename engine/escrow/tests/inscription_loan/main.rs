//! A loan against an inscription from beginning to end, with every script run by Bitcoin Core's own interpreter.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

mod brc20_origination;
mod claims;
mod debts;
mod extensions;
mod flow;
mod inscribe_transfers;
mod keyring;
mod kit_endings;
mod kits;
mod loan_fixture;
mod lookups;
mod mutations;
mod random_originations;
mod refinances;
mod repay_keys;
mod repayments;
mod rune_origination;
mod several_inscriptions;
mod thefts;
mod vaults;

use bitcoin::hashes::Hash as _;
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, Sequence, TapSighashType, Transaction, TxOut, Txid};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::sat_flow::{SatPlace, arrival};
use escrow::contract::loan::collateral::{Collateral, CollateralError};
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::fault::OriginationFault;
use escrow::contract::loan::origination::{Origination, OriginationError};
use escrow::contract::loan::origination_outputs::{PADS, PRINCIPAL};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::running_loan::PreSignatureError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::leaf::Leaf;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::vault_change::SplitError;
use escrow::contract::vault::{EXIT_BLOCKS, Vault, VaultError, VaultTerms};
use ordinals::RuneId;
use proptest::prelude::*;

use loan_fixture::{LoanFixture, PRINCIPAL_SATS, Party, assert_weight, coin, coin_of, is_valid, leaf_witness, rate};

#[test]
fn a_loan_begins_and_the_borrower_alone_ends_it() {
    let loan_fixture = LoanFixture::new(546, 0, rate(12));
    let (template, originated) = loan_fixture.originate();
    assert!(is_valid(&template, &originated));
    assert_weight(&template, &originated);
    assert_eq!(template.final_txid(), originated.compute_txid());
    assert_ne!(template.final_txid(), template.psbt.unsigned_tx.compute_txid(), "a nested coin reveals its program");
    let loan = loan_fixture.running(&originated);
    let running_loan = loan_fixture.origination().running_loan(&template, loan.payout.clone()).unwrap();
    assert_eq!(
        (running_loan.outpoint, running_loan.value, running_loan.pledge),
        (loan.outpoint, loan.value, loan.pledge.clone())
    );
    let pre_signatures = loan_fixture.pre_sign_both(&loan);
    assert_eq!(pre_signatures.check(&loan), Ok(()));
    for version in [Version::TWO, TRUC] {
        let (template, ended) = loan_fixture.repay(&loan, &originated, version, &pre_signatures);
        assert!(is_valid(&template, &ended), "version {version}");
        assert_weight(&template, &ended);
    }
}

#[test]
fn a_vault_funds_a_loan_and_the_lender_can_always_exit() {
    let loan_fixture = LoanFixture::new(546, 0, rate(7));
    let signer = Party::new(&loan_fixture.secp, 9);
    let key = |party: &Party| party.keys.x_only_public_key().0;
    let vault =
        Vault::new(VaultTerms { lender_id: 4, signers: key(&signer).into(), lender: key(&loan_fixture.lender) })
            .unwrap();
    let outputs = [(OutPoint::new(Txid::from_byte_array([6; 32]), 1), Amount::from_sat(5_000_000))];
    let funding = Funding::Vault { vault: &vault, outputs: &outputs };
    let template = Origination { funding, ..loan_fixture.origination() }.build().unwrap();
    let rest = template.psbt.unsigned_tx.output.last().unwrap();
    assert_eq!(rest.script_pubkey, vault.output().script_pubkey(), "the rest returns to the vault");
    assert_eq!(rest.value, Amount::from_sat(5_000_000 - PRINCIPAL_SATS - 13_000));
    let is_valid_by = |leaf: &Leaf, party: &Party, sequence: Sequence| {
        let mut altered = template.clone();
        altered.psbt.unsigned_tx.input[1].sequence = sequence;
        let mut spent = altered.psbt.unsigned_tx.clone();
        loan_fixture.sign_coin(&altered, &mut spent, 0, &loan_fixture.collateral.coin, &loan_fixture.borrower);
        spent.input[1].witness = leaf_witness(&[loan_fixture.sign_leaf(&altered, 1, leaf, party).to_vec()], leaf);
        is_valid(&altered, &spent)
    };
    let now = template.psbt.unsigned_tx.input[1].sequence;
    assert!(is_valid_by(vault.signer_leaf(), &signer, now));
    assert!(!is_valid_by(vault.signer_leaf(), &loan_fixture.lender, now), "the signer's script is the signer's");
    assert!(is_valid_by(vault.exit_leaf(), &loan_fixture.lender, vault.exit_leaf().sequence));
    assert!(!is_valid_by(vault.exit_leaf(), &signer, vault.exit_leaf().sequence), "the exit is the lender's");
    assert!(
        !is_valid_by(vault.exit_leaf(), &loan_fixture.lender, Sequence::from_height(EXIT_BLOCKS - 1)),
        "one block too early"
    );
    let same = VaultTerms { lender_id: 4, signers: key(&signer).into(), lender: key(&signer) };
    assert_eq!(Vault::new(same).err(), Some(VaultError::SameKey));
}

#[test]
fn the_change_of_a_vault_is_split_at_the_vaults_cost_and_to_the_sat() {
    let loan_fixture = LoanFixture::new(546, 0, rate(1));
    let signer = Party::new(&loan_fixture.secp, 9).keys.x_only_public_key().0;
    let lender = loan_fixture.lender.keys.x_only_public_key().0;
    let vault = Vault::new(VaultTerms { lender_id: 4, signers: signer.into(), lender }).unwrap();
    let outputs = [(OutPoint::new(Txid::from_byte_array([6; 32]), 1), Amount::from_sat(5_000_000))];
    let funding = Funding::Vault { vault: &vault, outputs: &outputs };
    let plain = Origination { funding, ..loan_fixture.origination() };
    let split = Origination { change_outputs: 3, ..plain };
    let [one, three] = [plain, split].map(|origination| origination.build().unwrap());
    let back = |template: &Template| -> Vec<Amount> {
        let outputs = template.psbt.unsigned_tx.output.iter();
        let own = outputs.filter(|output| output.script_pubkey == vault.output().script_pubkey());
        own.map(|output| output.value).collect()
    };
    let rest = 5_000_000 - PRINCIPAL_SATS - 13_000;
    assert_eq!(back(&one), [Amount::from_sat(rest)]);
    // Two more outputs of 43 bytes.
    assert_eq!(back(&three).into_iter().sum::<Amount>(), Amount::from_sat(rest - 2 * 43));
    assert_eq!(three.fee().unwrap() - one.fee().unwrap(), Amount::from_sat(2 * 43));
    assert_eq!(
        three.output_amounts()[..4],
        one.output_amounts()[..4],
        "the borrower gets the same as without the split"
    );
    let mut uneven = three;
    let last = uneven.psbt.unsigned_tx.output.len() - 1;
    uneven.psbt.unsigned_tx.output[last].value -= Amount::ONE_SAT;
    uneven.psbt.unsigned_tx.output[last - 1].value += Amount::ONE_SAT;
    assert_eq!(split.check(&uneven), Err(OriginationFault::WrongSplit { expected: 3, found: 3 }));
    let refused = |origination: Origination<'_>| match origination.build() {
        Err(OriginationError::Split(SplitError { max, found, .. })) => (max, found),
        other => panic!("{other:?}"),
    };
    let max = 5;
    assert_eq!(refused(Origination { change_outputs: 6, ..plain }), (max, 6));
    assert_eq!(refused(Origination { change_outputs: 0, ..plain }), (max, 0));
    assert_eq!(
        refused(Origination { change_outputs: 2, ..loan_fixture.origination() }),
        (1, 2),
        "coins have one change"
    );
}

#[test]
fn a_loan_cannot_end_without_paying_the_lender() {
    let loan_fixture = LoanFixture::new(10_000, 9_000, rate(5));
    let (_, originated) = loan_fixture.originate();
    let loan = loan_fixture.running(&originated);
    let pre_signatures = loan_fixture.pre_sign_both(&loan);
    let (template, _) = loan_fixture.repay(&loan, &originated, Version::TWO, &pre_signatures);
    let pads = PADS.map(|pad| coin_of(&originated, u32::try_from(pad).unwrap(), loan_fixture.borrower.payment()));
    let funding = coin(9, loan_fixture.borrower.payment(), 3_000_000);
    let is_valid_when = |change: &dyn Fn(&mut Transaction)| {
        let mut altered = template.clone();
        change(&mut altered.psbt.unsigned_tx);
        let mut signed = altered.psbt.unsigned_tx.clone();
        for (index, coin) in [(0, &pads[0]), (1, &pads[1]), (3, &funding)] {
            loan_fixture.sign_coin(&altered, &mut signed, index, coin, &loan_fixture.borrower);
        }
        let leaf = loan.escrow.repay_leaf();
        let own = loan_fixture.sign_leaf(&altered, 2, leaf, &loan_fixture.borrower);
        signed.input[2].witness = leaf_witness(&[pre_signatures.only().unwrap().two.to_vec(), own.to_vec()], leaf);
        is_valid(&altered, &signed)
    };
    assert!(is_valid_when(&|_| {}));
    assert!(
        is_valid_when(&|transaction| transaction.output[3].value -= Amount::ONE_SAT),
        "the change is the borrower's"
    );
    assert!(!is_valid_when(&|transaction| transaction.output[2].value -= Amount::ONE_SAT), "a sat less for the lender");
    assert!(!is_valid_when(&|transaction| transaction.output.swap(2, 3)), "the payout elsewhere");
    assert!(
        !is_valid_when(&|transaction| transaction.output[2].script_pubkey = loan_fixture.borrower_payment.clone()),
        "to the borrower"
    );
    assert!(!is_valid_when(&|transaction| transaction.version = TRUC), "signed for another version");
}

#[test]
fn a_pre_signature_commits_to_this_escrow_and_this_payout() {
    let loan_fixture = LoanFixture::new(546, 0, rate(5));
    let (_, originated) = loan_fixture.originate();
    let loan = loan_fixture.running(&originated);
    let (signature, key) = (loan_fixture.pre_sign(&loan, Version::TWO), loan.escrow.terms().lender);
    let mut other = loan.clone();
    other.payout.value -= Amount::ONE_SAT;
    assert_eq!(other.check_payout_signature(Version::TWO, &key, &signature), Err(PreSignatureError::Invalid(key)));
    let mut other = loan.clone();
    other.outpoint.vout = 1;
    assert_eq!(other.check_payout_signature(Version::TWO, &key, &signature), Err(PreSignatureError::Invalid(key)));
    assert_eq!(loan.check_payout_signature(TRUC, &key, &signature), Err(PreSignatureError::Invalid(key)));
    let both = loan_fixture.pre_sign_both(&loan);
    let pair = *both.only().unwrap();
    let swapped = PayoutSignaturePair { two: pair.truc, truc: pair.two };
    for wrong in
        [PayoutSignaturePair { two: pair.truc, ..pair }, PayoutSignaturePair { truc: pair.two, ..pair }, swapped]
    {
        assert_eq!(PayoutSignatures::from(wrong).check(&loan), Err(PreSignatureError::Invalid(key)));
    }
    let kept = [Version::ONE, Version::TWO, TRUC].map(|version| pair.of(version));
    assert_eq!(kept, [None, Some(&pair.two), Some(&pair.truc)]);
    let whole = Signature { sighash_type: TapSighashType::All, ..signature };
    let refusal = PreSignatureError::WrongSighash { key, found: TapSighashType::All };
    assert_eq!(loan.check_payout_signature(Version::TWO, &key, &whole), Err(refusal));
}

#[test]
fn invalid_originations_are_refused_by_name() {
    let loan_fixture = LoanFixture::new(10_000, 0, rate(5));
    let plain = loan_fixture.origination();
    let refusal = |origination: Origination<'_>| origination.build().err();
    assert_eq!(refusal(plain), None);
    let foreign = Coin { key: loan_fixture.lender.ordinals(), ..loan_fixture.collateral.coin.clone() };
    let brings = |coin: AssetCoin| refusal(Origination { collateral: Collateral::Inscription(&coin), ..plain });
    let foreign = AssetCoin { coin: foreign, ..loan_fixture.collateral.clone() };
    assert_eq!(brings(foreign), Some(OriginationError::ForeignCoin { index: 0 }));
    let coins = |coins| Funding::Coins { coins, change: &loan_fixture.lender_payment };
    let twice = [loan_fixture.funding.clone(), vec![loan_fixture.funding[0].clone()]].concat();
    assert_eq!(
        refusal(Origination { funding: coins(&twice), ..plain }),
        Some(OriginationError::DuplicateCoin { index: 4 })
    );
    let value = Amount::from_sat(10_000);
    let refused = |error: CollateralError| Some(OriginationError::Collateral(error));
    let holds =
        |inscriptions: &[Amount]| AssetCoin { inscriptions: inscriptions.to_vec(), ..loan_fixture.collateral.clone() };
    assert_eq!(brings(holds(&[value])), refused(CollateralError::OffsetOutside { offset: value, value }));
    let count = |found| refused(CollateralError::Inscriptions { index: 0, wanted: 1, found });
    assert_eq!(brings(holds(&[])), count(0));
    assert_eq!(brings(holds(&[Amount::ZERO; 2])), count(2));
    let id = RuneId { block: 840_000, tx: 1 };
    let runic = AssetCoin { runes: vec![(id, 1)], ..loan_fixture.collateral.clone() };
    assert_eq!(brings(runic), refused(CollateralError::OtherRune { index: 0, id }));
    let short = refusal(Origination { funding: coins(&loan_fixture.funding[..1]), ..plain });
    let (wanted, found) = (Amount::from_sat(2_013_000), Amount::from_sat(1_500_000));
    assert_eq!(short, Some(OriginationError::InsufficientFunds { wanted, found }));
    let tiny = AssetCoin { coin: coin(1, loan_fixture.borrower.ordinals(), 329), ..loan_fixture.collateral.clone() };
    let dust = OriginationError::Dust { index: 0, value: Amount::from_sat(329), min: Amount::from_sat(330) };
    assert_eq!(brings(tiny), Some(dust));
    let small = refusal(Origination { principal: Amount::from_sat(1_500), ..plain });
    assert!(matches!(small, Some(OriginationError::PrincipalTooSmall { .. })), "{small:?}");
    let too_much = refusal(Origination { principal: Amount::MAX, ..plain });
    assert_eq!(too_much, Some(OriginationError::Overflow));
}

#[test]
fn the_final_check_finds_every_misdirected_sat() {
    let loan_fixture = LoanFixture::new(10_000, 4_000, rate(5));
    let origination = loan_fixture.origination();
    let template = origination.build().unwrap();
    let fault = |change: &dyn Fn(&mut Template)| {
        let mut altered = template.clone();
        change(&mut altered);
        origination.check(&altered).err()
    };
    assert_eq!(fault(&|_| {}), None);
    assert_eq!(fault(&|altered| altered.psbt.unsigned_tx.output.swap(0, 1)), Some(OriginationFault::WrongEscrow));
    assert_eq!(
        fault(&|altered| altered.psbt.unsigned_tx.output[0].value -= Amount::ONE_SAT),
        Some(OriginationFault::WrongEscrow)
    );
    let first = |altered: &mut Template| {
        altered.psbt.inputs.swap(0, 1);
        altered.psbt.unsigned_tx.input.swap(0, 1);
    };
    assert!(matches!(
        fault(&first),
        Some(OriginationFault::LenderPays { .. } | OriginationFault::InscriptionMisplaced { .. })
    ));
    let unpaid = |altered: &mut Template| altered.psbt.unsigned_tx.output[4].value -= Amount::ONE_SAT;
    assert_eq!(fault(&unpaid), Some(OriginationFault::PlatformFeeUnpaid));
    let lender_short = |altered: &mut Template| altered.psbt.unsigned_tx.output[5].value -= Amount::from_sat(1_000);
    assert!(matches!(fault(&lender_short), Some(OriginationFault::LenderPays { .. })));
    let thrifty = |altered: &mut Template| altered.psbt.unsigned_tx.output[PRINCIPAL].value += Amount::ONE_SAT;
    assert!(matches!(fault(&thrifty), Some(OriginationFault::WrongFee { .. })));
    let burned = |altered: &mut Template| {
        let output = TxOut { value: Amount::from_sat(1_000), script_pubkey: loan_fixture.ordinals_script.clone() };
        altered.psbt.unsigned_tx.output.push(output);
        altered.psbt.unsigned_tx.output[PRINCIPAL].value -= Amount::from_sat(1_000);
    };
    assert!(matches!(fault(&burned), Some(OriginationFault::BorrowerUnderpaid { .. })));
    let no_pad = |altered: &mut Template| {
        altered.psbt.unsigned_tx.output[3].script_pubkey = loan_fixture.ordinals_script.clone();
    };
    assert_eq!(fault(&no_pad), Some(OriginationFault::PadMissing { index: 3 }));
    let from_nowhere = |altered: &mut Template| {
        altered.psbt.inputs.clear();
        altered.psbt.unsigned_tx.input.clear();
    };
    assert!(matches!(fault(&from_nowhere), Some(OriginationFault::InscriptionMisplaced { found: None })));
    let of_all_money = |altered: &mut Template| altered.psbt.unsigned_tx.output[PRINCIPAL].value = Amount::MAX;
    assert!(matches!(fault(&of_all_money), Some(OriginationFault::WrongFee { found: None, .. })));
}

proptest! {
    #[test]
    fn every_inscription_returns_on_its_sat(
        (postage, offset) in (330_u64..=20_000).prop_flat_map(|postage| (Just(postage), 0..postage)),
        rate_kwu in 25_u64..=250_000,
    ) {
        // 0.1 to 1,000 sats per virtual byte.
        let loan_fixture = LoanFixture::new(postage, offset, FeeRate::from_sat_per_kwu(rate_kwu));
        let (template, originated) = loan_fixture.originate();
        prop_assert!(is_valid(&template, &originated));
        let loan = loan_fixture.running(&originated);
        let pre_signatures = loan_fixture.pre_sign_both(&loan);
        let (template, ended) = loan_fixture.repay(&loan, &originated, TRUC, &pre_signatures);
        prop_assert!(is_valid(&template, &ended));
        let from = SatPlace { index: 2, offset: loan_fixture.offset };
        let to = arrival(&template.input_amounts(), &template.output_amounts(), from).unwrap();
        prop_assert_eq!(&ended.output[to.index].script_pubkey, &loan_fixture.ordinals_script);
        prop_assert_eq!(to.offset, loan_fixture.offset);
        prop_assert_eq!(ended.output[to.index].value, Amount::from_sat(postage));
    }
}
