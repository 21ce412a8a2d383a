//! Gifts of the faucet: transactions that wait in the mempool like any other.

use bitcoin::{Amount, OutPoint, ScriptBuf, Transaction, TxOut};
use engine::asset_index::InscriptionId;
use ordinals::{Edict, RuneId, Runestone};

use super::control_error::ControlError;
use super::faucet::FundingInputs;
use super::inscriber::{Content, Inscriber};
use super::ledger::Ledger;

/// The value of an output that carries an inscription.
pub(crate) const POSTAGE: Amount = Amount::from_sat(10_000);
/// The value of an output that carries runes: above the dust limit of every kind of script.
pub(crate) const RUNE_POSTAGE: Amount = Amount::from_sat(546);
/// The media type of BRC-20 operations.
pub(crate) const TEXT_MEDIA_TYPE: &str = "text/plain;charset=utf-8";
/// Decimals of every BRC-20 balance.
const BRC20_DECIMALS: usize = 18;

/// A gift of the faucet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gift {
    /// A plain output.
    Coins(Amount),
    /// A new inscription, alone on the first sat of an output.
    Inscription {
        /// The media type.
        content_type: String,
        /// The content.
        body: Vec<u8>,
    },
    /// Runes that the faucet etched.
    Runes {
        /// The rune.
        rune: RuneId,
        /// The amount, in raw units.
        raw: u128,
    },
    /// A new BRC-20 balance that is not in a transfer inscription.
    Balance {
        /// A deployed ticker.
        ticker: String,
        /// The amount, in raw units of 18 decimals.
        raw: u128,
    },
    /// A new BRC-20 balance in a transfer inscription that has not moved yet.
    TransferInscription {
        /// A deployed ticker.
        ticker: String,
        /// The amount, in raw units of 18 decimals.
        raw: u128,
    },
}

/// A gift that is built and not yet broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedGift {
    /// The transactions, parents before children.
    pub transactions: Vec<Transaction>,
    /// The output that holds the gift.
    pub outpoint: OutPoint,
    /// The inscription on that output, if it carries one: the mint of a balance, or the transfer inscription of a note.
    pub inscription: Option<InscriptionId>,
}

impl Ledger {
    /// Builds a gift for a script. Nothing is broadcast, so the next gift may spend the same outputs.
    pub(crate) fn prepare(&self, to: &ScriptBuf, gift: &Gift) -> Result<PreparedGift, ControlError> {
        let to = |value| TxOut { value, script_pubkey: to.clone() };
        match gift {
            Gift::Coins(value) => Ok(prepared(vec![self.pay(FundingInputs::new(), vec![to(*value)])?], false)),
            Gift::Runes { rune, raw } => Ok(prepared(vec![self.rune_payment(to(RUNE_POSTAGE), *rune, *raw)?], false)),
            Gift::Inscription { content_type, body } => {
                let content = Content { content_type: content_type.as_bytes(), body };
                self.inscribed(&Inscriber::new(self.faucet(), content)?, vec![to(POSTAGE)])
            }
            Gift::Balance { ticker, raw } => {
                let mint = operation("mint", ticker, *raw);
                self.inscribed(&Inscriber::new(self.faucet(), text(&mint))?, vec![to(POSTAGE)])
            }
            Gift::TransferInscription { ticker, raw } => {
                let (mint, transfer_json) = (operation("mint", ticker, *raw), operation("transfer", ticker, *raw));
                let transfer = Inscriber::new(self.faucet(), text(&transfer_json))?;
                // The transfer inscription spends an output of the mint, so that no block orders them differently.
                let outputs = vec![to(POSTAGE), transfer.commitment(POSTAGE)?];
                let minted = self.inscribed(&Inscriber::new(self.faucet(), text(&mint))?, outputs)?;
                let mut transactions = minted.transactions;
                let last = transactions.last().ok_or(ControlError::Signing("no mint"))?;
                transactions.push(transfer.reveal(last, 1, vec![to(POSTAGE)])?);
                Ok(prepared(transactions, true))
            }
        }
    }

    /// A commit transaction, and its reveal into these outputs.
    fn inscribed(&self, inscriber: &Inscriber<'_>, outputs: Vec<TxOut>) -> Result<PreparedGift, ControlError> {
        let values = outputs.iter().map(|output| output.value);
        let needed = values.fold(Amount::ZERO, |sum, value| sum.checked_add(value).unwrap_or(Amount::MAX));
        let commit = self.pay(FundingInputs::new(), vec![inscriber.commitment(needed)?])?;
        let reveal = inscriber.reveal(&commit, 0, outputs)?;
        Ok(prepared(vec![commit, reveal], true))
    }

    /// Pays exactly `raw` units of a rune to the first output; the rest of the faucet's output returns in the second.
    fn rune_payment(&self, to: TxOut, rune: RuneId, raw: u128) -> Result<Transaction, ControlError> {
        let exhausted = ControlError::RunesUsedUp { rune, wanted: raw };
        // An edict of zero would move the whole balance.
        let carrier = self.rune_carrier(rune, raw).filter(|_| raw > 0).ok_or(exhausted)?;
        let runestone = Runestone {
            edicts: vec![Edict { id: rune, amount: raw, output: 0 }],
            pointer: Some(1),
            ..Runestone::default()
        };
        let rest = TxOut { value: RUNE_POSTAGE, script_pubkey: self.faucet().script_pubkey() };
        let message = TxOut { value: Amount::ZERO, script_pubkey: runestone.encipher() };
        self.pay(vec![carrier], vec![to, rest, message])
    }

    /// An output of the faucet that holds at least that much of a rune and nothing else, and that the mempool does not
    /// spend.
    fn rune_carrier(&self, rune: RuneId, raw: u128) -> Option<(OutPoint, TxOut)> {
        let own = self.faucet().script_pubkey();
        let suffices = |outpoint: &OutPoint| {
            let carried = self.index().carried_by(*outpoint);
            let is_alone = carried.inscriptions.is_empty() && carried.runes.len() == 1;
            is_alone && carried.runes.iter().any(|(id, held)| *id == rune && *held >= raw)
        };
        let mut outputs = self.index().owners.outputs_of(&own);
        let outpoint = outputs.find(|outpoint| self.pool().spender(*outpoint).is_none() && suffices(outpoint))?;
        Some((outpoint, self.chain().coin(outpoint)?.output.clone()))
    }
}

/// The gift in the first output of the last of these transactions.
fn prepared(transactions: Vec<Transaction>, is_inscription: bool) -> PreparedGift {
    let txid = transactions.last().map_or_else(bitcoin::hashes::Hash::all_zeros, Transaction::compute_txid);
    let inscription = is_inscription.then_some(InscriptionId { txid, index: 0 });
    PreparedGift { transactions, outpoint: OutPoint::new(txid, 0), inscription }
}

const fn text(body: &str) -> Content<'_> {
    Content { content_type: TEXT_MEDIA_TYPE.as_bytes(), body: body.as_bytes() }
}

/// A BRC-20 operation on an amount.
fn operation(name: &str, ticker: &str, raw: u128) -> String {
    let (ticker, amount) = (serde_json::Value::from(ticker), decimal(raw));
    format!(r#"{{"p":"brc-20","op":"{name}","tick":{ticker},"amt":"{amount}"}}"#)
}

/// Raw units of 18 decimals as a decimal number.
fn decimal(raw: u128) -> String {
    let digits = format!("{raw:0>width$}", width = BRC20_DECIMALS + 1);
    let (whole, part) = digits.split_at(digits.len() - BRC20_DECIMALS);
    match part.trim_end_matches('0') {
        "" => whole.to_owned(),
        part => format!("{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_written_without_redundant_zeros() {
        const WHOLE: u128 = 1_000_000_000_000_000_000;
        for (raw, written) in [
            (0, "0"),
            (WHOLE, "1"),
            (20 * WHOLE + WHOLE / 2, "20.5"),
            (1, "0.000000000000000001"),
            (u128::MAX, "340282366920938463463.374607431768211455"),
        ] {
            assert_eq!(decimal(raw), written);
        }
    }
}
