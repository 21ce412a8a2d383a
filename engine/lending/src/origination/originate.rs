//! The origination of a loan whose transactions are fully signed: journaled, then broadcast.

use bitcoin::{OutPoint, Transaction, Txid};
use domain::{GRACE_MS, LoanAccount, LoanId};
use engine::SignedLoan;
use engine::chain::Chain as _;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::loan_record::LoanRecord;
use tracing::{Instrument as _, debug_span};

use crate::ending::refinance::replaced_loan_event;
use crate::lookups::ports::Ports;
use crate::records::contract::{Contract, LoanTransactions};
use crate::records::outpoint;
use crate::records::running_record::Running;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

impl<P: Ports> LoanService<P> {
    /// Journals a finished loan and broadcasts it. The node checks the transactions before anything is journaled; a
    /// broadcast that it does not answer is repeated by the watcher.
    pub(super) async fn originate_loan(
        &self,
        contract: &Contract,
        beginning: &LoanTransactions,
        transactions: Vec<Transaction>,
        beforehand: PayoutSignatures,
        vault: Option<domain::VaultSpend>,
    ) -> Result<Txid, LoanServiceError> {
        self.ports.chain().test_accept(&transactions).instrument(debug_span!("test")).await?;
        let txid = beginning.txid();
        let running = running(contract, beginning, transactions, beforehand, self.rules.network)?;
        let signed = SignedLoan {
            txid: outpoint::to_domain(OutPoint::new(txid, 0)).txid,
            running: running.to_record(),
            vault,
            ends: replaced_loan_event(contract, &running.transactions),
        };
        self.market.begin_loan(contract.loan, signed, None).instrument(debug_span!("journal")).await?;
        self.broadcast_or_log(&running.transactions).await;
        Ok(txid)
    }

    /// Resolves concurrent duplicates of a signed request: the slower one finds the coins spent and the loan
    /// originated, and returns the same answer.
    pub(super) async fn or_if_originated(
        &self,
        id: LoanId,
        txid: Txid,
        answer: Result<Txid, LoanServiceError>,
    ) -> Result<Txid, LoanServiceError> {
        let own = outpoint::to_domain(OutPoint::new(txid, 0)).txid;
        let is_begun = |loan: LoanAccount| loan.txid == Some(own);
        match answer {
            Err(_) if self.market.loan(id).await.is_some_and(is_begun) => Ok(txid),
            answer => answer,
        }
    }
}

/// Builds the record of the running loan.
fn running(
    contract: &Contract,
    beginning: &LoanTransactions,
    transactions: Vec<Transaction>,
    pre_signatures: PayoutSignatures,
    network: bitcoin::Network,
) -> Result<Running, LoanServiceError> {
    let grace = u32::try_from(GRACE_MS / 1_000).map_err(|_| LoanServiceError::OutOfRange)?;
    let record = LoanRecord {
        network,
        loan: beginning.loan.clone(),
        pre_signatures,
        due_seconds: contract.claim_after.saturating_sub(grace),
        origination: transactions.last().cloned().ok_or(LoanServiceError::TransactionMismatch)?,
    };
    let pads: Vec<OutPoint> = beginning.pads.iter().map(|pad| pad.outpoint).collect();
    let borrower = BorrowerKit::new(record, contract.borrower.payment, &pads)?;
    Ok(Running { transactions, borrower, lender_payment: contract.lender.payment })
}
