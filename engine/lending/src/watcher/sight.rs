//! The observation of one loan on the chain.

use bitcoin::{OutPoint, Transaction, Txid};
use domain::{Ending, LoanAccount, Mined, UnixMs};
use engine::asset_index::{Brc20Index as _, InscriptionId};
use engine::chain::{Chain as _, ChainError, Presence, Tip};
use escrow::contract::pledge::Pledge;

use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::ports::Ports;
use crate::repay::waiting_end;
use crate::running_record::Running;

/// The most blocks that are searched backwards for the spender of an escrow.
const BLOCKS_READ_MAX: u32 = 20_000;

/// The observation of one loan.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    /// The transactions that originate it, parents first.
    pub(super) transactions: Vec<Transaction>,
    /// The status of the transaction with the escrow.
    pub(super) begun: Whereabouts,
    /// The missing input of an origination that the node does not know, if any.
    pub(super) missing: Option<Missing>,
    /// The status of the transaction that is to end it.
    pub(super) ending: Whereabouts,
    /// The transaction that is to end it, as it is broadcast.
    pub(super) end: Option<Transaction>,
    /// Whether an input of it other than the escrow is missing.
    pub(super) is_end_impossible: bool,
    /// The confirmed transaction that spent the escrow, and how.
    pub(super) spent: Option<Spent>,
}

/// The reason why a coin is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// It was spent in a block.
    Spent,
    /// Its parent is neither confirmed nor in the mempool; a holder of the parent can broadcast it again.
    Forgotten,
}

/// The spender of an escrow.
#[derive(Clone, Debug)]
pub(super) struct Spent {
    pub(super) ending: Ending,
    pub(super) txid: Txid,
    pub(super) mined: Mined,
}

/// The status of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// Unknown to the node.
    #[default]
    Nowhere,
    /// In the mempool.
    Waiting,
    /// Confirmed.
    Confirmed(Mined),
}

impl<P: Ports> Desk<P> {
    /// Observes a loan.
    pub(super) async fn sight(&self, loan: &LoanAccount, tip: Tip) -> Result<Sight, DeskError> {
        let running = Running::of(loan)?;
        let escrow = running.record().loan.outpoint;
        let mut observation = Sight { begun: self.whereabouts(escrow.txid).await?, ..Sight::default() };
        if let Whereabouts::Confirmed(_) = observation.begun
            && !self.is_pledged(&running).await?
        {
            // A transfer inscription that the indexer does not hold valid secures nothing: the loan has not begun.
            observation.begun = Whereabouts::Waiting;
        }
        if observation.begun == Whereabouts::Nowhere {
            observation.missing = self.missing_input(&running.transactions).await?;
        }
        if let Whereabouts::Confirmed(originated) = observation.begun {
            self.observe_ending(loan, &running, originated, tip, &mut observation).await?;
        }
        observation.transactions = running.transactions;
        Ok(observation)
    }

    async fn observe_ending(
        &self,
        loan: &LoanAccount,
        running: &Running,
        originated: Mined,
        tip: Tip,
        observation: &mut Sight,
    ) -> Result<(), DeskError> {
        let escrow = running.record().loan.outpoint;
        if let Some(end) = &loan.end {
            let txid = crate::outpoint::to_bitcoin(domain::Outpoint { txid: end.txid, vout: 0 }).txid;
            observation.ending = self.whereabouts(txid).await?;
            observation.end = waiting_end(loan);
            if let Whereabouts::Confirmed(mined) = observation.ending {
                observation.spent = Some(Spent { ending: end.ending, txid, mined });
                return Ok(());
            }
        }
        if self.ports.chain().unspent_in_blocks(escrow).await?.is_none() {
            observation.spent = self.spender(loan, running, originated, tip).await?;
        } else if let (Whereabouts::Nowhere, Some(end)) = (observation.ending, &observation.end) {
            observation.is_end_impossible = self.missing_input(std::slice::from_ref(end)).await?.is_some();
        }
        Ok(())
    }

    /// Returns the status of a transaction.
    pub(super) async fn whereabouts(&self, txid: Txid) -> Result<Whereabouts, DeskError> {
        let chain = self.ports.chain();
        let Some(seen) = chain.transaction(txid).await? else { return Ok(Whereabouts::Nowhere) };
        let Presence::Confirmed { block, height } = seen.presence else { return Ok(Whereabouts::Waiting) };
        let seconds = chain.median_time(block).await?;
        let seconds = seconds.ok_or_else(|| ChainError::Nonsense(format!("it does not know the block {block}")))?;
        Ok(Whereabouts::Confirmed(Mined { height, at: UnixMs(u64::from(seconds) * 1_000) }))
    }

    /// Returns why an input of these transactions is missing, if one is, while they are unknown to the node themselves.
    async fn missing_input(&self, transactions: &[Transaction]) -> Result<Option<Missing>, DeskError> {
        let own: Vec<Txid> = transactions.iter().map(Transaction::compute_txid).collect();
        let mut found = None;
        for input in transactions.iter().flat_map(|transaction| &transaction.input) {
            let outpoint = input.previous_output;
            if own.contains(&outpoint.txid) || self.ports.chain().unspent_in_blocks(outpoint).await?.is_some() {
                continue;
            }
            match self.whereabouts(outpoint.txid).await? {
                Whereabouts::Confirmed(_) => return Ok(Some(Missing::Spent)),
                Whereabouts::Nowhere => found = Some(Missing::Forgotten),
                // It is confirmed with the next blocks.
                Whereabouts::Waiting => {}
            }
        }
        Ok(found)
    }

    /// Whether the origination secures the loan: for BRC-20 the indexer must hold the new transfer inscription valid.
    async fn is_pledged(&self, running: &Running) -> Result<bool, DeskError> {
        let loan = &running.record().loan;
        let Pledge::Note { .. } = loan.pledge else { return Ok(true) };
        if self.ports.chain().unspent_in_blocks(loan.outpoint).await?.is_none() {
            // It has moved since, so it was there.
            return Ok(true);
        }
        let id = InscriptionId { txid: loan.outpoint.txid, index: 0 };
        let note = self.ports.brc20().note(id).await.map_err(crate::lookup::LookupError::from)?;
        Ok(note.is_some_and(|note| !note.is_used))
    }

    /// Returns how a loan ended by the transaction that originated another one.
    async fn ended_by_successor(&self, loan: &LoanAccount, txid: Txid) -> Option<Ending> {
        let txid = crate::outpoint::to_domain(OutPoint::new(txid, 0)).txid;
        let begins = |next: &LoanAccount| next.deal.follows == Some(loan.id) && next.txid == Some(txid);
        let next = self.market.open_loan_of(loan.deal.borrower, begins).await?;
        let is_extension = next.extended_until.is_some();
        Some(if is_extension { Ending::Extension(next.id) } else { Ending::Refinance(next.id) })
    }

    /// Finds the spender of an escrow that is spent in a block, backwards from the tip, as it is rarely long ago.
    async fn spender(
        &self,
        loan: &LoanAccount,
        running: &Running,
        originated: Mined,
        tip: Tip,
    ) -> Result<Option<Spent>, DeskError> {
        let (chain, escrow) = (self.ports.chain(), running.record().loan.outpoint);
        let oldest = originated.height.max(tip.height.saturating_sub(BLOCKS_READ_MAX));
        for height in (oldest..=tip.height).rev() {
            let Some(block) = chain.block_hash(height).await? else { continue };
            let transactions = chain.transactions_of(block).await?.unwrap_or_default();
            let found =
                transactions.iter().find_map(|transaction| Some((transaction, ending(transaction, running, escrow)?)));
            if let Some((transaction, found)) = found {
                let Whereabouts::Confirmed(mined) = self.whereabouts(transaction.compute_txid()).await? else { break };
                let txid = transaction.compute_txid();
                // A replaced transaction may have been confirmed after all.
                let by_successor = if found == Ending::Repayment { self.ended_by_successor(loan, txid).await } else { None };
                return Ok(Some(Spent { ending: by_successor.unwrap_or(found), txid, mined }));
            }
        }
        Ok(None)
    }
}

/// Returns how a transaction ends a loan, if it does, by the escrow's leaf that it spends.
fn ending(transaction: &Transaction, running: &Running, escrow: OutPoint) -> Option<Ending> {
    let input = transaction.input.iter().find(|input| input.previous_output == escrow)?;
    let claim = &running.record().loan.escrow.claim_leaf().script;
    let script = input.witness.taproot_leaf_script().map(|leaf| leaf.script);
    Some(if script == Some(claim.as_script()) { Ending::Claim } else { Ending::Repayment })
}
