//! The journal's record of a fully signed loan: its transactions, and what is needed to end it.

use bitcoin::consensus::encode::{deserialize_hex, serialize_hex};
use bitcoin::{OutPoint, Transaction};
use domain::{LoanAccount, UnixMs};
use escrow::contract::transaction::coin::CoinKey;
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::kit_error::KitError;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::loan_record::LoanRecord;
use serde::{Deserialize, Serialize};
use signer::request::BorrowerKey;
use thiserror::Error;

/// The version that is written.
const VERSION: u8 = 1;

/// A fully signed loan.
#[derive(Clone, Debug)]
pub struct Running {
    /// The transactions that originate it, parents first.
    pub transactions: Vec<Transaction>,
    /// The borrower's kit, with which it is repaid.
    pub borrower: BorrowerKit,
    /// The key that pays the lender's fees and receives the change.
    pub lender_payment: CoinKey,
}

/// The reason why a record is unreadable: another program wrote it, or it is damaged.
#[derive(Debug, Error)]
pub enum RunningError {
    /// Invalid JSON, or of another form.
    #[error("the record is not understood: {0}")]
    Json(#[from] serde_json::Error),
    /// An invalid transaction.
    #[error("a transaction of the record is not understood")]
    Transaction,
    /// An invalid kit.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// A record of an unsupported version.
    #[error("the record has version {0}, and this program reads version {VERSION}")]
    Version(u8),
    /// The loan is not fully signed yet.
    #[error("the loan does not run")]
    NotRunning,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunningRecord {
    version: u8,
    transactions: Vec<String>,
    borrower_kit: String,
    lender_payment: BorrowerKey,
}

impl Running {
    /// Serializes the loan.
    #[must_use]
    pub fn to_record(&self) -> String {
        let record = RunningRecord {
            version: VERSION,
            transactions: self.transactions.iter().map(serialize_hex).collect(),
            borrower_kit: Kit::Borrower(Box::new(self.borrower.clone())).write(),
            lender_payment: self.lender_payment.into(),
        };
        // Serializing strings, numbers and lists cannot fail.
        serde_json::to_string(&record).unwrap_or_default()
    }

    /// Parses the record of a loan account.
    pub fn of(account: &LoanAccount) -> Result<Self, RunningError> {
        let text = account.running.as_deref().ok_or(RunningError::NotRunning)?;
        let record: RunningRecord = serde_json::from_str(text)?;
        if record.version != VERSION {
            return Err(RunningError::Version(record.version));
        }
        let transactions = record.transactions.iter().map(|hex| deserialize_hex(hex));
        let transactions = transactions.collect::<Result<_, _>>().map_err(|_| RunningError::Transaction)?;
        let Kit::Borrower(borrower) = Kit::read(&record.borrower_kit)? else { return Err(RunningError::Transaction) };
        Ok(Self { transactions, borrower: *borrower, lender_payment: record.lender_payment.into() })
    }

    /// The loan record in both kits.
    #[must_use]
    pub const fn record(&self) -> &LoanRecord {
        self.borrower.record()
    }

    /// Returns the borrower's kit with the due date.
    pub fn borrower_kit(&self, due_at: Option<UnixMs>) -> Result<BorrowerKit, KitError> {
        let pads: Vec<OutPoint> = self.borrower.pads().iter().map(|pad| pad.outpoint).collect();
        BorrowerKit::new(self.dated(due_at), *self.borrower.payment(), &pads)
    }

    /// Returns the lender's kit with the due date.
    pub fn lender_kit(&self, due_at: Option<UnixMs>) -> Result<LenderKit, KitError> {
        LenderKit::new(self.dated(due_at), self.lender_payment)
    }

    fn dated(&self, due_at: Option<UnixMs>) -> LoanRecord {
        let mut record = self.record().clone();
        let due = due_at.and_then(|due| u32::try_from(due.seconds()).ok());
        record.due_seconds = due.unwrap_or(record.due_seconds);
        record
    }
}
