//! What a borrower brings to secure a loan.

use bitcoin::{Amount, Script, ScriptBuf, TxOut};
use ordinals::{Edict, RuneId, Runestone};
use thiserror::Error;

use super::asset_coin::AssetCoin;
use super::brc20_transfer::Brc20Transfer;
use super::origination::{ESCROW, REST};
use super::pledge::Pledge;

/// Sats of an output that is there for its runes or its note: above the dust minimum of every kind of address.
pub const POSTAGE: Amount = Amount::from_sat(546);

/// The borrower's coins that carry the collateral, and what of it is pledged.
#[derive(Clone, Copy, Debug)]
pub enum Collateral<'a> {
    /// An inscription: its coin becomes the escrow, with every sat in its place.
    Inscription(&'a AssetCoin),
    /// Runes, all that the coins hold or a part.
    ///
    /// The escrow has a [`POSTAGE`] of its own; the other sats of the coins are the borrower's.
    Runes {
        /// Coins that hold this rune and nothing else.
        coins: &'a [AssetCoin],
        /// The id of the rune.
        id: RuneId,
        /// How much of it, in raw units.
        amount: u128,
        /// Where the rest goes: the borrower's ordinals address.
        rest: &'a ScriptBuf,
    },
    /// A BRC-20 balance: moving its note to the escrow makes the escrow's script own it, and the
    /// [`reveal`](super::reveal) writes it into a new note.
    ///
    /// The escrow of the origination holds no more sats than it takes to catch the note; the others are the borrower's.
    Brc20 {
        /// The coin that carries the borrower's unused note.
        coin: &'a AssetCoin,
        /// What that note says, and the new one will.
        transfer: &'a Brc20Transfer,
    },
}

/// Why coins are no collateral.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CollateralError {
    /// Nothing to hold the collateral.
    #[error("no coin carries the collateral")]
    NoCoin,
    /// An inscription's coin must carry it alone; a coin of runes none at all.
    #[error("coin {index} carries {found} inscriptions, and {wanted} is wanted")]
    Inscriptions {
        /// The coin's index.
        index: usize,
        /// How many there must be.
        wanted: usize,
        /// The number found.
        found: usize,
    },
    /// Another rune would go with the collateral.
    #[error("coin {index} also carries the rune {id}")]
    OtherRune {
        /// The coin's index.
        index: usize,
        /// The id of the rune.
        id: RuneId,
    },
    /// The coin is no part of the collateral.
    #[error("coin {index} does not carry the rune {id}")]
    WithoutRune {
        /// The coin's index.
        index: usize,
        /// The id of the rune.
        id: RuneId,
    },
    /// The coin has no such sat.
    #[error("the inscription stands at sat {offset}, but the coin holds {value}")]
    OffsetOutside {
        /// Where it would be.
        offset: Amount,
        /// The amount found.
        value: Amount,
    },
    /// An edict to this id means something else.
    #[error("no rune has the id {0}")]
    NoSuchRune(RuneId),
    /// An edict of nothing means everything.
    #[error("nothing of the rune is pledged")]
    NothingPledged,
    /// The coins do not hold what is pledged.
    #[error("the coins hold {found} of the rune, and {wanted} is pledged")]
    RunesShort {
        /// What is pledged.
        wanted: u128,
        /// The amount found.
        found: u128,
    },
    /// More of a rune than there can be.
    #[error("the coins hold more of the rune than there can be")]
    TooManyRunes,
}

impl<'a> Collateral<'a> {
    /// The coins, in the order of the inputs.
    #[must_use]
    pub const fn coins(&self) -> &'a [AssetCoin] {
        match *self {
            Self::Inscription(coin) | Self::Brc20 { coin, .. } => std::slice::from_ref(coin),
            Self::Runes { coins, .. } => coins,
        }
    }

    /// What the escrow holds besides its sats once the loan has begun.
    ///
    /// # Errors
    /// The first reason why the coins are no collateral.
    pub fn pledge(&self) -> Result<Pledge, CollateralError> {
        match *self {
            Self::Inscription(coin) => Ok(Pledge::Inscription { offset: only_inscription(coin)? }),
            // The new note stands on the first sat.
            Self::Brc20 { coin, .. } => only_inscription(coin).map(|_| Pledge::Note { offset: Amount::ZERO }),
            Self::Runes { coins, id, amount, .. } => {
                let found = only_runes(coins, id)?;
                if amount == 0 {
                    return Err(CollateralError::NothingPledged);
                }
                if found < amount {
                    return Err(CollateralError::RunesShort { wanted: amount, found });
                }
                Ok(Pledge::Runes { id, amount })
            }
        }
    }

    /// What the output of the origination holds that pays to the escrow.
    pub(super) fn escrow_value(&self, escrow: &Script) -> Amount {
        match self {
            Self::Inscription(coin) => coin.coin.output.value,
            Self::Runes { .. } => POSTAGE,
            Self::Brc20 { coin, .. } => {
                let offset = coin.inscriptions.first().copied().unwrap_or(Amount::ZERO);
                let past = offset.checked_add(Amount::ONE_SAT).unwrap_or(coin.coin.output.value);
                past.max(escrow.minimal_non_dust())
            }
        }
    }

    /// The output of the runes that stay the borrower's, when there are any.
    pub(super) fn rest(&self) -> Option<TxOut> {
        let Self::Runes { coins, id, amount, rest } = *self else { return None };
        let is_part = only_runes(coins, id).is_ok_and(|found| found > amount);
        is_part.then(|| TxOut { value: POSTAGE, script_pubkey: rest.clone() })
    }

    /// What says where runes go: the pledged ones to the escrow, the others to the borrower.
    pub(super) fn runestone(&self) -> Option<Runestone> {
        let Self::Runes { id, amount, .. } = *self else { return None };
        let edicts = vec![Edict { id, amount, output: vout(ESCROW) }];
        let pointer = self.rest().map(|_| vout(REST));
        Some(Runestone { edicts, pointer, ..Runestone::default() })
    }

    /// The borrower's ordinals address, where an output goes there.
    pub(super) fn rest_script(&self) -> Option<&'a Script> {
        match *self {
            Self::Runes { rest, .. } => Some(rest),
            Self::Inscription(_) | Self::Brc20 { .. } => None,
        }
    }
}

/// An index as transactions write it; no transaction has an output of the greatest one.
pub(super) fn vout(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Where the inscription stands of a coin that carries it and nothing else.
fn only_inscription(coin: &AssetCoin) -> Result<Amount, CollateralError> {
    let [offset] = coin.inscriptions[..] else {
        return Err(CollateralError::Inscriptions { index: 0, wanted: 1, found: coin.inscriptions.len() });
    };
    if let Some((id, _)) = coin.runes.first() {
        return Err(CollateralError::OtherRune { index: 0, id: *id });
    }
    let value = coin.coin.output.value;
    if offset >= value { Err(CollateralError::OffsetOutside { offset, value }) } else { Ok(offset) }
}

/// What coins hold of a rune that carry it and nothing else.
fn only_runes(coins: &[AssetCoin], id: RuneId) -> Result<u128, CollateralError> {
    // No rune is etched in the first block; an edict to 0:0 means the one that the same transaction etches.
    if id.block == 0 {
        return Err(CollateralError::NoSuchRune(id));
    }
    if coins.is_empty() {
        return Err(CollateralError::NoCoin);
    }
    let mut sum: u128 = 0;
    for (index, coin) in coins.iter().enumerate() {
        if !coin.inscriptions.is_empty() {
            return Err(CollateralError::Inscriptions { index, wanted: 0, found: coin.inscriptions.len() });
        }
        if let Some((id, _)) = coin.runes.iter().find(|(found, _)| *found != id) {
            return Err(CollateralError::OtherRune { index, id: *id });
        }
        if coin.runes.iter().all(|(_, amount)| *amount == 0) {
            return Err(CollateralError::WithoutRune { index, id });
        }
        for (_, amount) in &coin.runes {
            sum = sum.checked_add(*amount).ok_or(CollateralError::TooManyRunes)?;
        }
    }
    Ok(sum)
}
