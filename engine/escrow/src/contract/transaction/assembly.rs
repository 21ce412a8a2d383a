//! Assembly of a transaction: the inputs and outputs laid out by a builder, followed by the payer's change.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Weight, absolute};
use thiserror::Error;

use super::funding_target::{FeePayer, FundingTarget};
use super::spend::Spend;
use super::template::{Template, fee_of, has_address};
use super::version::TRUC;

/// The maximum weight of a standard transaction.
pub(crate) const WEIGHT_MAX: Weight = Weight::from_wu(400_000);
/// The maximum weight of a transaction of version 3: 10,000 virtual bytes (BIP-431).
const TRUC_WEIGHT_MAX: Weight = Weight::from_wu(40_000);
/// The maximum length in bytes of an `OP_RETURN` script that every node relays; only recent nodes relay more.
const DATA_BYTES_MAX: usize = 83;
/// The weight of a count that becomes two bytes longer by one more output.
const LONGER_COUNT: Weight = Weight::from_wu(8);

/// The reason why no transaction can be built from these coins.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssemblyError {
    /// Nodes relay versions 2 and 3, and no payout is pre-signed for any other.
    #[error("a transaction has version 2 or 3, not {}", .0.0)]
    UnknownVersion(Version),
    /// A coin's script does not match its key.
    #[error("the coin {0} does not belong to the key that must sign for it")]
    ForeignCoin(OutPoint),
    /// The same coin is spent twice.
    #[error("the coin {0} is spent twice")]
    DuplicateCoin(OutPoint),
    /// Version 3 is relayed only if all its inputs are confirmed; and no loan may begin with a coin that could vanish.
    #[error("the coin {0} is unconfirmed; only a repayment of version 2 can spend it before it is confirmed")]
    UnconfirmedCoin(OutPoint),
    /// The coins are insufficient.
    #[error("the coins hold {found}, and {wanted} is required")]
    InsufficientFunds {
        /// The amount due plus the network fee.
        wanted: Amount,
        /// The amount found.
        found: Amount,
    },
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
    /// The runestone is longer than every node relays.
    #[error(
        "the runestone takes {bytes} bytes, and not every node relays more than {DATA_BYTES_MAX}: take fewer loans"
    )]
    RunestoneTooLong {
        /// The length of its script.
        bytes: usize,
    },
    /// The transaction is heavier than nodes relay.
    #[error(
        "the transaction weighs {found}, and nodes relay {most} at most in this version: take fewer coins or loans"
    )]
    TooHeavy {
        /// The maximum.
        most: Weight,
        /// The weight that it would have.
        found: Weight,
    },
    /// An amount exceeds the supply of bitcoin.
    #[error("an amount exceeds the supply of bitcoin")]
    Overflow,
}

/// The fee is below the fee rate, or so far above it that there should have been a change output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the fee is {found:?}, and {expected} is due")]
pub struct WrongFee {
    /// The amount due.
    pub expected: Amount,
    /// The amount paid; `None` if the outputs exceed the inputs.
    pub found: Option<Amount>,
}

/// The layout of a transaction.
pub(crate) struct Assembly<'a> {
    /// 2, or 3 against pinning.
    pub(crate) version: Version,
    /// All inputs.
    pub(crate) spends: Vec<Spend<'a>>,
    /// All outputs but the change.
    pub(crate) outputs: Vec<TxOut>,
    /// The total value of the payer's coins.
    pub(crate) found: Amount,
    /// The amount that they pay besides the fee.
    pub(crate) due: Amount,
    /// The script of the payer's change.
    pub(crate) change: &'a ScriptBuf,
    /// The fee rate.
    pub(crate) fee_rate: FeeRate,
    /// Unconfirmed outputs.
    pub(crate) unconfirmed: &'a [OutPoint],
}

impl Assembly<'_> {
    /// Builds the transaction; a rest too small for a change output adds to the fee.
    pub(crate) fn finish(self) -> Result<Template, AssemblyError> {
        if self.version == TRUC { self.finish_confirmed() } else { self.balance() }
    }

    /// Builds the transaction like [`Assembly::finish`], if none of its inputs is unconfirmed.
    pub(crate) fn finish_confirmed(self) -> Result<Template, AssemblyError> {
        let mut outpoints = self.spends.iter().map(Spend::outpoint);
        match outpoints.find(|outpoint| self.unconfirmed.contains(outpoint)) {
            Some(outpoint) => Err(AssemblyError::UnconfirmedCoin(outpoint)),
            None => self.balance(),
        }
    }

    fn balance(mut self) -> Result<Template, AssemblyError> {
        let most = match self.version {
            Version::TWO => WEIGHT_MAX,
            TRUC => TRUC_WEIGHT_MAX,
            version => return Err(AssemblyError::UnknownVersion(version)),
        };
        self.check_spends()?;
        let target = FundingTarget::new(self.due, FeePayer::Coins, self.fee_rate, &self.outputs, self.change);
        let wanted = target.due(target.weight(&self.spends)).ok_or(AssemblyError::Overflow)?;
        if self.found < wanted {
            return Err(AssemblyError::InsufficientFunds { wanted, found: self.found });
        }
        let settlement = target.fee_and_change(&self.spends, self.found).ok_or(AssemblyError::Overflow)?;
        self.outputs.extend(settlement.change.map(|value| TxOut { value, script_pubkey: self.change.clone() }));
        self.check_outputs()?;
        let template = Template::new(self.version, absolute::LockTime::ZERO, &self.spends, self.outputs);
        let found = template.weight;
        if found > most { Err(AssemblyError::TooHeavy { most, found }) } else { Ok(template) }
    }

    fn check_spends(&self) -> Result<(), AssemblyError> {
        let mut outpoints = Vec::with_capacity(self.spends.len());
        for spend in &self.spends {
            let outpoint = spend.outpoint();
            if let Spend::Coin(coin) = spend
                && !coin.matches_key()
            {
                return Err(AssemblyError::ForeignCoin(outpoint));
            }
            outpoints.push(outpoint);
        }
        outpoints.sort_unstable();
        match outpoints.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(AssemblyError::DuplicateCoin(pair[0])),
            None => Ok(()),
        }
    }

    fn check_outputs(&self) -> Result<(), AssemblyError> {
        for (index, TxOut { value, script_pubkey }) in self.outputs.iter().enumerate() {
            let (min, bytes) = (script_pubkey.minimal_non_dust(), script_pubkey.len());
            if *value < min {
                return Err(AssemblyError::Dust { index, value: *value, min });
            }
            if *value > Amount::ZERO && !has_address(script_pubkey) {
                return Err(AssemblyError::NoAddress { index });
            }
            if script_pubkey.is_op_return() && bytes > DATA_BYTES_MAX {
                return Err(AssemblyError::RunestoneTooLong { bytes });
            }
        }
        Ok(())
    }
}

/// Returns the sum of the amounts.
pub(crate) fn sum(amounts: impl IntoIterator<Item = Amount>) -> Result<Amount, AssemblyError> {
    amounts.into_iter().try_fold(Amount::ZERO, Amount::checked_add).ok_or(AssemblyError::Overflow)
}

/// Checks the fee of a finished transaction that has `other_outputs` outputs besides the payer's change.
///
/// With change, it is exactly what the fee rate requires. Without, it may exceed that by less than a change output and
/// its cost.
pub(crate) fn check_fee(
    template: &Template,
    rate: FeeRate,
    change: &ScriptBuf,
    other_outputs: usize,
) -> Result<(), WrongFee> {
    if template.psbt.unsigned_tx.output.len() > other_outputs {
        return check_exact_fee(template, rate);
    }
    let expected = fee_of(template.weight, rate).unwrap_or(Amount::MAX_MONEY);
    let found = template.fee();
    let output = TxOut { value: Amount::ZERO, script_pubkey: change.clone() };
    let spare = fee_of(output.weight() + LONGER_COUNT, rate).and_then(|fee| fee.checked_add(change.minimal_non_dust()));
    let most = spare.and_then(|spare| spare.checked_add(expected)).unwrap_or(Amount::MAX_MONEY);
    if found.is_some_and(|fee| fee >= expected && fee <= most) { Ok(()) } else { Err(WrongFee { expected, found }) }
}

/// Checks that the fee is exactly what the rate requires: where the whole rest goes to one party, there is always an
/// output for it.
pub(crate) fn check_exact_fee(template: &Template, rate: FeeRate) -> Result<(), WrongFee> {
    let expected = fee_of(template.weight, rate).unwrap_or(Amount::MAX_MONEY);
    let found = template.fee();
    if found == Some(expected) { Ok(()) } else { Err(WrongFee { expected, found }) }
}
