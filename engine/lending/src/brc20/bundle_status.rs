//! The state of a user's BRC-20 token before a loan can take it.

use bitcoin::Txid;
use domain::UserId;
use engine::asset_index::{Brc20Balance, Brc20Index as _, InscriptionId, TransferInscription};
use engine::chain::Chain as _;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::transaction::coin::CoinKey;

use crate::brc20::transfer_orders::{PendingOrder, TransferOrderError};
use crate::lookups::holdings::HeldTransferInscription;
use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::records::outpoint::to_domain;
use crate::service::loan_service::LoanService;

/// The most transfer inscriptions of one transaction that are looked up.
const NOTES_PER_TRANSACTION_MAX: u32 = 16;

/// The next step towards one bundle of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleState {
    /// The whole balance is less than the bundle.
    Insufficient,
    /// A transfer inscription of exactly the bundle exists and is not reserved.
    NoteAvailable,
    /// A transfer inscription of exactly the bundle is ordered and not yet usable.
    NotePending,
    /// The balance suffices, but too much of it is in transfer inscriptions of other amounts, which have to be sent to
    /// oneself first.
    NeedsConsolidation,
    /// A transfer inscription can be inscribed.
    NoNote,
}

/// The token of one bundle, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleStatus {
    /// The state.
    pub state: BundleState,
    /// The balance.
    pub balance: Brc20Balance,
    /// The transfer inscription that a loan can take.
    pub note: Option<HeldTransferInscription>,
    /// The order of a transfer inscription that is not yet usable.
    pub pending: Option<PendingOrder>,
}

impl<P: Ports> LoanService<P> {
    /// Returns the state of a user's balance towards a bundle of exactly this amount.
    pub async fn bundle_status(
        &self,
        user: UserId,
        ordinals: &CoinKey,
        bundle: &Brc20Transfer,
    ) -> Result<BundleStatus, TransferOrderError> {
        let (ticker, size) = (bundle.ticker().to_lowercase(), bundle.amount());
        let balance = self.lookup().brc20_balance(ordinals, &ticker).await?;
        let is_bundle = |name: &str, amount: u128| name == ticker && amount == size;
        let mut status = BundleStatus { state: BundleState::NoNote, balance, note: None, pending: None };
        // With a smaller transferable balance there is no such inscription, and the wallet need not be listed.
        if balance.transferable >= size {
            let holdings = self.lookup().holdings(ordinals).await?;
            let mut notes = self.lookup().notes(ordinals, &holdings).await?;
            notes.retain(|note| is_bundle(&note.ticker, note.amount));
            let outpoints = notes.iter().map(|note| to_domain(note.inscription.outpoint));
            let reserved = self.market.locked_outputs(outpoints);
            status.note = notes.into_iter().find(|note| !reserved.contains(&to_domain(note.inscription.outpoint)));
        }
        if status.note.is_none() {
            let pending = self.pending_orders(user).await?;
            status.pending = pending.into_iter().find(|order| is_bundle(&order.ticker, order.amount_raw));
        }
        status.state = match (&status.note, &status.pending) {
            (Some(_), _) => BundleState::NoteAvailable,
            (None, Some(_)) => BundleState::NotePending,
            (None, None) if balance.available.saturating_add(balance.transferable) < size => BundleState::Insufficient,
            (None, None) if balance.available < size => BundleState::NeedsConsolidation,
            (None, None) => BundleState::NoNote,
        };
        Ok(status)
    }

    /// Returns the valid transfer inscriptions that a transaction reveals, from its first inscription on; `None` when
    /// the node does not know the transaction.
    pub async fn notes_of(&self, txid: Txid) -> Result<Option<Vec<(InscriptionId, TransferInscription)>>, LookupError> {
        if self.ports.chain().transaction(txid).await?.is_none() {
            return Ok(None);
        }
        self.lookup().wait_for_brc20_tip().await?;
        let mut notes = Vec::new();
        for index in 0..NOTES_PER_TRANSACTION_MAX {
            let id = InscriptionId { txid, index };
            let Some(note) = self.ports.brc20().transfer_inscription(id).await? else { break };
            notes.push((id, note));
        }
        Ok(Some(notes))
    }
}
