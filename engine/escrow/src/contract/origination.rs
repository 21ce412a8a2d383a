//! The start of a loan: collateral into the escrow, principal to the borrower.
//!
//! ```text
//! inputs                       outputs
//! 0.. the collateral's coins   0  escrow
//!  .. the lender's coins       1  principal, less what the borrower pays
//!                              2  pad
//!                              3  pad
//!                              4  runes only: the rest of them, when there is one
//!                              .. platform fee, the lender's change
//!                              .. runes only: the runestone
//! ```
//!
//! The lender pays principal and platform fee; the borrower pays the miners, pads and postage out of the principal.

pub mod fault;

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, absolute};
use thiserror::Error;

use super::coin::Coin;
use super::collateral::{Collateral, CollateralError, vout};
use super::funding::Funding;
use super::loan_escrow::LoanEscrow;
use super::running_loan::RunningLoan;
use super::template::{Spend, Template, fee_of, weight};
use fault::OriginationFault;

/// Two of these go to the borrower, to come back in front of the escrow at the repayment: they keep the output beside
/// the escrow free for the lender's payout, and the inscription on its sat.
pub const PAD: Amount = Amount::from_sat(600);

/// Where the escrow stands.
pub const ESCROW: usize = 0;
/// Where the principal stands.
pub const PRINCIPAL: usize = 1;
/// Where the pads stand.
pub const PADS: [usize; 2] = [2, 3];
/// Where the rest of the runes stands, when there is one.
pub const REST: usize = 4;

/// What shall happen.
#[derive(Clone, Copy, Debug)]
pub struct Origination<'a> {
    /// Where the collateral goes.
    pub escrow: &'a LoanEscrow,
    /// What the borrower brings.
    pub collateral: Collateral<'a>,
    /// Who pays the principal, and from what.
    pub funding: Funding<'a>,
    /// What is lent.
    pub principal: Amount,
    /// What the lender pays the platform, and where.
    pub platform_fee: Option<&'a TxOut>,
    /// Where the borrower is paid.
    pub borrower_payment: &'a ScriptBuf,
    /// What the borrower pays the miners, out of the principal.
    pub fee_rate: FeeRate,
}

/// Why a loan cannot start like this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OriginationError {
    /// The borrower's coins are no collateral.
    #[error(transparent)]
    Collateral(#[from] CollateralError),
    /// A coin's script is not the one of its key.
    #[error("input {index} does not belong to the key that shall sign for it")]
    ForeignCoin {
        /// Which input.
        index: usize,
    },
    /// The same coin twice.
    #[error("input {index} spends a coin that another input spends")]
    RepeatedCoin {
        /// Which input.
        index: usize,
    },
    /// An output that no node would relay.
    #[error("output {index} would hold {value}, and nodes want at least {min}")]
    Dust {
        /// Which output.
        index: usize,
        /// What it would hold.
        value: Amount,
        /// The least.
        min: Amount,
    },
    /// The lender's coins do not suffice.
    #[error("the lender's coins hold {found}, and {wanted} is wanted")]
    FundingShort {
        /// Principal and platform fee.
        wanted: Amount,
        /// What there is.
        found: Amount,
    },
    /// What the borrower pays leaves nothing of the principal.
    #[error("fee, pads and postage take {costs} of {available}, which is the principal and the collateral's own sats")]
    PrincipalTooSmall {
        /// What it costs.
        costs: Amount,
        /// What there is.
        available: Amount,
    },
    /// More than all money.
    #[error("an amount exceeds all bitcoin there is")]
    Overflow,
    /// The finished transaction is not what it was meant to be: nobody gets to see it.
    #[error("the finished transaction is unsound: {0}")]
    Unsound(#[from] OriginationFault),
}

impl Origination<'_> {
    /// The transaction, every sat and every rune of it accounted for.
    pub fn build(&self) -> Result<Template, OriginationError> {
        self.collateral.pledge()?;
        self.check_coins()?;
        let spends = self.spends();
        let (collateral, funding) = spends.split_at(self.collateral.coins().len());
        let (brought, found) = (funds(collateral)?, funds(funding)?);
        let wanted = self.lender_pays()?;
        let rest = found.checked_sub(wanted).ok_or(OriginationError::FundingShort { wanted, found })?;
        let change = TxOut { value: rest, script_pubkey: self.funding.change() };
        let has_change = rest >= change.script_pubkey.minimal_non_dust();
        let to_borrower = |value| TxOut { value, script_pubkey: self.borrower_payment.clone() };
        let mut outputs = vec![
            TxOut { value: self.collateral.escrow_value(), script_pubkey: self.escrow.output().script_pubkey() },
            to_borrower(Amount::ZERO),
            to_borrower(PAD),
            to_borrower(PAD),
        ];
        outputs.extend(self.collateral.rest());
        let costs = outputs.iter().map(|output| output.value).try_fold(Amount::ZERO, Amount::checked_add);
        outputs.extend(self.platform_fee.cloned());
        outputs.extend(has_change.then_some(change));
        let runestone = self.collateral.runestone().map(|runestone| runestone.encipher());
        outputs.extend(runestone.map(|script_pubkey| TxOut { value: Amount::ZERO, script_pubkey }));
        let fee = fee_of(weight(&spends, &outputs), self.fee_rate);
        let costs = costs.zip(fee).and_then(|(costs, fee)| costs.checked_add(fee)).ok_or(OriginationError::Overflow)?;
        // A rest that is no output of its own is the lender's, but cannot go back: it lowers the borrower's fee.
        let dust = if has_change { Amount::ZERO } else { rest };
        let available = self.principal.checked_add(brought).and_then(|gross| gross.checked_add(dust));
        let available = available.ok_or(OriginationError::Overflow)?;
        let net = available.checked_sub(costs).ok_or(OriginationError::PrincipalTooSmall { costs, available })?;
        outputs[PRINCIPAL].value = net;
        for (index, output) in outputs.iter().enumerate() {
            let min = output.script_pubkey.minimal_non_dust();
            if output.value < min {
                return Err(OriginationError::Dust { index, value: output.value, min });
            }
        }
        let template = Template::new(Version::TWO, absolute::LockTime::ZERO, &spends, outputs);
        self.check(&template)?;
        Ok(template)
    }

    /// The loan that a transaction of [`Self::build`] begins.
    ///
    /// # Errors
    /// Why the borrower's coins are no collateral; none for what was built.
    pub fn running_loan(&self, template: &Template, payout: TxOut) -> Result<RunningLoan, CollateralError> {
        Ok(RunningLoan {
            escrow: self.escrow.clone(),
            outpoint: OutPoint::new(template.final_txid(), vout(ESCROW)),
            value: self.collateral.escrow_value(),
            pledge: self.collateral.pledge()?,
            payout,
        })
    }

    fn spends(&self) -> Vec<Spend<'_>> {
        let collateral = self.collateral.coins().iter().map(|coin| Spend::Coin(&coin.coin));
        collateral.chain(self.funding.spends()).collect()
    }

    fn check_coins(&self) -> Result<(), OriginationError> {
        let collateral = self.collateral.coins().iter().map(|coin| &coin.coin);
        let mut coins = collateral.chain(self.funding.coins()).map(Coin::is_its_keys);
        if let Some(index) = coins.position(|is_own| !is_own) {
            return Err(OriginationError::ForeignCoin { index });
        }
        let outpoints: Vec<OutPoint> = self.spends().iter().map(Spend::outpoint).collect();
        match (0..outpoints.len()).find(|index| outpoints[..*index].contains(&outpoints[*index])) {
            Some(index) => Err(OriginationError::RepeatedCoin { index }),
            None => Ok(()),
        }
    }

    /// Principal and platform fee.
    fn lender_pays(&self) -> Result<Amount, OriginationError> {
        let fee = self.platform_fee.map_or(Amount::ZERO, |output| output.value);
        self.principal.checked_add(fee).ok_or(OriginationError::Overflow)
    }
}

/// What goes in.
fn funds(spends: &[Spend<'_>]) -> Result<Amount, OriginationError> {
    let mut values = spends.iter().map(|spend| spend.output().value);
    values.try_fold(Amount::ZERO, Amount::checked_add).ok_or(OriginationError::Overflow)
}
