//! The origination of a loan: collateral into the escrow, principal to the borrower.
//!
//! ```text
//! inputs                       outputs
//! 0.. the collateral's coins   0  escrow
//!  .. the lender's coins       1  principal, less what the borrower pays
//!                              2  pad       (BRC-20: the commit, which the reveal spends into escrow and pads)
//!                              3  pad       (several inscriptions: as many pads as they are, and one)
//!                              4  the rest of the runes, when there is one
//!                              .. platform fee
//!                              .. the lender's change, of a vault in up to 8 outputs (BRC-20: none)
//!                              .. the runestone, when there are runes
//! ```
//!
//! The lender pays principal and platform fee; the borrower pays the network fee, pads and postage out of the
//! principal. The change of a vault may be several outputs, and the vault pays the network fee for all of them but one.
//!
//! With an output of an origination against BRC-20 the lender could inscribe a conflicting transfer into the escrow
//! before the reveal does, so the lender gets none and must bring exactly the amount due. A lender gets such a coin by
//! paying that amount to their own address and waiting for its confirmation.

pub mod fault;

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Weight, absolute};
use thiserror::Error;

use super::collateral::{Collateral, CollateralError};
use super::collateral_flow::runestone_output;
use super::funding::Funding;
use super::loan_escrow::LoanEscrow;
use super::origination_outputs::{COMMIT, ESCROW, PAD, PRINCIPAL, pads};
use super::reveal::{self, Reveal, RevealError};
use super::running_loan::RunningLoan;
use crate::contract::assets::asset_coin::POSTAGE;
use crate::contract::assets::brc20_transfer::Brc20Transfer;
use crate::contract::assets::commit::{Commit, CommitError};
use crate::contract::transaction::assembly::WEIGHT_MAX;
use crate::contract::transaction::coin::Coin;
use crate::contract::transaction::side::{CounterpartyCoin, Side};
use crate::contract::transaction::spend::Spend;
use crate::contract::transaction::template::vout;
use crate::contract::transaction::template::{Template, fee_of, has_address, weight};
use crate::contract::vault::vault_change::{self, SplitError};
use fault::OriginationFault;

/// An origination to build.
#[derive(Clone, Copy, Debug)]
pub struct Origination<'a> {
    /// The escrow that receives the collateral.
    pub escrow: &'a LoanEscrow,
    /// The borrower's collateral.
    pub collateral: Collateral<'a>,
    /// The lender's funding of the principal.
    pub funding: Funding<'a>,
    /// The principal.
    pub principal: Amount,
    /// The platform fee that the lender pays, with its receiving script.
    pub platform_fee: Option<&'a TxOut>,
    /// The script that pays the borrower.
    pub borrower_payment: &'a ScriptBuf,
    /// The fee rate that the borrower pays, out of the principal.
    pub fee_rate: FeeRate,
    /// The number of outputs in which the rest returns to a vault, which pays for all of them but one; 1 for coins.
    pub change_outputs: usize,
}

/// The reason why a loan cannot start in this way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OriginationError {
    /// The borrower's coins cannot be collateral.
    #[error(transparent)]
    Collateral(#[from] CollateralError),
    /// A coin's script does not match its key.
    #[error("input {index} does not belong to the key that must sign for it")]
    ForeignCoin {
        /// The input's index.
        index: usize,
    },
    /// The same coin is spent twice.
    #[error("input {index} spends a coin that another input spends")]
    DuplicateCoin {
        /// The input's index.
        index: usize,
    },
    /// A coin belongs to the other side.
    #[error(transparent)]
    CounterpartyCoin(#[from] CounterpartyCoin),
    /// An output below the dust limit.
    #[error("output {index} would hold {value}, below the dust limit of {min}")]
    Dust {
        /// The output's index.
        index: usize,
        /// The value that it would hold.
        value: Amount,
        /// The minimum.
        min: Amount,
    },
    /// The script has no address: nodes would not relay the payment, or nothing could spend it.
    #[error("output {index} pays to a script that has no address")]
    NoAddress {
        /// The output's index.
        index: usize,
    },
    /// The lender's coins are insufficient.
    #[error("the lender's coins hold {found}, and {wanted} is required")]
    InsufficientFunds {
        /// Principal plus platform fee.
        wanted: Amount,
        /// The amount found.
        found: Amount,
    },
    /// A change output would let the lender act before the reveal.
    #[error(
        "the lender's coins hold {found}, and exactly {wanted} is required: first pay that to the lender's own address"
    )]
    FundingNotExact {
        /// Principal plus platform fee.
        wanted: Amount,
        /// The amount found.
        found: Amount,
    },
    /// The change of the vault cannot be split into this number of outputs.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// The borrower's costs exceed the principal.
    #[error("fee, pads and postage take {costs} of {available}, which is the principal and the collateral's own sats")]
    PrincipalTooSmall {
        /// The borrower's costs.
        costs: Amount,
        /// The amount found.
        available: Amount,
    },
    /// There is no commit output for the transfer.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The transaction is heavier than nodes relay.
    #[error("the transaction weighs {found}, and nodes relay {most} at most: take fewer coins")]
    TooHeavy {
        /// The maximum.
        most: Weight,
        /// The weight that it would have.
        found: Weight,
    },
    /// An amount exceeds the supply of bitcoin.
    #[error("an amount exceeds the supply of bitcoin")]
    Overflow,
    /// The finished transaction fails its final check and is not sent.
    #[error("the transaction fails its final check: {0}")]
    Unsound(#[from] OriginationFault),
}

impl Origination<'_> {
    /// Builds the transaction, with every sat and every rune accounted for.
    pub fn build(&self) -> Result<Template, OriginationError> {
        self.collateral.pledge()?;
        self.check_coins()?;
        let spends = self.spends();
        let (collateral, funding) = spends.split_at(self.collateral.coins().len());
        let (brought, found) = (funds(collateral)?, funds(funding)?);
        let wanted = self.lender_pays()?;
        let rest = found.checked_sub(wanted).ok_or(OriginationError::InsufficientFunds { wanted, found })?;
        if rest > Amount::ZERO && self.transfer().is_some() {
            return Err(OriginationError::FundingNotExact { wanted, found });
        }
        let change = self.change(rest)?;
        let commit = self.transfer().map(|transfer| reveal::commit(self.escrow, transfer)).transpose()?;
        let mut outputs = self.own_outputs(commit.as_ref());
        let own = outputs.len();
        outputs.extend(self.platform_fee.cloned());
        let change_places = outputs.len()..outputs.len() + change.len();
        outputs.extend(change);
        outputs.extend(self.collateral.runestone().as_ref().map(runestone_output));
        let weight = weight(&spends, &outputs);
        if weight > WEIGHT_MAX {
            return Err(OriginationError::TooHeavy { most: WEIGHT_MAX, found: weight });
        }
        let fee = if let Some(commit) = commit {
            let shares =
                reveal::fee_and_commit_value(&commit, weight, self.escrow, self.borrower_payment, self.fee_rate);
            let (fee, held) = shares.ok_or(OriginationError::Overflow)?;
            outputs[COMMIT].value = held;
            fee
        } else {
            fee_of(weight, self.fee_rate).ok_or(OriginationError::Overflow)?
        };
        let surplus = self.surplus(rest, weight, &mut outputs[change_places])?;
        let mut costs = outputs[..own].iter().map(|output| output.value);
        let costs = costs.try_fold(fee, Amount::checked_add).ok_or(OriginationError::Overflow)?;
        let available = self.principal.checked_add(brought).and_then(|gross| gross.checked_add(surplus));
        let available = available.ok_or(OriginationError::Overflow)?;
        let net = available.checked_sub(costs).ok_or(OriginationError::PrincipalTooSmall { costs, available })?;
        outputs[PRINCIPAL].value = net;
        for (index, output) in outputs.iter().enumerate() {
            let min = output.script_pubkey.minimal_non_dust();
            if output.value < min {
                return Err(OriginationError::Dust { index, value: output.value, min });
            }
            if output.value > Amount::ZERO && !has_address(&output.script_pubkey) {
                return Err(OriginationError::NoAddress { index });
            }
        }
        let template = Template::new(Version::TWO, absolute::LockTime::ZERO, &spends, outputs);
        self.check(&template)?;
        Ok(template)
    }

    /// The transaction that inscribes the new BRC-20 transfer into the escrow; `None` for all other collateral.
    #[must_use]
    pub fn reveal<'a>(&'a self, origination: &'a Template) -> Option<Reveal<'a>> {
        let Self { escrow, borrower_payment, fee_rate, .. } = *self;
        self.transfer().map(|transfer| Reveal { escrow, transfer, origination, borrower_payment, fee_rate })
    }

    /// The loan that a transaction of [`Self::build`] begins, together with its reveal if there is one.
    ///
    /// # Errors
    /// None for a transaction that was built here.
    pub fn running_loan(&self, template: &Template, payout: TxOut) -> Result<RunningLoan, RevealError> {
        let pledge = self.collateral.pledge()?;
        let (txid, index, value) = match self.reveal(template) {
            Some(reveal) => (reveal.build()?.final_txid(), reveal::ESCROW, POSTAGE),
            None => (template.final_txid(), ESCROW, self.escrow_value()),
        };
        Ok(RunningLoan {
            escrow: self.escrow.clone(),
            outpoint: OutPoint::new(txid, vout(index)),
            value,
            pledge,
            payout,
        })
    }

    /// The escrow and the borrower's outputs, at the borrower's cost; principal and commit have no value yet.
    fn own_outputs(&self, commit: Option<&Commit>) -> Vec<TxOut> {
        let to_borrower = |value| TxOut { value, script_pubkey: self.borrower_payment.clone() };
        let escrow = TxOut { value: self.escrow_value(), script_pubkey: self.escrow.output().script_pubkey() };
        let mut outputs = vec![escrow, to_borrower(Amount::ZERO)];
        match commit {
            Some(commit) => outputs.push(commit.output(Amount::ZERO)),
            None => outputs.extend(pads(self.collateral.range_count()).map(|_| to_borrower(PAD))),
        }
        outputs.extend(self.collateral.rest());
        outputs
    }

    /// The change outputs, if the rest suffices for an output.
    fn change(&self, rest: Amount) -> Result<Vec<TxOut>, OriginationError> {
        let (script, count) = (self.funding.change(), self.change_outputs);
        let due = if rest < script.minimal_non_dust() { Amount::ZERO } else { rest };
        if matches!(self.funding, Funding::Coins { .. }) && count != 1 {
            return Err(SplitError { rest, max: 1, found: count }.into());
        }
        vault_change::check_count(due, count, &script, self.fee_rate)?;
        Ok(if due == Amount::ZERO { Vec::new() } else { vault_change::outputs(due, count, &script) })
    }

    /// The amount that the lender pays beyond principal and platform fee, which reduces the borrower's costs: the cost
    /// of splitting the change, and a rest too small for an output. The former is deducted from the change.
    fn surplus(&self, rest: Amount, weight: Weight, change: &mut [TxOut]) -> Result<Amount, OriginationError> {
        if change.is_empty() {
            return Ok(rest);
        }
        let script = self.funding.change();
        let cost = vault_change::split_cost(weight, change.len(), &script, self.fee_rate);
        let cost = cost.ok_or(OriginationError::Overflow)?;
        let back = rest.checked_sub(cost).ok_or(OriginationError::Overflow)?;
        change.clone_from_slice(&vault_change::outputs(back, change.len(), &script));
        Ok(cost)
    }

    fn escrow_value(&self) -> Amount {
        self.collateral.escrow_value(&self.escrow.output().script_pubkey())
    }

    fn transfer(&self) -> Option<&Brc20Transfer> {
        match self.collateral {
            Collateral::Brc20 { transfer, .. } => Some(transfer),
            Collateral::Inscription(_) | Collateral::Inscriptions(_) | Collateral::Runes { .. } => None,
        }
    }

    fn spends(&self) -> Vec<Spend<'_>> {
        let collateral = self.collateral.coins().iter().map(|coin| Spend::Coin(&coin.coin));
        collateral.chain(self.funding.spends()).collect()
    }

    fn check_coins(&self) -> Result<(), OriginationError> {
        let collateral = self.collateral.coins().iter().map(|coin| &coin.coin);
        let mut coins = collateral.chain(self.funding.coins()).map(Coin::matches_key);
        if let Some(index) = coins.position(|is_own| !is_own) {
            return Err(OriginationError::ForeignCoin { index });
        }
        let outpoints: Vec<OutPoint> = self.spends().iter().map(Spend::outpoint).collect();
        if let Some(index) = (0..outpoints.len()).find(|index| outpoints[..*index].contains(&outpoints[*index])) {
            return Err(OriginationError::DuplicateCoin { index });
        }
        let terms = self.escrow.terms();
        let rest = self.collateral.rest_script().map(ScriptBuf::from);
        let borrower = Side {
            key: terms.borrower,
            scripts: [self.borrower_payment.clone()].into_iter().chain(rest).collect(),
            coins: self.collateral.coins().iter().map(|coin| &coin.coin).collect(),
        };
        Ok(borrower.check_disjoint(&self.funding.side(terms.lender))?)
    }

    /// Principal plus platform fee.
    fn lender_pays(&self) -> Result<Amount, OriginationError> {
        let fee = self.platform_fee.map_or(Amount::ZERO, |output| output.value);
        self.principal.checked_add(fee).ok_or(OriginationError::Overflow)
    }
}

/// The total of the inputs.
fn funds(spends: &[Spend<'_>]) -> Result<Amount, OriginationError> {
    let mut values = spends.iter().map(|spend| spend.output().value);
    values.try_fold(Amount::ZERO, Amount::checked_add).ok_or(OriginationError::Overflow)
}
