//! The observation of one loan on the chain.

use bitcoin::{OutPoint, Transaction, Txid};
use domain::{BlockTime, Ending, LoanAccount, UnixMs};
use engine::asset_index::{Brc20Index as _, InscriptionId};
use engine::chain::{Chain as _, ChainError, ChainPosition, Tip};

use super::watched_escrow::WatchedEscrow;
use crate::ending::repay::unconfirmed_ending;
use crate::lookups::ports::Ports;
use crate::records::running_record::Running;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

/// The most blocks that are searched backwards for the spender of an escrow.
const BLOCKS_READ_MAX: u32 = 20_000;

/// The observation of one loan.
#[derive(Clone, Debug, Default)]
pub(super) struct LoanObservation {
    /// The transactions that originate it, parents first; none when the node knows the last.
    pub(super) transactions: Vec<Transaction>,
    /// The status of the transaction with the escrow.
    pub(super) origination: TxStatus,
    /// The missing input of an origination that the node does not know, if any.
    pub(super) missing: Option<MissingInput>,
    /// The status of the transaction that is to end it.
    pub(super) ending_status: TxStatus,
    /// The transaction that is to end it, as it is broadcast.
    pub(super) ending_transaction: Option<Transaction>,
    /// Whether an input of it other than the escrow is missing.
    pub(super) is_ending_impossible: bool,
    /// The confirmed transaction that spent the escrow, and how.
    pub(super) escrow_spend: Option<EscrowSpend>,
}

/// The reason why a coin is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingInput {
    /// It was spent in a block.
    Spent,
    /// Its parent is neither confirmed nor in the mempool; a holder of the parent can broadcast it again.
    ParentDropped,
}

/// The spender of an escrow.
#[derive(Clone, Debug)]
pub(super) struct EscrowSpend {
    pub(super) ending: Ending,
    pub(super) txid: Txid,
    pub(super) mined: BlockTime,
}

/// The status of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TxStatus {
    /// Unknown to the node.
    #[default]
    Unknown,
    /// In the mempool.
    InMempool,
    /// Confirmed.
    Confirmed(BlockTime),
}

impl<P: Ports> LoanService<P> {
    /// Observes a loan and its escrow.
    pub(super) async fn observe_loan(
        &self,
        loan: &LoanAccount,
        escrow: &WatchedEscrow,
        tip: Tip,
    ) -> Result<LoanObservation, LoanServiceError> {
        let origination = self.tx_status(escrow.outpoint.txid).await?;
        let mut observation = LoanObservation { origination, ..LoanObservation::default() };
        if let TxStatus::Confirmed(_) = observation.origination
            && !self.is_pledged(escrow).await?
        {
            // A transfer inscription that the indexer does not hold valid secures nothing: the loan has not begun.
            observation.origination = TxStatus::InMempool;
        }
        if observation.origination == TxStatus::Unknown {
            observation.transactions = Running::of(loan)?.transactions;
            observation.missing = self.missing_input(&observation.transactions).await?;
        }
        if let TxStatus::Confirmed(originated) = observation.origination {
            self.observe_ending(loan, escrow, originated, tip, &mut observation).await?;
        }
        Ok(observation)
    }

    async fn observe_ending(
        &self,
        loan: &LoanAccount,
        escrow: &WatchedEscrow,
        originated: BlockTime,
        tip: Tip,
        observation: &mut LoanObservation,
    ) -> Result<(), LoanServiceError> {
        if let Some(end) = &loan.end {
            let txid = crate::records::outpoint::to_bitcoin(domain::Outpoint { txid: end.txid, vout: 0 }).txid;
            observation.ending_status = self.tx_status(txid).await?;
            observation.ending_transaction = unconfirmed_ending(loan);
            if let TxStatus::Confirmed(mined) = observation.ending_status {
                observation.escrow_spend = Some(EscrowSpend { ending: end.ending, txid, mined });
                return Ok(());
            }
        }
        if self.ports.chain().confirmed_unspent(escrow.outpoint).await?.is_none() {
            observation.escrow_spend = self.spender(loan, escrow, originated, tip).await?;
        } else if let (TxStatus::Unknown, Some(end)) = (observation.ending_status, &observation.ending_transaction) {
            observation.is_ending_impossible = self.missing_input(std::slice::from_ref(end)).await?.is_some();
        }
        Ok(())
    }

    /// Returns the status of a transaction.
    pub(super) async fn tx_status(&self, txid: Txid) -> Result<TxStatus, LoanServiceError> {
        let chain = self.ports.chain();
        let Some(seen) = chain.transaction(txid).await? else { return Ok(TxStatus::Unknown) };
        let ChainPosition::Confirmed { block, height } = seen.position else { return Ok(TxStatus::InMempool) };
        let seconds = chain.median_time(block).await?;
        let seconds =
            seconds.ok_or_else(|| ChainError::InvalidResponse(format!("it does not know the block {block}")))?;
        Ok(TxStatus::Confirmed(BlockTime { height, at: UnixMs(u64::from(seconds) * 1_000) }))
    }

    /// Returns why an input of these transactions is missing, if one is, while they are unknown to the node themselves.
    async fn missing_input(&self, transactions: &[Transaction]) -> Result<Option<MissingInput>, LoanServiceError> {
        let own: Vec<Txid> = transactions.iter().map(Transaction::compute_txid).collect();
        let mut found = None;
        for input in transactions.iter().flat_map(|transaction| &transaction.input) {
            let outpoint = input.previous_output;
            if own.contains(&outpoint.txid) || self.ports.chain().confirmed_unspent(outpoint).await?.is_some() {
                continue;
            }
            match self.tx_status(outpoint.txid).await? {
                TxStatus::Confirmed(_) => return Ok(Some(MissingInput::Spent)),
                TxStatus::Unknown => found = Some(MissingInput::ParentDropped),
                // It is confirmed with the next blocks.
                TxStatus::InMempool => {}
            }
        }
        Ok(found)
    }

    /// Whether the origination secures the loan: for BRC-20 the indexer must hold the new transfer inscription valid.
    async fn is_pledged(&self, escrow: &WatchedEscrow) -> Result<bool, LoanServiceError> {
        if !escrow.is_transfer_inscription || self.ports.chain().confirmed_unspent(escrow.outpoint).await?.is_none() {
            // What has moved since was there.
            return Ok(true);
        }
        let id = InscriptionId { txid: escrow.outpoint.txid, index: 0 };
        let note =
            self.ports.brc20().transfer_inscription(id).await.map_err(crate::lookups::lookup::LookupError::from)?;
        Ok(note.is_some_and(|note| !note.is_used))
    }

    /// Returns how a loan ended by the transaction that originated another one.
    async fn ended_by_successor(&self, loan: &LoanAccount, txid: Txid) -> Option<Ending> {
        let txid = crate::records::outpoint::to_domain(OutPoint::new(txid, 0)).txid;
        let begins = |next: &LoanAccount| next.deal.follows == Some(loan.id) && next.txid == Some(txid);
        let next = self.market.open_loan_of(loan.deal.borrower, begins).await?;
        let is_extension = next.extended_until.is_some();
        Some(if is_extension { Ending::Extension(next.id) } else { Ending::Refinance(next.id) })
    }

    /// Finds the spender of an escrow that is spent in a block, backwards from the tip, as it is rarely long ago.
    async fn spender(
        &self,
        loan: &LoanAccount,
        escrow: &WatchedEscrow,
        originated: BlockTime,
        tip: Tip,
    ) -> Result<Option<EscrowSpend>, LoanServiceError> {
        let chain = self.ports.chain();
        let oldest = originated.height.max(tip.height.saturating_sub(BLOCKS_READ_MAX));
        for height in (oldest..=tip.height).rev() {
            let Some(block) = chain.block_hash(height).await? else { continue };
            let transactions = chain.block_transactions(block).await?.unwrap_or_default();
            let found = transactions.iter().find_map(|transaction| Some((transaction, escrow.ending(transaction)?)));
            if let Some((transaction, found)) = found {
                let TxStatus::Confirmed(mined) = self.tx_status(transaction.compute_txid()).await? else { break };
                let txid = transaction.compute_txid();
                // A replaced transaction may have been confirmed after all.
                let by_successor =
                    if found == Ending::Repayment { self.ended_by_successor(loan, txid).await } else { None };
                return Ok(Some(EscrowSpend { ending: by_successor.unwrap_or(found), txid, mined }));
            }
        }
        Ok(None)
    }
}
