//! The asset port: which inscriptions, runes and BRC-20 balances stand where, as an indexer sees the chain.

use std::{fmt, future::Future, num::ParseIntError, str::FromStr};

use bitcoin::{Amount, OutPoint, ScriptBuf, Txid};
use ordinals::{RuneId, SpacedRune};
use thiserror::Error;

/// An inscription: the transaction that revealed it, and which of its envelopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InscriptionId {
    /// The reveal.
    pub txid: Txid,
    /// Which envelope, from 0.
    pub index: u32,
}

impl fmt::Display for InscriptionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}i{}", self.txid, self.index)
    }
}

/// Why a text is no inscription id.
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
        // One spelling each, so that equal ids are equal texts.
        if id.to_string() == text { Ok(id) } else { Err(InscriptionIdError::Index) }
    }
}

/// An inscription on a sat of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inscribed {
    /// Which.
    pub id: InscriptionId,
    /// How many of the output's sats come before it.
    pub offset: Amount,
}

/// What an unspent output of a block carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Inscriptions, in the order of their sats.
    pub inscriptions: Vec<Inscribed>,
    /// Runes in raw units, by id.
    pub runes: Vec<(RuneId, u128)>,
}

impl Carried {
    /// Whether it carries nothing: plain bitcoin.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.inscriptions.is_empty() && self.runes.is_empty()
    }
}

/// A rune as it was etched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuneEntry {
    /// Block and transaction of its etching.
    pub id: RuneId,
    /// Its name.
    pub name: SpacedRune,
    /// Decimals of a whole unit.
    pub divisibility: u8,
}

/// A BRC-20 balance of a script, in raw units of 18 decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Brc20Balance {
    /// Free to be written into a transfer note.
    pub available: u128,
    /// In transfer notes that were not moved yet.
    pub transferable: u128,
}

/// A BRC-20 transfer note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferNote {
    /// Its ticker, lower case.
    pub ticker: String,
    /// In raw units of 18 decimals.
    pub amount: u128,
    /// Where it was inscribed; whoever it was moved to is no longer its owner.
    pub owner: ScriptBuf,
    /// Whether it was moved already and so has no more effect.
    pub is_used: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssetError {
    /// No answer, or none in time.
    #[error("the indexer gives no answer: {0}")]
    Unreachable(String),
    /// The answer is not one that the indexer could mean.
    #[error("the indexer's answer makes no sense: {0}")]
    Nonsense(String),
}

/// An indexer of inscriptions and runes.
pub trait AssetIndex: Send + Sync + 'static {
    /// The height of the last block it has read: behind the node's, its answers are of yesterday.
    fn height(&self) -> impl Future<Output = Result<u32, AssetError>> + Send;

    /// What an unspent output of a block carries; `None` for one that it does not know, or that a block has spent.
    fn carried_by(&self, outpoint: OutPoint) -> impl Future<Output = Result<Option<Carried>, AssetError>> + Send;

    /// Where an inscription is: its output, and how many of that output's sats come before; `None` when there is no
    /// such inscription or it was paid as a fee.
    fn place_of(
        &self,
        inscription: InscriptionId,
    ) -> impl Future<Output = Result<Option<(OutPoint, Amount)>, AssetError>> + Send;

    /// A rune by its name.
    fn rune(&self, name: SpacedRune) -> impl Future<Output = Result<Option<RuneEntry>, AssetError>> + Send;

    /// Asks somebody else about an output that shall be pledged, where there is somebody else to ask:
    /// [`AssetError::Nonsense`] when that one sees something else in it than is `carried`.
    fn second_look(
        &self,
        outpoint: OutPoint,
        carried: &Carried,
    ) -> impl Future<Output = Result<(), AssetError>> + Send {
        let _ = (outpoint, carried);
        async { Ok(()) }
    }
}

/// An indexer of BRC-20.
pub trait Brc20Index: Send + Sync + 'static {
    /// The height of the last block it has read: behind the node's, a used note looks unused and a balance spent twice.
    fn brc20_height(&self) -> impl Future<Output = Result<u32, AssetError>> + Send;

    /// What a script owns of a ticker.
    fn balance(&self, owner: &ScriptBuf, ticker: &str)
    -> impl Future<Output = Result<Brc20Balance, AssetError>> + Send;

    /// The transfer note that an inscription is, if it is a valid one.
    fn note(&self, inscription: InscriptionId)
    -> impl Future<Output = Result<Option<TransferNote>, AssetError>> + Send;
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
