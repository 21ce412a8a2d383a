//! Tests of the look-up of outputs, which finds wrong ones before any wallet is asked to sign.

use std::collections::BTreeMap;

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, ScriptBuf};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::signing::spent_output::{CarriedAssets, InputPolicy, SpentOutput, SpentOutputError};
use escrow::contract::transaction::template::Template;
use ordinals::RuneId;

use super::debts::{Debts, inscription, rune, runes};
use super::loan_fixture::{LoanFixture, rate};

/// The expected state on the chain of everything that a transaction spends.
fn looked_up(template: &Template, carrying: &[(OutPoint, CarriedAssets)]) -> BTreeMap<OutPoint, SpentOutput> {
    let inputs = template.psbt.unsigned_tx.input.iter().zip(&template.psbt.inputs);
    let found = inputs.map(|(input, spent)| {
        let outpoint = input.previous_output;
        let carried = carrying.iter().find(|(place, _)| *place == outpoint).map(|(_, carried)| carried.clone());
        let output = spent.witness_utxo.clone().unwrap();
        let assets = Some(carried.unwrap_or_default());
        (outpoint, SpentOutput { output, confirmations: 1, is_coinbase: false, assets })
    });
    found.collect()
}

#[test]
fn a_loan_begins_only_with_looked_up_outputs() {
    let loan_fixture = LoanFixture::new(10_000, 4_000, rate(12));
    let template = loan_fixture.origination().build().unwrap();
    let carrying = [loan_fixture.collateral.carried_assets()];
    let spending = InputPolicy { collateral: &carrying, unconfirmed: &[] };
    let good = looked_up(&template, &carrying);
    let checked = spending.check(&template, &good).unwrap();
    assert_eq!(checked.template(), &template);
    assert_eq!(checked.to_base64(), template.psbt.to_string(), "the checked transaction is handed out");
    let refusal = |outpoint: OutPoint, change: &dyn Fn(&mut SpentOutput)| {
        let mut found = good.clone();
        change(found.get_mut(&outpoint).unwrap());
        spending.check(&template, &found).err()
    };
    let id = RuneId { block: 840_000, tx: 3 };
    let collateral = loan_fixture.collateral.coin.outpoint;
    for outpoint in template.psbt.unsigned_tx.input.iter().map(|input| input.previous_output) {
        let mut missing = good.clone();
        missing.remove(&outpoint);
        assert_eq!(spending.check(&template, &missing), Err(SpentOutputError::MissingOrSpent(outpoint)));
        let other = Some(SpentOutputError::OutputMismatch(outpoint));
        assert_eq!(refusal(outpoint, &|found| found.output.value += Amount::ONE_SAT), other, "a wrong amount");
        assert_eq!(refusal(outpoint, &|found| found.output.script_pubkey = ScriptBuf::new()), other);
        let unconfirmed = Some(SpentOutputError::Unconfirmed(outpoint));
        assert_eq!(refusal(outpoint, &|found| found.confirmations = 0), unconfirmed);
        let mined = |confirmations: u32| {
            refusal(outpoint, &move |found| (found.is_coinbase, found.confirmations) = (true, confirmations))
        };
        assert_eq!(mined(99), Some(SpentOutputError::Immature { outpoint, confirmations: 99 }));
        assert_eq!(mined(100), None);
        let unknown = Some(SpentOutputError::UnknownContents(outpoint));
        assert_eq!(refusal(outpoint, &|found| found.assets = None), unknown);
        let assets = if outpoint == collateral {
            SpentOutputError::AssetMismatch(outpoint)
        } else {
            SpentOutputError::CarriesAssets(outpoint)
        };
        let carrying =
            |change: &dyn Fn(&mut CarriedAssets)| refusal(outpoint, &|found| change(found.assets.as_mut().unwrap()));
        assert_eq!(carrying(&|carried| carried.inscriptions.push(Amount::ZERO)), Some(assets));
        assert_eq!(carrying(&|carried| carried.runes.push((id, 1))), Some(assets));
        assert_eq!(carrying(&|carried| carried.runes.push((id, 0))), None, "a zero amount of a rune is ignored");
    }
    let moved = |found: &mut SpentOutput| found.assets.as_mut().unwrap().inscriptions[0] += Amount::ONE_SAT;
    assert_eq!(refusal(collateral, &moved), Some(SpentOutputError::AssetMismatch(collateral)));
    let missing = |found: &mut SpentOutput| found.assets = Some(CarriedAssets::default());
    assert_eq!(refusal(collateral, &missing), Some(SpentOutputError::AssetMismatch(collateral)));
}

#[test]
fn runes_are_counted_however_the_indexer_lists_them() {
    let loan_fixture = LoanFixture::new(10_000, 0, rate(12));
    let template = loan_fixture.origination().build().unwrap();
    let (one, two) = (rune(1), rune(2));
    let outpoint = loan_fixture.collateral.coin.outpoint;
    let with_runes = |runes: &[(RuneId, u128)]| {
        let coin = loan_fixture.collateral.coin.clone();
        AssetCoin { coin, inscriptions: Vec::new(), runes: runes.to_vec() }.carried_assets()
    };
    let check = |wanted: &[(RuneId, u128)], found: &[(RuneId, u128)]| {
        let carrying = [with_runes(wanted)];
        InputPolicy { collateral: &carrying, unconfirmed: &[] }
            .check(&template, &looked_up(&template, &[with_runes(found)]))
            .map(drop)
    };
    let other = Err(SpentOutputError::AssetMismatch(outpoint));
    assert_eq!(check(&[(one, 5), (two, 7)], &[(two, 7), (one, 2), (one, 3)]), Ok(()));
    assert_eq!(check(&[(one, 5)], &[(one, 6)]), other);
    assert_eq!(check(&[(one, 6)], &[(one, 5)]), other);
    assert_eq!(check(&[(one, 5)], &[(two, 5)]), other);
    let all = (one, u128::MAX);
    assert_eq!(check(&[all], &[all]), Ok(()));
    assert_eq!(check(&[all, (one, 1)], &[all, (one, 1)]), other, "the amount overflows");
}

#[test]
fn only_plain_outputs_of_the_loan_may_be_unconfirmed() {
    let debts = Debts::new(&[(546, inscription(0), 80_000), (546, runes(1, 900), 70_000)], 500_000);
    let loans: Vec<RepayableLoan<'_>> = debts.ending();
    let template = Repayment { ..debts.repayment(&loans, Version::TWO, rate(3)) }.build().unwrap();
    let carrying: Vec<_> = loans.iter().map(|ending| ending.loan.carried_assets()).collect();
    let pads: Vec<_> = debts.pads.iter().map(|pad| pad.outpoint).collect();
    let mut found = looked_up(&template, &carrying);
    for pad in &pads {
        // An indexer does not know unconfirmed outputs.
        let pad = found.get_mut(pad).unwrap();
        (pad.confirmations, pad.assets) = (0, None);
    }
    let spending = InputPolicy { collateral: &carrying, unconfirmed: &pads };
    assert_eq!(spending.check(&template, &found).map(drop), Ok(()));
    let patient = InputPolicy { unconfirmed: &[], ..spending };
    assert_eq!(patient.check(&template, &found), Err(SpentOutputError::Unconfirmed(pads[0])));
    let escrow = loans[1].loan.outpoint;
    found.get_mut(&escrow).unwrap().confirmations = 0;
    assert_eq!(spending.check(&template, &found), Err(SpentOutputError::Unconfirmed(escrow)));
}
