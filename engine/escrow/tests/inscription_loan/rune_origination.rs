//! Tests of the origination against runes.

use bitcoin::{Amount, ScriptBuf, TxOut};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::asset_coin::POSTAGE;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::assets::rune_flow::RuneFlow;
use escrow::contract::loan::collateral::{Collateral, CollateralError};
use escrow::contract::loan::origination::fault::OriginationFault;
use escrow::contract::loan::origination::{Origination, OriginationError};
use escrow::contract::loan::origination_outputs::{ESCROW, PADS, PRINCIPAL, REST};
use escrow::contract::transaction::template::Template;
use ordinals::{Edict, RuneId, Runestone};

use super::loan_fixture::{LoanFixture, PRINCIPAL_SATS, assert_weight, coin, is_valid, rate};

const RUNE: RuneId = RuneId { block: 840_000, tx: 3 };
const OTHER: RuneId = RuneId { block: 840_000, tx: 4 };

/// Coins of the borrower, with these sats and units of the rune.
fn rune_coins<const N: usize>(loan_fixture: &LoanFixture, held: [(u64, u128); N]) -> [AssetCoin; N] {
    let mut number = 100;
    held.map(|(sats, units)| {
        number += 1;
        let coin = coin(number, loan_fixture.borrower.ordinals(), sats);
        AssetCoin { coin, inscriptions: Vec::new(), runes: vec![(RUNE, units)] }
    })
}

fn pledging<'a>(loan_fixture: &'a LoanFixture, coins: &'a [AssetCoin], amount: u128) -> Origination<'a> {
    Origination {
        collateral: Collateral::Runes { coins, id: RUNE, amount, rest: &loan_fixture.ordinals_script },
        ..loan_fixture.origination()
    }
}

fn flow(coins: &[AssetCoin], template: &Template) -> RuneFlow {
    let carried = coins.iter().flat_map(|coin| coin.runes.iter().copied());
    RuneFlow::of(carried, &template.psbt.unsigned_tx).unwrap()
}

#[test]
fn a_part_of_the_runes_is_pledged_and_the_rest_stays_with_the_borrower() {
    let loan_fixture = LoanFixture::new(546, 0, rate(9));
    let coins = rune_coins(&loan_fixture, [(10_000, 700), (546, 1), (330, 299)]);
    let origination = pledging(&loan_fixture, &coins, 750);
    let template = origination.build().unwrap();
    let signed = loan_fixture.sign_origination(&origination, &template);
    assert!(is_valid(&template, &signed));
    assert_weight(&template, &signed);
    assert!(flow(&coins, &template).is_exactly([(ESCROW, RUNE, 750), (REST, RUNE, 250)]));
    let outputs = &signed.output;
    assert_eq!(outputs[ESCROW], TxOut { value: POSTAGE, script_pubkey: loan_fixture.escrow.output().script_pubkey() });
    assert_eq!(outputs[REST], TxOut { value: POSTAGE, script_pubkey: loan_fixture.ordinals_script.clone() });
    let fee = template.fee().unwrap();
    let own_sats = PRINCIPAL_SATS + 10_000 + 546 + 330;
    let net = Amount::from_sat(own_sats - 2 * 546 - 2 * 600) - fee;
    assert_eq!(outputs[PRINCIPAL].value, net, "the other sats of the coins are the borrower's");
    let loan = origination.running_loan(&template, outputs[1].clone()).unwrap();
    assert_eq!((loan.value, loan.pledge), (POSTAGE, Pledge::Runes { id: RUNE, amount: 750 }));
    assert_eq!(loan.outpoint.txid, signed.compute_txid());
}

#[test]
fn all_of_the_runes_are_pledged_without_an_output_for_a_rest() {
    let loan_fixture = LoanFixture::new(546, 0, rate(2));
    let coins = rune_coins(&loan_fixture, [(546, u128::MAX)]);
    let origination = pledging(&loan_fixture, &coins, u128::MAX);
    let template = origination.build().unwrap();
    let signed = loan_fixture.sign_origination(&origination, &template);
    assert!(is_valid(&template, &signed));
    assert_weight(&template, &signed);
    assert!(flow(&coins, &template).is_exactly([(ESCROW, RUNE, u128::MAX)]));
    assert!(signed.output.iter().all(|output| output.script_pubkey != loan_fixture.ordinals_script));
}

#[test]
fn a_single_address_for_everything_works() {
    let loan_fixture = LoanFixture::new(546, 0, rate(2));
    let coins = rune_coins(&loan_fixture, [(900, 10)]);
    let collateral = Collateral::Runes { coins: &coins, id: RUNE, amount: 4, rest: &loan_fixture.borrower_payment };
    let template = Origination { collateral, ..loan_fixture.origination() }.build().unwrap();
    assert!(flow(&coins, &template).is_exactly([(ESCROW, RUNE, 4), (REST, RUNE, 6)]));
}

#[test]
fn runes_that_cannot_be_pledged_are_refused_by_name() {
    let loan_fixture = LoanFixture::new(546, 0, rate(5));
    let coins = rune_coins(&loan_fixture, [(546, 100), (546, 50)]);
    let refusal = |coins: &[AssetCoin], amount| pledging(&loan_fixture, coins, amount).build().err();
    let refused = |error| Some(OriginationError::Collateral(error));
    assert_eq!(refusal(&coins, 150), None);
    assert_eq!(refusal(&coins, 151), refused(CollateralError::InsufficientRunes { wanted: 151, found: 150 }));
    assert_eq!(refusal(&coins, 0), refused(CollateralError::ZeroAmount));
    assert_eq!(refusal(&[], 1), refused(CollateralError::NoCoin));
    let altered = |change: &dyn Fn(&mut AssetCoin)| {
        let mut coins = coins.clone();
        change(&mut coins[1]);
        refusal(&coins, 120)
    };
    let inscribed = altered(&|coin| coin.inscriptions.push(Amount::ZERO));
    assert_eq!(inscribed, refused(CollateralError::Inscriptions { index: 1, wanted: 0, found: 1 }));
    let mixed = altered(&|coin| coin.runes.push((OTHER, 1)));
    assert_eq!(mixed, refused(CollateralError::OtherRune { index: 1, id: OTHER }));
    assert_eq!(altered(&|coin| coin.runes.clear()), refused(CollateralError::MissingRune { index: 1, id: RUNE }));
    assert_eq!(altered(&|coin| coin.runes[0].1 = 0), refused(CollateralError::MissingRune { index: 1, id: RUNE }));
    assert_eq!(altered(&|coin| coin.runes[0].1 = u128::MAX), refused(CollateralError::RuneOverflow));
    let foreign = altered(&|coin| coin.coin.key = loan_fixture.lender.ordinals());
    assert_eq!(foreign, Some(OriginationError::ForeignCoin { index: 1 }));
    let repeated = altered(&|coin| coin.coin = coins[0].coin.clone());
    assert_eq!(repeated, Some(OriginationError::DuplicateCoin { index: 1 }));
    let nowhere = RuneId { block: 0, tx: 0 };
    let collateral = Collateral::Runes { coins: &coins, id: nowhere, amount: 1, rest: &loan_fixture.ordinals_script };
    let etched_here = Origination { collateral, ..loan_fixture.origination() }.build().err();
    assert_eq!(etched_here, refused(CollateralError::InvalidRuneId(nowhere)));
}

#[test]
fn more_coins_than_a_transaction_holds_are_refused() {
    let loan_fixture = LoanFixture::new(546, 0, rate(1));
    let [one] = rune_coins(&loan_fixture, [(546, 1)]);
    let spread = |count| -> Vec<AssetCoin> {
        let at = |vout| {
            let mut coin = one.clone();
            coin.coin.outpoint.vout = vout;
            coin
        };
        (0..count).map(at).collect()
    };
    // 230 weight units each.
    assert!(pledging(&loan_fixture, &spread(1_700), 1_700).build().is_ok());
    let refusal = pledging(&loan_fixture, &spread(1_750), 1_750).build();
    assert!(matches!(refusal, Err(OriginationError::TooHeavy { most, found }) if found > most));
}

/// A template with this runestone instead of its own.
fn saying(template: &Template, runestone: &Runestone) -> Template {
    let mut altered = template.clone();
    altered.psbt.unsigned_tx.output.last_mut().unwrap().script_pubkey = runestone.encipher();
    altered
}

#[test]
fn the_final_check_finds_every_misdirected_rune() {
    let loan_fixture = LoanFixture::new(546, 0, rate(5));
    let coins = rune_coins(&loan_fixture, [(10_000, 100), (546, 50)]);
    let origination = pledging(&loan_fixture, &coins, 120);
    let template = origination.build().unwrap();
    assert_eq!(origination.check(&template), Ok(()));
    let edict = |id, amount, output| Edict { id, amount, output };
    let right = || Runestone { edicts: vec![edict(RUNE, 120, 0)], pointer: Some(4), ..Runestone::default() };
    assert_eq!(origination.check(&saying(&template, &right())), Ok(()));
    let outputs = u32::try_from(template.psbt.unsigned_tx.output.len()).unwrap();
    let wrong = [
        Runestone { pointer: None, ..right() },
        Runestone { pointer: Some(1), ..right() },
        Runestone { pointer: Some(outputs), ..right() },
        Runestone { mint: Some(OTHER), ..right() },
        Runestone { edicts: vec![], ..right() },
        Runestone { edicts: vec![edict(RUNE, 119, 0)], ..right() },
        Runestone { edicts: vec![edict(RUNE, 0, 0)], ..right() },
        Runestone { edicts: vec![edict(RUNE, 120, 1)], ..right() },
        Runestone { edicts: vec![edict(RUNE, 120, outputs)], ..right() },
        Runestone { edicts: vec![edict(RUNE, 120, outputs + 1)], ..right() },
        Runestone { edicts: vec![edict(OTHER, 120, 0)], ..right() },
        Runestone { edicts: vec![edict(RUNE, 120, 0), edict(RUNE, 1, 1)], ..right() },
    ];
    for runestone in wrong {
        let found = origination.check(&saying(&template, &runestone));
        assert_eq!(found, Err(OriginationFault::WrongRunestone), "{runestone:?}");
    }
    let fault = |change: &dyn Fn(&mut Vec<TxOut>)| {
        let mut altered = template.clone();
        change(&mut altered.psbt.unsigned_tx.output);
        origination.check(&altered).err()
    };
    assert_eq!(fault(&|outputs| outputs.truncate(6)), Some(OriginationFault::WrongRunestone));
    let misread = &|outputs: &mut Vec<TxOut>| {
        let mut bytes = outputs.last().unwrap().script_pubkey.to_bytes();
        bytes.push(0x51);
        outputs.last_mut().unwrap().script_pubkey = ScriptBuf::from_bytes(bytes);
    };
    assert_eq!(fault(misread), Some(OriginationFault::WrongRunestone), "a cenotaph would burn all");
    assert_eq!(fault(&|outputs| outputs[REST].value -= Amount::ONE_SAT), Some(OriginationFault::WrongRest));
    let elsewhere = &|outputs: &mut Vec<TxOut>| outputs[REST].script_pubkey = loan_fixture.lender_payment.clone();
    assert_eq!(fault(elsewhere), Some(OriginationFault::WrongRest));
    assert_eq!(fault(&|outputs| outputs[ESCROW].value += Amount::ONE_SAT), Some(OriginationFault::WrongEscrow));
    assert_eq!(
        fault(&|outputs| outputs[PADS[0]].value += Amount::ONE_SAT),
        Some(OriginationFault::PadMissing { index: 2 })
    );
    let kept = &|outputs: &mut Vec<TxOut>| {
        outputs[PRINCIPAL].value -= Amount::from_sat(9_000);
        outputs.push(TxOut { value: Amount::from_sat(9_000), script_pubkey: ScriptBuf::new() });
    };
    assert!(matches!(fault(kept), Some(OriginationFault::BorrowerUnderpaid { .. })), "surplus sats are the borrower's");
}

#[test]
fn the_final_check_uses_the_actual_contents_of_the_coins() {
    let loan_fixture = LoanFixture::new(546, 0, rate(5));
    let coins = rune_coins(&loan_fixture, [(10_000, 100), (546, 50)]);
    let template = pledging(&loan_fixture, &coins, 120).build().unwrap();
    let mut more = coins.clone();
    // As many units and more than were built for, but some of another rune.
    more[1].runes = vec![(RUNE, 30), (OTHER, 20)];
    let found = pledging(&loan_fixture, &more, 120).check(&template);
    assert_eq!(found, Err(OriginationFault::RunesMisplaced { escrow: 120, rest: 10 }));
    more[1].runes = vec![(RUNE, 0), (OTHER, 50)];
    let found = pledging(&loan_fixture, &more, 120).check(&template);
    assert_eq!(found, Err(OriginationFault::RunesMisplaced { escrow: 100, rest: 0 }));
    // A script that burns everything sent to it is refused, and would be found.
    let burning = |script: ScriptBuf| {
        let collateral = Collateral::Runes { coins: &coins, id: RUNE, amount: 120, rest: &script };
        let origination = Origination { collateral, ..loan_fixture.origination() };
        assert_eq!(origination.build(), Err(OriginationError::NoAddress { index: REST }));
        let mut altered = template.clone();
        altered.psbt.unsigned_tx.output[REST].script_pubkey = script.clone();
        origination.check(&altered)
    };
    assert_eq!(burning(Runestone::default().encipher()), Err(OriginationFault::WrongRunestone));
    let misplaced = OriginationFault::RunesMisplaced { escrow: 120, rest: 0 };
    assert_eq!(burning(ScriptBuf::new_op_return([])), Err(misplaced));
}
