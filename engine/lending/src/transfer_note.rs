//! A transfer note that secures a loan: proved before anybody is asked to sign.

use engine::asset_index::{Brc20Index as _, InscriptionId, TransferNote};
use engine::chain::Chain as _;
use escrow::contract::asset_coin::AssetCoin;
use escrow::contract::brc20_transfer::Brc20Transfer;
use escrow::contract::coin::CoinKey;
use thiserror::Error;

use crate::holdings::InscriptionError;
use crate::lookup::{Lookup, LookupError};
use crate::ports::Ports;

/// Why a note cannot be pledged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoteError {
    /// The inscription is not there, not here, or not alone.
    #[error(transparent)]
    Inscription(#[from] InscriptionError),
    /// The indexer never took it for a note: more than the balance, a malformed text, a token that does not exist.
    #[error("the inscription {0} is no valid transfer note")]
    NotANote(InscriptionId),
    /// It was moved before, and moves nothing any more.
    #[error("the transfer note {0} is used already")]
    Used(InscriptionId),
    /// It was inscribed elsewhere, so it moves somebody else's balance or none.
    #[error("the transfer note {0} was not inscribed on this address")]
    InscribedElsewhere(InscriptionId),
    /// It is one of another token.
    #[error("the transfer note is of {found}, not of {wanted}")]
    OtherTicker {
        /// Of which it should be.
        wanted: String,
        /// Of which it is.
        found: String,
    },
    /// It is too small or too large: a note moves as a whole.
    #[error("the transfer note moves {found} raw units, and {wanted} are wanted")]
    OtherAmount {
        /// How much it should move.
        wanted: u128,
        /// How much it moves.
        found: u128,
    },
}

impl From<LookupError> for NoteError {
    fn from(error: LookupError) -> Self {
        Self::Inscription(error.into())
    }
}

impl<P: Ports> Lookup<'_, P> {
    /// The coin of a transfer note that is valid, unused and says exactly this, alone on a confirmed output of this key.
    pub async fn transfer_note(
        &self,
        id: InscriptionId,
        key: &CoinKey,
        transfer: &Brc20Transfer,
    ) -> Result<AssetCoin, NoteError> {
        let coin = self.inscription(id, key).await?;
        // Asked last: an indexer that has read less than the one of inscriptions would show a used note as unused.
        self.brc20_at_tip().await?;
        let note = self.ports.brc20().note(id).await.map_err(LookupError::from)?;
        let TransferNote { ticker, amount, owner, is_used } = note.ok_or(NoteError::NotANote(id))?;
        if is_used {
            return Err(NoteError::Used(id));
        }
        if owner != key.script_pubkey() {
            return Err(NoteError::InscribedElsewhere(id));
        }
        let wanted = transfer.ticker().to_lowercase();
        if ticker != wanted {
            return Err(NoteError::OtherTicker { wanted, found: ticker });
        }
        if amount != transfer.amount() {
            return Err(NoteError::OtherAmount { wanted: transfer.amount(), found: amount });
        }
        Ok(coin)
    }

    /// Waits until the indexer of BRC-20 has read the node's best block.
    pub(crate) async fn brc20_at_tip(&self) -> Result<(), LookupError> {
        let tip = self.ports.chain().tip().await?.height;
        self.brc20_read_up_to(tip).await
    }
}
