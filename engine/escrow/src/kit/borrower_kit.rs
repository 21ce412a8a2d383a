//! The borrower's kit: repays a loan.

use bitcoin::{OutPoint, ScriptBuf};

use super::difference::check_same;
use super::document::BorrowerDocument;
use super::field;
use super::kit_error::KitError;
use super::loan_record::LoanRecord;
use crate::contract::coin::{Coin, CoinKey};

/// Everything that the borrower needs to repay alone, but the keys and the money.
#[derive(Clone, Debug)]
pub struct BorrowerKit {
    record: LoanRecord,
    payment: CoinKey,
    pads: [Coin; 2],
}

impl BorrowerKit {
    /// The kit of a loan whose pads, outputs of its origination, belong to the borrower's payment key.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn new(record: LoanRecord, payment: CoinKey, pads: [OutPoint; 2]) -> Result<Self, KitError> {
        record.check()?;
        if pads[0] == pads[1] {
            return Err(KitError::SamePad(pads[0]));
        }
        let pad = |outpoint: OutPoint| {
            let output = record.output(outpoint).cloned();
            let coin = output.map(|output| Coin { outpoint, output, key: payment });
            coin.filter(Coin::is_its_keys).ok_or(KitError::PadElsewhere(outpoint))
        };
        let pads = [pad(pads[0])?, pad(pads[1])?];
        Ok(Self { record, payment, pads })
    }

    /// The loan.
    #[must_use]
    pub const fn record(&self) -> &LoanRecord {
        &self.record
    }

    /// The key that pays and is paid, and of the pads.
    #[must_use]
    pub const fn payment(&self) -> &CoinKey {
        &self.payment
    }

    /// The small outputs of the origination that stand in front of the escrow when it is spent.
    #[must_use]
    pub const fn pads(&self) -> &[Coin; 2] {
        &self.pads
    }

    /// Where the collateral goes: the borrower's own ordinals address, whatever anybody writes into a kit.
    #[must_use]
    pub fn home(&self) -> ScriptBuf {
        CoinKey::P2tr(self.record.loan.escrow.terms().borrower).script_pubkey()
    }

    pub(super) fn of(document: &BorrowerDocument) -> Result<Self, KitError> {
        let network = field::network(&document.network)?;
        let pads = [field::outpoint("pads", &document.pads[0])?, field::outpoint("pads", &document.pads[1])?];
        let record = LoanRecord::of(&document.loan, network)?;
        let kit = Self::new(record, field::payment(&document.payment, network)?, pads)?;
        check_same(document, &BorrowerDocument::of(&kit))?;
        Ok(kit)
    }
}
