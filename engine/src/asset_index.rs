//! The asset port: the locations of inscriptions, runes and BRC-20 balances, as an indexer sees the chain.

use std::{fmt, future::Future, num::ParseIntError, str::FromStr};

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, OutPoint, ScriptBuf, Txid};
use domain::Inscription;
use ordinals::{RuneId, SpacedRune};
use thiserror::Error;

/// The id of an inscription: the transaction that revealed it, and the number of its envelope in that transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InscriptionId {
    /// The reveal transaction.
    pub txid: Txid,
    /// The number of the envelope, from 0.
    pub index: u32,
}

impl fmt::Display for InscriptionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}i{}", self.txid, self.index)
    }
}

impl From<InscriptionId> for Inscription {
    fn from(id: InscriptionId) -> Self {
        Self { txid: id.txid.to_byte_array(), index: id.index }
    }
}

impl From<Inscription> for InscriptionId {
    fn from(inscription: Inscription) -> Self {
        Self { txid: Txid::from_byte_array(inscription.txid), index: inscription.index }
    }
}

/// The reason why a text is not an inscription id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InscriptionIdError {
    /// No `i` between transaction and index.
    #[error("an inscription id is a transaction id, the letter i and a number")]
    NoSeparator,
    /// Not 64 hexadecimal digits.
    #[error("an inscription id begins with a transaction id")]
    Txid,
    /// No number, or one with a sign or leading zeros.
    #[error("an inscription id ends in a number")]
    Index,
}

impl FromStr for InscriptionId {
    type Err = InscriptionIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (txid, index) = text.split_once('i').ok_or(InscriptionIdError::NoSeparator)?;
        let txid = txid.parse().map_err(|_| InscriptionIdError::Txid)?;
        let number = index.parse().map_err(|_: ParseIntError| InscriptionIdError::Index)?;
        let id = Self { txid, index: number };
        // Each id has one spelling, so that equal ids are equal texts.
        if id.to_string() == text { Ok(id) } else { Err(InscriptionIdError::Index) }
    }
}

/// An inscription on a sat of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inscribed {
    /// The inscription.
    pub id: InscriptionId,
    /// The position of its sat: the number of the output's sats before it.
    pub offset: Amount,
}

/// The assets in a confirmed unspent output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputAssets {
    /// Inscriptions, in the order of their sats.
    pub inscriptions: Vec<Inscribed>,
    /// Runes in raw units, by id.
    pub runes: Vec<(RuneId, u128)>,
}

impl OutputAssets {
    /// Whether the output carries no assets: plain bitcoin.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.inscriptions.is_empty() && self.runes.is_empty()
    }
}

/// A rune as etched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuneEntry {
    /// The block and transaction of its etching.
    pub id: RuneId,
    /// Its name.
    pub name: SpacedRune,
    /// Decimals of a whole unit.
    pub divisibility: u8,
}

/// A BRC-20 balance of a script, in raw units of 18 decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Brc20Balance {
    /// Not yet inscribed as a transfer.
    pub available: u128,
    /// In transfer inscriptions that have not moved yet.
    pub transferable: u128,
}

/// A BRC-20 transfer inscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferInscription {
    /// Its ticker, lower case.
    pub ticker: String,
    /// In raw units of 18 decimals.
    pub amount: u128,
    /// The script to which it was inscribed. A transfer consumes the inscription, so later holders are not its owner.
    pub owner: ScriptBuf,
    /// Whether it has already moved, and so has no further effect.
    pub is_used: bool,
}

/// The reason why the indexer gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssetError {
    /// No answer before the timeout, or none at all.
    #[error("the indexer gives no answer: {0}")]
    Unreachable(String),
    /// An answer that is malformed or contradictory.
    #[error("invalid response from the indexer: {0}")]
    InvalidResponse(String),
}

/// An indexer of inscriptions and runes.
pub trait AssetIndex: Send + Sync + 'static {
    /// The height of the last indexed block. An indexer below the node's tip gives stale answers.
    fn height(&self) -> impl Future<Output = Result<u32, AssetError>> + Send;

    /// The assets in a confirmed unspent output; `None` for an output that is unknown or spent by a confirmed
    /// transaction.
    fn assets_in(&self, outpoint: OutPoint) -> impl Future<Output = Result<Option<OutputAssets>, AssetError>> + Send;

    /// The location of an inscription: its output, and the number of that output's sats before it; `None` when there is
    /// no such inscription or it was paid as a fee.
    fn sat_point(
        &self,
        inscription: InscriptionId,
    ) -> impl Future<Output = Result<Option<(OutPoint, Amount)>, AssetError>> + Send;

    /// The number of an inscription, as ord counts them; `None` when there is no such inscription.
    fn inscription_number(
        &self,
        inscription: InscriptionId,
    ) -> impl Future<Output = Result<Option<i64>, AssetError>> + Send;

    /// Returns the rune with a name.
    fn rune(&self, name: SpacedRune) -> impl Future<Output = Result<Option<RuneEntry>, AssetError>> + Send;

    /// Cross-checks an output that is to be pledged against independent indexers, where any are configured:
    /// [`AssetError::InvalidResponse`] when one of them finds other assets in it than `assets`.
    fn cross_check(
        &self,
        outpoint: OutPoint,
        assets: &OutputAssets,
    ) -> impl Future<Output = Result<(), AssetError>> + Send {
        let _ = (outpoint, assets);
        async { Ok(()) }
    }
}

/// An indexer of BRC-20.
pub trait Brc20Index: Send + Sync + 'static {
    /// The height of the last indexed block. Below the node's tip, a used transfer inscription looks unused and a spent
    /// balance unspent.
    fn brc20_height(&self) -> impl Future<Output = Result<u32, AssetError>> + Send;

    /// The balance of a ticker that a script owns.
    fn balance(&self, owner: &ScriptBuf, ticker: &str)
    -> impl Future<Output = Result<Brc20Balance, AssetError>> + Send;

    /// The valid BRC-20 transfer that an inscription holds, if any.
    fn transfer_inscription(
        &self,
        inscription: InscriptionId,
    ) -> impl Future<Output = Result<Option<TransferInscription>, AssetError>> + Send;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inscription_id_has_one_spelling() {
        let hex = "ab".repeat(32);
        let text = format!("{hex}i7");
        assert_eq!(text.parse::<InscriptionId>().unwrap().to_string(), text);
        for (wrong, error) in [
            (hex.clone(), InscriptionIdError::NoSeparator),
            (format!("{}i7", &hex[2..]), InscriptionIdError::Txid),
            (format!("{hex}i"), InscriptionIdError::Index),
            (format!("{hex}i07"), InscriptionIdError::Index),
            (format!("{hex}i+7"), InscriptionIdError::Index),
            (format!("{}i7", hex.to_uppercase()), InscriptionIdError::Index),
        ] {
            assert_eq!(wrong.parse::<InscriptionId>(), Err(error), "{wrong}");
        }
    }
}
