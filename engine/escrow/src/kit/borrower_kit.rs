//! The borrower's kit, which repays a loan.

use bitcoin::transaction::Version;
use bitcoin::{FeeRate, OutPoint, ScriptBuf, Transaction};

use super::kit_error::KitError;
use super::loan_record::LoanRecord;
use super::rebuild::{self, RebuildError};
use crate::contract::loan::repayable_loan::RepayableLoan;
use crate::contract::loan::repayment::{Repayment, RepaymentError};
use crate::contract::signing::signatures::{SignatureError, Signatures};
use crate::contract::transaction::assembly::AssemblyError;
use crate::contract::transaction::coin::{Coin, CoinKey};
use crate::contract::transaction::template::Template;

/// The data that the borrower needs to repay alone, except the keys and the money.
#[derive(Clone, Debug)]
pub struct BorrowerKit {
    record: LoanRecord,
    payment: CoinKey,
    pads: Vec<Coin>,
}

impl BorrowerKit {
    /// Builds the kit of a loan whose pads, outputs of its origination, belong to the borrower's payment key.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn new(record: LoanRecord, payment: CoinKey, pads: &[OutPoint]) -> Result<Self, KitError> {
        record.check()?;
        let (wanted, found) = (record.loan.pad_count(), pads.len());
        if found != wanted {
            return Err(KitError::PadCount { wanted, found });
        }
        if let Some(index) = (0..found).find(|index| pads[..*index].contains(&pads[*index])) {
            return Err(KitError::SamePad(pads[index]));
        }
        let pad = |outpoint: &OutPoint| {
            let outpoint = *outpoint;
            let output = record.output(outpoint).cloned();
            let coin = output.map(|output| Coin { outpoint, output, key: payment });
            coin.filter(Coin::matches_key).ok_or(KitError::PadMismatch(outpoint))
        };
        let pads = pads.iter().map(pad).collect::<Result<_, KitError>>()?;
        Ok(Self { record, payment, pads })
    }

    /// The loan.
    #[must_use]
    pub const fn record(&self) -> &LoanRecord {
        &self.record
    }

    /// The key that pays, receives payments, and owns the pads.
    #[must_use]
    pub const fn payment(&self) -> &CoinKey {
        &self.payment
    }

    /// The small outputs of the origination that precede the escrow when it is spent.
    #[must_use]
    pub fn pads(&self) -> &[Coin] {
        &self.pads
    }

    /// The script that receives the collateral: always the borrower's own ordinals address, whatever a file claims.
    #[must_use]
    pub fn ordinals_script(&self) -> ScriptBuf {
        CoinKey::P2tr(self.record.loan.escrow.terms().borrower).script_pubkey()
    }

    /// Builds the repayment from these coins, all of them confirmed: first the pads that precede the escrow, usually
    /// [`BorrowerKit::pads`] and never fewer; then the coins that pay. All belong to the payment key, which gets the
    /// change: a kit with a forged payment key cannot build a transaction of the borrower's coins.
    ///
    /// # Errors
    /// Those of [`Repayment::build`].
    pub fn repayment(
        &self,
        pads: &[Coin],
        funding: &[Coin],
        version: Version,
        fee_rate: FeeRate,
    ) -> Result<Template, RepaymentError> {
        if let Some(coin) = pads.iter().chain(funding).find(|coin| coin.key != self.payment) {
            return Err(AssemblyError::ForeignCoin(coin.outpoint).into());
        }
        let loans = [self.repayable()];
        let (destination, change) = (self.ordinals_script(), self.payment.script_pubkey());
        let repayment = Repayment {
            loans: &loans,
            version,
            pads,
            funding,
            unconfirmed: &[],
            destination: &destination,
            change: &change,
            fee_rate,
        };
        repayment.build()
    }

    /// Returns the pre-signatures of the repayment, verified against it.
    ///
    /// # Errors
    /// If they are not valid for this transaction.
    pub fn pre_signatures(&self, repayment: &Template) -> Result<Signatures, SignatureError> {
        self.repayable().signatures(repayment)
    }

    const fn repayable(&self) -> RepayableLoan<'_> {
        RepayableLoan { loan: &self.record.loan, pre_signatures: &self.record.pre_signatures }
    }

    /// Rebuilds a repayment that was handed out before, from the coins that it spends besides the escrow, as the chain
    /// has them.
    ///
    /// # Errors
    /// If it is any other transaction.
    pub fn rebuild_repayment(&self, unsigned: &Transaction, coins: &[Coin]) -> Result<Template, RebuildError> {
        let loans = [self.repayable()];
        rebuild::repayment(&loans, &self.payment, &self.ordinals_script(), unsigned, coins)
    }
}
