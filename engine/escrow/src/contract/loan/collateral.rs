//! The collateral that a borrower brings.

use bitcoin::{Amount, Script, ScriptBuf, TxOut};
use ordinals::{Edict, RuneId, Runestone};
use thiserror::Error;

use super::origination_outputs::{ESCROW, REST};
use crate::contract::assets::asset_coin::{AssetCoin, POSTAGE};
use crate::contract::assets::brc20_transfer::Brc20Transfer;
use crate::contract::assets::pledge::{INSCRIPTIONS_MAX, InscribedRange, Pledge};
use crate::contract::transaction::template::{total, vout};

/// The borrower's coins that carry the collateral, and the part of it that is pledged.
#[derive(Clone, Copy, Debug)]
pub enum Collateral<'a> {
    /// An inscription: its coin becomes the escrow, with every sat in its place.
    Inscription(&'a AssetCoin),
    /// Two to [`INSCRIPTIONS_MAX`] inscriptions: their coins become the escrow one after the other, with every sat in its
    /// place.
    Inscriptions(&'a [AssetCoin]),
    /// Runes: all that the coins hold, or a part.
    ///
    /// The escrow has a [`POSTAGE`] of its own; the other sats of the coins remain the borrower's.
    Runes {
        /// Coins that hold this rune and nothing else.
        coins: &'a [AssetCoin],
        /// The id of the rune.
        id: RuneId,
        /// The pledged amount, in raw units.
        amount: u128,
        /// The script for the rest of the runes: the borrower's ordinals address.
        rest: &'a ScriptBuf,
    },
    /// A BRC-20 balance: moving its transfer inscription to the escrow credits the escrow's script with it, and the
    /// [`reveal`](super::reveal) inscribes it as a new transfer.
    ///
    /// The escrow of the origination holds only the sats needed to receive the inscription; the others are the
    /// borrower's.
    Brc20 {
        /// The coin that carries the borrower's unused transfer inscription.
        coin: &'a AssetCoin,
        /// The content of that inscription and of the new one.
        transfer: &'a Brc20Transfer,
    },
}

/// The reason why coins cannot be collateral.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CollateralError {
    /// There is no coin.
    #[error("no coin carries the collateral")]
    NoCoin,
    /// More inscriptions than one loan can have, or too few to need this form.
    #[error("one loan takes 2 to {INSCRIPTIONS_MAX} inscriptions in this form, not {found}")]
    InscriptionCount {
        /// The number found.
        found: usize,
    },
    /// An inscription's coin must carry it alone; a rune coin must carry no inscription.
    #[error("coin {index} carries {found} inscriptions instead of {wanted}")]
    Inscriptions {
        /// The coin's index.
        index: usize,
        /// The number required.
        wanted: usize,
        /// The number found.
        found: usize,
    },
    /// Another rune would move with the collateral.
    #[error("coin {index} also carries the rune {id}")]
    OtherRune {
        /// The coin's index.
        index: usize,
        /// The id of the rune.
        id: RuneId,
    },
    /// A coin is not part of the collateral.
    #[error("coin {index} does not carry the rune {id}")]
    MissingRune {
        /// The coin's index.
        index: usize,
        /// The id of the rune.
        id: RuneId,
    },
    /// The inscription's sat lies outside the coin.
    #[error("the inscription is at sat {offset}, but the coin holds {value}")]
    OffsetOutside {
        /// The stated sat.
        offset: Amount,
        /// The value of the coin.
        value: Amount,
    },
    /// A coin below the dust limit could not return as an output of its own.
    #[error("coin {index} holds {value}, below the dust limit of {min}")]
    Dust {
        /// The coin's index.
        index: usize,
        /// The value of the coin.
        value: Amount,
        /// The minimum.
        min: Amount,
    },
    /// Edicts to this id have another meaning.
    #[error("{0} is not a valid rune id")]
    InvalidRuneId(RuneId),
    /// The amount is zero; an edict of 0 means the whole balance.
    #[error("the pledged amount is zero")]
    ZeroAmount,
    /// The coins hold less than is pledged.
    #[error("the coins hold {found} of the rune, and {wanted} is pledged")]
    InsufficientRunes {
        /// The pledged amount.
        wanted: u128,
        /// The amount found.
        found: u128,
    },
    /// The amount of the rune overflows.
    #[error("the amount of the rune overflows")]
    RuneOverflow,
}

impl<'a> Collateral<'a> {
    /// Returns the coins, in the order of the inputs.
    #[must_use]
    pub const fn coins(&self) -> &'a [AssetCoin] {
        match *self {
            Self::Inscription(coin) | Self::Brc20 { coin, .. } => std::slice::from_ref(coin),
            Self::Inscriptions(coins) | Self::Runes { coins, .. } => coins,
        }
    }

    /// The number of outputs in which the collateral returns to the borrower.
    #[must_use]
    pub const fn range_count(&self) -> usize {
        if let Self::Inscriptions(coins) = self { coins.len() } else { 1 }
    }

    /// Returns the pledge that the escrow holds once the loan has begun.
    ///
    /// # Errors
    /// The first reason why the coins cannot be collateral.
    pub fn pledge(&self) -> Result<Pledge, CollateralError> {
        match *self {
            Self::Inscription(coin) => Ok(Pledge::Inscription { offset: only_inscription(0, coin)? }),
            Self::Inscriptions(coins) => {
                if !(2..=INSCRIPTIONS_MAX).contains(&coins.len()) {
                    return Err(CollateralError::InscriptionCount { found: coins.len() });
                }
                let ranges = coins.iter().enumerate().map(|(index, coin)| {
                    let offset = only_inscription(index, coin)?;
                    let value = coin.coin.output.value;
                    // It returns as an output of its own, to a script of the same form.
                    let min = coin.coin.output.script_pubkey.minimal_non_dust();
                    if value < min {
                        return Err(CollateralError::Dust { index, value, min });
                    }
                    Ok(InscribedRange { value, offset })
                });
                ranges.collect::<Result<_, CollateralError>>().map(Pledge::Inscriptions)
            }
            // The new transfer inscription is on the first sat.
            Self::Brc20 { coin, .. } => {
                only_inscription(0, coin).map(|_| Pledge::TransferInscription { offset: Amount::ZERO })
            }
            Self::Runes { coins, id, amount, .. } => {
                let found = only_runes(coins, id)?;
                if amount == 0 {
                    return Err(CollateralError::ZeroAmount);
                }
                if found < amount {
                    return Err(CollateralError::InsufficientRunes { wanted: amount, found });
                }
                Ok(Pledge::Runes { id, amount })
            }
        }
    }

    /// The value of the origination's output that pays the escrow.
    pub(super) fn escrow_value(&self, escrow: &Script) -> Amount {
        match self {
            Self::Inscription(coin) => coin.coin.output.value,
            Self::Inscriptions(coins) => total(coins.iter().map(|coin| coin.coin.output.value)),
            Self::Runes { .. } => POSTAGE,
            Self::Brc20 { coin, .. } => {
                let offset = coin.inscriptions.first().copied().unwrap_or(Amount::ZERO);
                let past = offset.checked_add(Amount::ONE_SAT).unwrap_or(coin.coin.output.value);
                past.max(escrow.minimal_non_dust())
            }
        }
    }

    /// The output for the runes that remain the borrower's, if any.
    pub(super) fn rest(&self) -> Option<TxOut> {
        let Self::Runes { coins, id, amount, rest } = *self else { return None };
        let is_part = only_runes(coins, id).is_ok_and(|found| found > amount);
        is_part.then(|| TxOut { value: POSTAGE, script_pubkey: rest.clone() })
    }

    /// The runestone: the pledged runes go to the escrow, the others to the borrower.
    pub(super) fn runestone(&self) -> Option<Runestone> {
        let Self::Runes { id, amount, .. } = *self else { return None };
        let edicts = vec![Edict { id, amount, output: vout(ESCROW) }];
        let pointer = self.rest().map(|_| vout(REST));
        Some(Runestone { edicts, pointer, ..Runestone::default() })
    }

    /// The borrower's ordinals address, if an output goes there.
    pub(super) fn rest_script(&self) -> Option<&'a Script> {
        match *self {
            Self::Runes { rest, .. } => Some(rest),
            Self::Inscription(_) | Self::Inscriptions(_) | Self::Brc20 { .. } => None,
        }
    }
}

/// The offset of the inscription in a coin that carries nothing else.
fn only_inscription(index: usize, coin: &AssetCoin) -> Result<Amount, CollateralError> {
    let [offset] = coin.inscriptions[..] else {
        return Err(CollateralError::Inscriptions { index, wanted: 1, found: coin.inscriptions.len() });
    };
    if let Some((id, _)) = coin.runes.first() {
        return Err(CollateralError::OtherRune { index, id: *id });
    }
    let value = coin.coin.output.value;
    if offset >= value { Err(CollateralError::OffsetOutside { offset, value }) } else { Ok(offset) }
}

/// The total amount of a rune in coins that carry nothing else.
fn only_runes(coins: &[AssetCoin], id: RuneId) -> Result<u128, CollateralError> {
    // No rune is etched in block 0; an edict to 0:0 means the rune that the same transaction etches.
    if id.block == 0 {
        return Err(CollateralError::InvalidRuneId(id));
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
            return Err(CollateralError::MissingRune { index, id });
        }
        for (_, amount) in &coin.runes {
            sum = sum.checked_add(*amount).ok_or(CollateralError::RuneOverflow)?;
        }
    }
    Ok(sum)
}
