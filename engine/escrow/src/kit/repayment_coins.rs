//! The distribution of a borrower's coins in a repayment: pads before the escrow, and coins that pay.

use bitcoin::FeeRate;
use bitcoin::transaction::Version;

use super::borrower_kit::BorrowerKit;
use crate::contract::loan::repayment::RepaymentError;
use crate::contract::transaction::assembly::AssemblyError;
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::template::Template;

/// The coins of a repayment.
#[derive(Clone, Debug)]
pub struct RepaymentCoins {
    pads: Vec<Coin>,
    funding: Vec<Coin>,
    substitutes: usize,
}

impl RepaymentCoins {
    /// Distributes the kit's pads that are unspent and further coins, the largest first. The last coins take the places
    /// of spent pads: usually the smallest, because their whole amount is returned.
    #[must_use]
    pub fn new(kit: &BorrowerKit, unspent_pads: Vec<Coin>, mut coins: Vec<Coin>) -> Self {
        let mut pads = unspent_pads;
        coins.retain(|coin| pads.iter().all(|pad| pad.outpoint != coin.outpoint));
        let substitutes = kit.pads().len().saturating_sub(pads.len());
        pads.extend(coins.split_off(coins.len().saturating_sub(substitutes)));
        Self { pads, funding: coins, substitutes }
    }

    /// The number of spent pads that coins have to replace.
    #[must_use]
    pub const fn substitutes(&self) -> usize {
        self.substitutes
    }

    /// The coins that pay.
    #[must_use]
    pub fn funding(&self) -> &[Coin] {
        &self.funding
    }

    /// Builds the repayment from all coins.
    ///
    /// # Errors
    /// Those of [`BorrowerKit::repayment`].
    pub fn spend_all(
        &self,
        kit: &BorrowerKit,
        version: Version,
        fee_rate: FeeRate,
    ) -> Result<Template, RepaymentError> {
        kit.repayment(&self.pads, &self.funding, version, fee_rate)
    }

    /// Builds the repayment from as few of the coins as suffice.
    ///
    /// # Errors
    /// Those of [`BorrowerKit::repayment`].
    pub fn spend_few(
        &self,
        kit: &BorrowerKit,
        version: Version,
        fee_rate: FeeRate,
    ) -> Result<Template, RepaymentError> {
        for count in 1..self.funding.len() {
            match kit.repayment(&self.pads, &self.funding[..count], version, fee_rate) {
                Err(RepaymentError::Assembly(AssemblyError::InsufficientFunds { .. })) => {}
                other => return other,
            }
        }
        self.spend_all(kit, version, fee_rate)
    }
}
