//! The transfer inscription that secures a loan, verified before anything is signed.

use engine::asset_index::{Brc20Index as _, InscriptionId, TransferInscription};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::transaction::coin::CoinKey;
use thiserror::Error;

use crate::lookups::holdings::InscriptionError;
use crate::lookups::lookup::{Lookup, LookupError};
use crate::lookups::ports::Ports;

/// The reason why a transfer inscription cannot be pledged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TransferInscriptionError {
    /// The inscription does not exist, is elsewhere, or shares its output.
    #[error(transparent)]
    Inscription(#[from] InscriptionError),
    /// The indexer does not hold it valid: more than the balance, malformed, or a token that does not exist.
    #[error("the inscription {0} is no valid transfer note")]
    Invalid(InscriptionId),
    /// Its first move has consumed it.
    #[error("the transfer note {0} is used already")]
    Used(InscriptionId),
    /// It was inscribed elsewhere, so it moves another address's balance or none.
    #[error("the transfer note {0} was not inscribed on this address")]
    InscribedElsewhere(InscriptionId),
    /// It is of another token.
    #[error("the transfer note is of {found}, not of {wanted}")]
    OtherTicker {
        /// The ticker wanted.
        wanted: String,
        /// Its ticker.
        found: String,
    },
    /// Its amount is too small or too large: a transfer inscription moves as a whole.
    #[error("the transfer note moves {found} raw units, and {wanted} are needed")]
    OtherAmount {
        /// The amount wanted.
        wanted: u128,
        /// Its amount.
        found: u128,
    },
}

impl From<LookupError> for TransferInscriptionError {
    fn from(error: LookupError) -> Self {
        Self::Inscription(error.into())
    }
}

impl<P: Ports> Lookup<'_, P> {
    /// Returns the coin of a valid, unused transfer inscription of exactly this content, alone on a confirmed output of
    /// this key.
    pub async fn transfer_inscription(
        &self,
        id: InscriptionId,
        key: &CoinKey,
        transfer: &Brc20Transfer,
    ) -> Result<AssetCoin, TransferInscriptionError> {
        let coin = self.inscription(id, key).await?;
        // Asked last: a BRC-20 indexer behind the inscription indexer would report a used one as unused.
        self.wait_for_brc20_tip().await?;
        let note = self.ports.brc20().transfer_inscription(id).await.map_err(LookupError::from)?;
        let TransferInscription { ticker, amount, owner, is_used } =
            note.ok_or(TransferInscriptionError::Invalid(id))?;
        if is_used {
            return Err(TransferInscriptionError::Used(id));
        }
        if owner != key.script_pubkey() {
            return Err(TransferInscriptionError::InscribedElsewhere(id));
        }
        let wanted = transfer.ticker().to_lowercase();
        if ticker != wanted {
            return Err(TransferInscriptionError::OtherTicker { wanted, found: ticker });
        }
        if amount != transfer.amount() {
            return Err(TransferInscriptionError::OtherAmount { wanted: transfer.amount(), found: amount });
        }
        Ok(coin)
    }
}
