//! The lender's kit, which takes the collateral of a loan that was not repaid.

use bitcoin::{FeeRate, ScriptBuf, Transaction};

use super::kit_error::KitError;
use super::loan_record::LoanRecord;
use super::rebuild::{RebuildError, kit_input, rate, same};
use crate::contract::loan::claim::{Claim, ClaimError};
use crate::contract::transaction::coin::{Coin, CoinKey};
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::Template;

/// The data that the lender needs to claim alone, except the keys and a coin for the fee.
#[derive(Clone, Debug)]
pub struct LenderKit {
    record: LoanRecord,
    payment: CoinKey,
}

impl LenderKit {
    /// Builds the kit of a loan.
    ///
    /// # Errors
    /// The first contradiction found.
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

    /// The script that receives the collateral: always the lender's own ordinals address, whatever a file claims.
    #[must_use]
    pub fn ordinals_script(&self) -> ScriptBuf {
        CoinKey::P2tr(self.record.loan.escrow.terms().lender).script_pubkey()
    }

    /// Builds the claim, whose fee is paid by this coin of the payment key or, without one, by the sats of the
    /// collateral. The change goes to the same key: a kit with a forged payment key cannot build a transaction of the
    /// lender's coins.
    ///
    /// # Errors
    /// Those of [`Claim::build`].
    pub fn claim(&self, fee_coin: Option<&Coin>, fee_rate: FeeRate) -> Result<Template, ClaimError> {
        if fee_coin.is_some_and(|coin| coin.key != self.payment) {
            return Err(ClaimError::ForeignCoin);
        }
        let (destination, change) = (self.ordinals_script(), self.payment.script_pubkey());
        Claim { loan: &self.record.loan, fee_coin, destination: &destination, change: &change, fee_rate }.build()
    }

    /// Rebuilds a claim that was handed out before, from the coin that pays its fee, as the chain has it.
    ///
    /// # Errors
    /// If it is any other transaction.
    pub fn rebuild_claim(&self, unsigned: &Transaction, fee_coin: Option<&Coin>) -> Result<Template, RebuildError> {
        let loan = &self.record.loan;
        kit_input(unsigned, loan.outpoint)?;
        let escrow = loan.escrow.output().spend(loan.outpoint, loan.value, loan.escrow.claim_leaf());
        let spends: Vec<_> = [escrow].into_iter().chain(fee_coin.map(Spend::Coin)).collect();
        let fee_rate = rate(unsigned, &spends)?;
        same(self.claim(fee_coin, fee_rate)?, unsigned)
    }
}
