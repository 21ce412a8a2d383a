//! The start of a loan: collateral into the escrow, principal to the borrower.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, absolute};
use thiserror::Error;

use super::coin::Coin;
use super::loan_escrow::LoanEscrow;
use super::sat_flow::{SatPlace, arrival};
use super::template::{Spend, Template, fee_of, total, weight};
use super::vault::Vault;

/// Two of these go to the borrower, to come back in front of the escrow at the repayment: they keep the output beside
/// the escrow free for the lender's payout, and the inscription on its sat.
pub const PAD: Amount = Amount::from_sat(600);

/// Where the escrow stands.
pub const ESCROW: usize = 0;
/// Where the principal stands.
pub const PRINCIPAL: usize = 1;
/// Where the pads stand.
pub const PADS: [usize; 2] = [2, 3];

/// What the lender pays from.
#[derive(Clone, Copy, Debug)]
pub enum Funding<'a> {
    /// A manual loan.
    Coins {
        /// The lender's confirmed coins, without inscriptions or runes.
        coins: &'a [Coin],
        /// Where the rest of them goes.
        change: &'a ScriptBuf,
    },
    /// An instant loan; the rest goes back to the vault.
    Vault {
        /// The lender's vault.
        vault: &'a Vault,
        /// Outputs that pay to it.
        outputs: &'a [(OutPoint, Amount)],
    },
}

impl<'a> Funding<'a> {
    fn coins(&self) -> &'a [Coin] {
        match self {
            Self::Coins { coins, .. } => coins,
            Self::Vault { .. } => &[],
        }
    }

    fn spends(&self) -> Vec<Spend<'a>> {
        match *self {
            Self::Coins { coins, .. } => coins.iter().map(Spend::Coin).collect(),
            Self::Vault { vault, outputs } => outputs
                .iter()
                .map(|(outpoint, value)| vault.output().spend(*outpoint, *value, vault.signer_leaf()))
                .collect(),
        }
    }

    /// Where the rest goes.
    fn change(&self) -> ScriptBuf {
        match self {
            Self::Coins { change, .. } => (*change).clone(),
            Self::Vault { vault, .. } => vault.output().script_pubkey(),
        }
    }
}

/// What shall happen.
#[derive(Clone, Copy, Debug)]
pub struct Origination<'a> {
    /// Where the collateral goes.
    pub escrow: &'a LoanEscrow,
    /// The borrower's coin that carries the inscription.
    pub collateral: &'a Coin,
    /// How many of its sats come before the inscription's.
    pub offset: Amount,
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
    /// The coin has no such sat.
    #[error("the inscription stands at sat {offset}, but the coin holds {value}")]
    OffsetOutside {
        /// Where it would be.
        offset: Amount,
        /// What there is.
        value: Amount,
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
    /// Fee and pads leave nothing of the principal.
    #[error("fee and pads take {costs} of a principal of {principal}")]
    PrincipalTooSmall {
        /// What it costs.
        costs: Amount,
        /// What is lent.
        principal: Amount,
    },
    /// More than all money.
    #[error("an amount exceeds all bitcoin there is")]
    Overflow,
    /// The finished transaction is not what it was meant to be: nobody gets to see it.
    #[error("the finished transaction is unsound: {0}")]
    Unsound(#[from] OriginationFault),
}

/// What the last look at a finished transaction can find.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OriginationFault {
    /// The inscription does not arrive in the escrow, on its sat.
    #[error("the inscription arrives at {found:?}, not in the escrow on its sat")]
    InscriptionAstray {
        /// Where it arrives.
        found: Option<SatPlace>,
    },
    /// The escrow's output is another one.
    #[error("the first output is not the escrow with all of the collateral")]
    WrongEscrow,
    /// The borrower does not get what is left of the principal after fee and pads.
    #[error("the borrower gets {found} beside the collateral, and {expected} is due")]
    BorrowerShort {
        /// What is due.
        expected: Amount,
        /// What arrives.
        found: Amount,
    },
    /// The lender pays more or less than principal and platform fee.
    #[error("the lender pays {found}, and {expected} is due")]
    LenderPays {
        /// What is due.
        expected: Amount,
        /// What leaves.
        found: Amount,
    },
    /// The platform does not get its fee.
    #[error("the platform's fee is not paid")]
    PlatformUnpaid,
    /// The miners get more or less than the rate asks for.
    #[error("the fee is {found:?}, and {expected} is due")]
    WrongFee {
        /// What is due.
        expected: Amount,
        /// What is paid.
        found: Option<Amount>,
    },
}

impl Origination<'_> {
    /// The transaction, every sat of it accounted for.
    pub fn build(&self) -> Result<Template, OriginationError> {
        self.check_coins()?;
        let spends = self.spends();
        let found = funds(&spends[1..])?;
        let wanted = self.lender_pays()?;
        let rest = found.checked_sub(wanted).ok_or(OriginationError::FundingShort { wanted, found })?;
        let change = TxOut { value: rest, script_pubkey: self.funding.change() };
        let has_change = rest >= change.script_pubkey.minimal_non_dust();
        let mut outputs = vec![
            TxOut { value: self.collateral.output.value, script_pubkey: self.escrow.output().script_pubkey() },
            TxOut { value: Amount::ZERO, script_pubkey: self.borrower_payment.clone() },
            TxOut { value: PAD, script_pubkey: self.borrower_payment.clone() },
            TxOut { value: PAD, script_pubkey: self.borrower_payment.clone() },
        ];
        outputs.extend(self.platform_fee.cloned());
        outputs.extend(has_change.then_some(change));
        // A rest that is no output of its own is the lender's, but cannot go back: it lowers the borrower's fee.
        let dust = if has_change { Amount::ZERO } else { rest };
        let fee = fee_of(weight(&spends, &outputs), self.fee_rate).ok_or(OriginationError::Overflow)?;
        outputs[PRINCIPAL].value = self.net_principal(fee, dust)?;
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

    fn spends(&self) -> Vec<Spend<'_>> {
        std::iter::once(Spend::Coin(self.collateral)).chain(self.funding.spends()).collect()
    }

    fn check_coins(&self) -> Result<(), OriginationError> {
        let value = self.collateral.output.value;
        if self.offset >= value {
            return Err(OriginationError::OffsetOutside { offset: self.offset, value });
        }
        let coins = std::iter::once(self.collateral).chain(self.funding.coins());
        if let Some(index) = coins.map(Coin::is_its_keys).position(|is_own| !is_own) {
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

    fn net_principal(&self, fee: Amount, dust: Amount) -> Result<Amount, OriginationError> {
        let costs = fee.checked_add(PAD).and_then(|costs| costs.checked_add(PAD)).ok_or(OriginationError::Overflow)?;
        let gross = self.principal.checked_add(dust).ok_or(OriginationError::Overflow)?;
        gross.checked_sub(costs).ok_or(OriginationError::PrincipalTooSmall { costs, principal: self.principal })
    }

    /// The last look: computed from the finished transaction alone, by other means than it was built.
    ///
    /// # Errors
    /// The first fault there is.
    pub fn check(&self, template: &Template) -> Result<(), OriginationFault> {
        let (inputs, outputs) = (template.input_amounts(), template.output_amounts());
        let transaction = &template.psbt.unsigned_tx;
        let collateral = self.collateral.output.value;
        let escrow = TxOut { value: collateral, script_pubkey: self.escrow.output().script_pubkey() };
        if transaction.output.first() != Some(&escrow) {
            return Err(OriginationFault::WrongEscrow);
        }
        let place = SatPlace { index: ESCROW, offset: self.offset };
        let found = arrival(&inputs, &outputs, place);
        if found != Some(place) {
            return Err(OriginationFault::InscriptionAstray { found });
        }
        let sum_to = |script: &ScriptBuf, but: Option<&TxOut>| -> Amount {
            let own =
                transaction.output.iter().filter(|output| output.script_pubkey == *script && Some(*output) != but);
            total(own.map(|output| output.value))
        };
        if self.platform_fee.is_some_and(|fee| !transaction.output.contains(fee)) {
            return Err(OriginationFault::PlatformUnpaid);
        }
        let platform = self.platform_fee.map_or(Amount::ZERO, |fee| fee.value);
        let paid_in = total(inputs.iter().skip(1).copied());
        let change = sum_to(&self.funding.change(), self.platform_fee);
        let dust_min = self.funding.change().minimal_non_dust();
        let (expected, found) =
            (total([self.principal, platform]), paid_in.checked_sub(change).unwrap_or(Amount::ZERO));
        let dust = found.checked_sub(expected).filter(|dust| *dust < dust_min);
        let Some(dust) = dust else { return Err(OriginationFault::LenderPays { expected, found }) };
        let due = fee_of(template.weight, self.fee_rate).unwrap_or(Amount::MAX_MONEY);
        let fee = template.fee();
        if fee != Some(due) {
            return Err(OriginationFault::WrongFee { expected: due, found: fee });
        }
        let expected = total([self.principal, dust]).checked_sub(due).unwrap_or(Amount::ZERO);
        let found = sum_to(self.borrower_payment, self.platform_fee);
        if found == expected { Ok(()) } else { Err(OriginationFault::BorrowerShort { expected, found }) }
    }
}

/// What goes in.
fn funds(spends: &[Spend<'_>]) -> Result<Amount, OriginationError> {
    let mut values = spends.iter().map(|spend| spend.output().value);
    values.try_fold(Amount::ZERO, Amount::checked_add).ok_or(OriginationError::Overflow)
}
