//! The lender's kit: takes the collateral of a loan that was not repaid.

use bitcoin::ScriptBuf;

use super::difference::check_same;
use super::document::LenderDocument;
use super::field;
use super::kit_error::KitError;
use super::loan_record::LoanRecord;
use crate::contract::coin::CoinKey;

/// Everything that the lender needs to claim alone, but the keys and a coin for the fee.
#[derive(Clone, Debug)]
pub struct LenderKit {
    record: LoanRecord,
    payment: CoinKey,
}

impl LenderKit {
    /// The kit of a loan.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn new(record: LoanRecord, payment: CoinKey) -> Result<Self, KitError> {
        record.check()?;
        Ok(Self { record, payment })
    }

    /// The loan.
    #[must_use]
    pub const fn record(&self) -> &LoanRecord {
        &self.record
    }

    /// The key that pays the fee and gets the change.
    #[must_use]
    pub const fn payment(&self) -> &CoinKey {
        &self.payment
    }

    /// Where the collateral goes: the lender's own ordinals address, whatever anybody writes into a kit.
    #[must_use]
    pub fn home(&self) -> ScriptBuf {
        CoinKey::P2tr(self.record.loan.escrow.terms().lender).script_pubkey()
    }

    pub(super) fn of(document: &LenderDocument) -> Result<Self, KitError> {
        let network = field::network(&document.network)?;
        let record = LoanRecord::of(&document.loan, network)?;
        let kit = Self::new(record, field::payment(&document.payment, network)?)?;
        check_same(document, &LenderDocument::of(&kit))?;
        Ok(kit)
    }
}
