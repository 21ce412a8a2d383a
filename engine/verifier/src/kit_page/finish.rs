//! The check and the completion of a transaction that a wallet has signed.

use bitcoin::consensus::encode::serialize_hex;
use bitcoin::psbt::Input;
use bitcoin::{Amount, OutPoint, Psbt};
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use serde::Serialize;

use super::build::{self, destination};
use super::drawing::Drawing;
use super::kit_fault::KitFault;
use super::task::{NamedCoin, Signed};
use crate::text_value::TextValue;

/// A transaction for the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finished {
    /// The transaction in hexadecimal.
    pub hex: String,
    /// Its id.
    pub txid: String,
    /// Its inputs and outputs.
    pub drawing: Drawing,
}

/// Checks that the transaction is the one that the kit builds from its coins, verifies all signatures and completes it.
///
/// The amounts of the coins are those that the PSBT names: the signatures commit to them, so the network refuses the
/// transaction if one is false.
///
/// # Errors
/// The first fault found.
pub fn finished(kit: &Kit, signed: &Signed) -> Result<Finished, KitFault> {
    let psbt = parse_psbt(&signed.psbt)?;
    let (template, signatures) = match kit {
        Kit::Borrower(kit) => {
            let template = kit.rebuild_repayment(&psbt.unsigned_tx, &coins_of_borrower(kit, &psbt)?)?;
            let own = [*kit.payment(), CoinKey::P2tr(kit.record().loan.escrow.terms().borrower)];
            let returned = template.check_returned(&signed.psbt, &own)?;
            let signatures = returned.merge(kit.pre_signatures(&template)?)?;
            (template, signatures)
        }
        Kit::Lender(kit) => {
            let template = kit.rebuild_claim(&psbt.unsigned_tx, fee_coin(kit, &psbt)?.as_ref())?;
            let own = [*kit.payment(), CoinKey::P2tr(kit.record().loan.escrow.terms().lender)];
            let signatures = template.check_returned(&signed.psbt, &own)?;
            (template, signatures)
        }
        Kit::Vault(kit) => {
            let to = destination(kit, signed.destination.as_deref())?;
            let template = kit.rebuild_exit(&psbt.unsigned_tx, &outputs_of_vault(&psbt)?, &to)?;
            let signatures = template.check_returned(&signed.psbt, &[CoinKey::P2tr(kit.vault().terms().lender)])?;
            (template, signatures)
        }
    };
    let transaction = template.finish(&signatures, template.final_txid())?;
    Ok(Finished {
        hex: serialize_hex(&transaction),
        txid: transaction.compute_txid().to_string(),
        drawing: Drawing::of(kit, &template),
    })
}

fn coins_of_borrower(kit: &BorrowerKit, psbt: &Psbt) -> Result<Vec<Coin>, KitFault> {
    let known = |outpoint: OutPoint| kit.pads().iter().find(|pad| pad.outpoint == outpoint).cloned();
    let mut coins = Vec::with_capacity(psbt.inputs.len());
    for (index, outpoint, input) in inputs(psbt) {
        if outpoint != kit.record().loan.outpoint {
            let coin = known(outpoint).map_or_else(|| payment_coin(index, outpoint, input, kit.payment()), Ok);
            coins.push(coin?);
        }
    }
    Ok(coins)
}

fn fee_coin(kit: &LenderKit, psbt: &Psbt) -> Result<Option<Coin>, KitFault> {
    let mut others = inputs(psbt).filter(|(_, outpoint, _)| *outpoint != kit.record().loan.outpoint);
    let coin = others.next().map(|(index, outpoint, input)| payment_coin(index, outpoint, input, kit.payment()));
    coin.transpose()
}

fn outputs_of_vault(psbt: &Psbt) -> Result<Vec<(OutPoint, Amount)>, KitFault> {
    inputs(psbt).map(|(index, outpoint, input)| Ok((outpoint, amount(index, outpoint, input)?))).collect()
}

/// The inputs of a PSBT with their indexes.
fn inputs(psbt: &Psbt) -> impl Iterator<Item = (usize, OutPoint, &Input)> {
    let spent = psbt.unsigned_tx.input.iter().map(|input| input.previous_output);
    spent.zip(&psbt.inputs).enumerate().map(|(index, (outpoint, input))| (index, outpoint, input))
}

fn payment_coin(index: usize, outpoint: OutPoint, input: &Input, key: &CoinKey) -> Result<Coin, KitFault> {
    let sats = amount(index, outpoint, input)?.to_sat();
    Ok(build::coin(NamedCoin { outpoint: TextValue(outpoint), sats }, key))
}

/// The amount of an input as the PSBT names it.
fn amount(index: usize, outpoint: OutPoint, input: &Input) -> Result<Amount, KitFault> {
    let place = usize::try_from(outpoint.vout).ok();
    let previous = input.non_witness_utxo.as_ref().and_then(|previous| previous.output.get(place?));
    let output = input.witness_utxo.as_ref().or(previous);
    output.map(|output| output.value).ok_or(KitFault::MissingAmount { index })
}
