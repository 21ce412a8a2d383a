//! Tests of the transactions that a kit builds, and of their recognition.

use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Network, OutPoint, ScriptBuf, Transaction, Txid};
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::rebuild::RebuildError;
use escrow::kit::vault_kit::VaultKit;
use proptest::prelude::*;

use super::kits::{pads, record};
use super::loan_fixture::{LoanFixture, coin, is_valid, leaf_witness, rate};

fn borrower_kit(loan_fixture: &LoanFixture) -> BorrowerKit {
    let record = record(loan_fixture);
    let pads = pads(&record);
    BorrowerKit::new(record, loan_fixture.borrower.payment(), &pads).unwrap()
}

/// Lets the borrower sign the transaction of the kit.
fn signed_repayment(loan_fixture: &LoanFixture, kit: &BorrowerKit, template: &Template, coins: &[Coin]) -> Transaction {
    let mut signed = template.psbt.unsigned_tx.clone();
    let leaf = kit.record().loan.escrow.repay_leaf();
    for index in 0..signed.input.len() {
        let outpoint = signed.input[index].previous_output;
        if let Some(coin) = coins.iter().find(|coin| coin.outpoint == outpoint) {
            loan_fixture.sign_coin(template, &mut signed, index, coin, &loan_fixture.borrower);
        } else {
            let signatures = kit.pre_signatures(template).unwrap();
            let places = 0..signatures.count();
            let mut items: Vec<_> = places.map(|place| signatures.get(index, place).unwrap().to_vec()).collect();
            items.push(loan_fixture.sign_leaf(template, index, leaf, &loan_fixture.borrower).to_vec());
            signed.input[index].witness = leaf_witness(&items, leaf);
        }
    }
    signed
}

proptest! {
    #[test]
    fn a_repayment_from_the_kit_is_valid_and_recognized(
        rate_kwu in 25_u64..=250_000,
        // From no change at all to a large one.
        spare in prop_oneof![0_u64..2_000, 0_u64..3_000_000],
        is_truc in any::<bool>(),
        keys in 1_u8..=7,
    ) {
        let loan_fixture = LoanFixture::with_repay_keys(10_000, 3_000, rate(2), keys);
        let kit = borrower_kit(&loan_fixture);
        let (version, fee_rate) = (if is_truc { TRUC } else { Version::TWO }, FeeRate::from_sat_per_kwu(rate_kwu));
        // 650 virtual bytes and a margin suffice for this repayment.
        let sats = 2_065_000 + rate_kwu * 2_700 / 1_000 + spare;
        let funding = [coin(9, loan_fixture.borrower.payment(), sats), coin(8, loan_fixture.borrower.payment(), 20_000)];
        let template = kit.repayment(kit.pads(), &funding, version, fee_rate).unwrap();
        let coins = [kit.pads(), &funding].concat();
        prop_assert!(is_valid(&template, &signed_repayment(&loan_fixture, &kit, &template, &coins)));
        let again = kit.rebuild_repayment(&template.psbt.unsigned_tx, &coins);
        prop_assert_eq!(again.as_ref(), Ok(&template));
    }

    #[test]
    fn a_claim_from_the_kit_is_recognized(rate_kwu in 25_u64..=250_000, sats in 100_000_u64..1_000_000) {
        let loan_fixture = LoanFixture::new(10_000, 3_000, rate(2));
        let kit = LenderKit::new(record(&loan_fixture), loan_fixture.lender.payment()).unwrap();
        let fee_coin = coin(8, loan_fixture.lender.payment(), sats);
        let fee_rate = FeeRate::from_sat_per_kwu(rate_kwu);
        for fee_coin in [None, Some(&fee_coin)] {
            // The collateral's own sats do not cover every fee rate.
            if let Ok(template) = kit.claim(fee_coin, fee_rate) {
                let again = kit.rebuild_claim(&template.psbt.unsigned_tx, fee_coin);
                prop_assert_eq!(again.as_ref(), Ok(&template));
            }
        }
    }
}

#[test]
fn any_other_repayment_is_refused_by_name() {
    let loan_fixture = LoanFixture::new(10_000, 0, rate(2));
    let kit = borrower_kit(&loan_fixture);
    let funding = [coin(9, loan_fixture.borrower.payment(), 3_000_000)];
    let coins = [kit.pads(), &funding].concat();
    let template = kit.repayment(kit.pads(), &funding, TRUC, rate(5)).unwrap();
    let refusal = |change: &dyn Fn(&mut Transaction)| {
        let mut altered = template.psbt.unsigned_tx.clone();
        change(&mut altered);
        kit.rebuild_repayment(&altered, &coins).unwrap_err()
    };
    let escrow = kit.record().loan.outpoint;
    let other = OutPoint::new(Txid::from_byte_array([7; 32]), 0);
    assert_eq!(refusal(&|tx| tx.input[2].previous_output = other), RebuildError::KitOutputNotSpent(escrow));
    let unknown = RebuildError::UnknownInput { index: 3, outpoint: other };
    assert_eq!(refusal(&|tx| tx.input[3].previous_output = other), unknown);
    let thief = ScriptBuf::new_p2wpkh(&bitcoin::WPubkeyHash::from_byte_array([6; 20]));
    let altered: [&dyn Fn(&mut Transaction); 5] = [
        &|tx| tx.output[3].script_pubkey = thief.clone(),
        &|tx| tx.output[1].script_pubkey = loan_fixture.borrower_payment.clone(),
        &|tx| tx.output[3].value = Amount::MAX_MONEY,
        &|tx| tx.lock_time = bitcoin::absolute::LockTime::from_consensus(1),
        &|tx| tx.input[0].sequence = bitcoin::Sequence::MAX,
    ];
    for change in altered {
        assert_eq!(refusal(change), RebuildError::Altered);
    }
    let theirs = [coin(9, loan_fixture.lender.payment(), 3_000_000)];
    let foreign = kit.repayment(kit.pads(), &theirs, TRUC, rate(5)).unwrap_err();
    assert_eq!(foreign, AssemblyError::ForeignCoin(theirs[0].outpoint).into(), "the change would be the borrower's");
    assert!(matches!(refusal(&|tx| tx.output.clear()), RebuildError::Repayment(_)));
    assert!(matches!(refusal(&|tx| tx.input.swap(0, 2)), RebuildError::Repayment(_)));
    assert!(matches!(refusal(&|tx| tx.version = Version::ONE), RebuildError::Repayment(_)));
}

#[test]
fn any_other_claim_is_refused_by_name() {
    let loan_fixture = LoanFixture::new(546, 0, rate(2));
    let kit = LenderKit::new(record(&loan_fixture), loan_fixture.lender.payment()).unwrap();
    let fee_coin = coin(8, loan_fixture.lender.payment(), 20_000);
    let claim = kit.claim(Some(&fee_coin), rate(5)).unwrap().psbt.unsigned_tx;
    let mut to_a_thief = claim.clone();
    to_a_thief.output[0].script_pubkey = loan_fixture.borrower_payment.clone();
    assert_eq!(kit.rebuild_claim(&to_a_thief, Some(&fee_coin)), Err(RebuildError::Altered));
    let mut of_another = claim.clone();
    of_another.input.swap(0, 1);
    of_another.input.truncate(1);
    let escrow = kit.record().loan.outpoint;
    assert_eq!(kit.rebuild_claim(&of_another, None), Err(RebuildError::KitOutputNotSpent(escrow)));
    let foreign = coin(8, loan_fixture.borrower.payment(), 20_000);
    assert!(matches!(kit.rebuild_claim(&claim, Some(&foreign)), Err(RebuildError::Claim(_))));
}

#[test]
fn an_exit_from_the_kit_is_recognized_and_any_other_is_refused() {
    let loan_fixture = LoanFixture::new(546, 0, rate(2));
    let key = |keys: &bitcoin::secp256k1::Keypair| keys.x_only_public_key().0;
    let terms = VaultTerms {
        lender_id: 4,
        signers: key(&loan_fixture.borrower.keys).into(),
        lender: key(&loan_fixture.lender.keys),
    };
    let kit = VaultKit::new(Network::Regtest, Vault::new(terms).unwrap());
    let output = |number: u8| (OutPoint::new(Txid::from_byte_array([number; 32]), 0), Amount::from_sat(50_000));
    let outputs = [output(1), output(2)];
    for rate_kwu in [25, 777, 250_000 / 4] {
        let fee_rate = FeeRate::from_sat_per_kwu(rate_kwu);
        let template = kit.exit(&outputs, &kit.ordinals_script(), fee_rate).unwrap();
        let unsigned = &template.psbt.unsigned_tx;
        assert_eq!(kit.rebuild_exit(unsigned, &[output(2), output(1)], &kit.ordinals_script()).as_ref(), Ok(&template));
        let elsewhere = kit.rebuild_exit(unsigned, &outputs, &loan_fixture.lender_payment);
        assert_eq!(elsewhere, Err(RebuildError::Altered), "not the script that the lender chose");
        let unknown = RebuildError::UnknownInput { index: 1, outpoint: outputs[1].0 };
        assert_eq!(kit.rebuild_exit(unsigned, &outputs[..1], &kit.ordinals_script()), Err(unknown));
    }
    let template = kit.exit(&outputs, &kit.ordinals_script(), rate(2)).unwrap();
    let mut burned = template.psbt.unsigned_tx.clone();
    burned.output[0].value = Amount::ZERO;
    assert!(matches!(kit.rebuild_exit(&burned, &outputs, &kit.ordinals_script()), Err(RebuildError::Exit(_))));
}
