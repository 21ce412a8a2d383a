//! A transaction put together: inputs and outputs as a builder laid them out, the payer's change behind them.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint, ScriptBuf, TxOut, Weight, absolute};
use thiserror::Error;

use super::bill::{Bill, FeePayer};
use super::running_loan::TRUC;
use super::template::{Spend, Template, fee_of, has_address};

/// What any transaction may weigh to be relayed.
pub(super) const WEIGHT_MAX: Weight = Weight::from_wu(400_000);
/// What one of version 3 may weigh: 10,000 virtual bytes (BIP-431).
const TRUC_WEIGHT_MAX: Weight = Weight::from_wu(40_000);
/// Bytes of an `OP_RETURN` script that every node relays; only recent ones take more.
const DATA_BYTES_MAX: usize = 83;
/// One output more can make their count two bytes longer.
const LONGER_COUNT: Weight = Weight::from_wu(8);

/// Why no transaction can be made of these coins.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AssemblyError {
    /// Nodes relay 2 and 3, and nobody signs a payout for another.
    #[error("a transaction has version 2 or 3, not {}", .0.0)]
    UnknownVersion(Version),
    /// A coin's script is not the one of its key.
    #[error("the coin {0} does not belong to the key that shall sign for it")]
    ForeignCoin(OutPoint),
    /// The same coin is spent twice.
    #[error("the coin {0} would be spent twice")]
    RepeatedCoin(OutPoint),
    /// Version 3 is relayed once all that it spends is in a block; and no loan begins with a coin that may vanish.
    #[error("the coin {0} waits for a block; a repayment of version 2 could spend it now, all else must wait with it")]
    WaitingCoin(OutPoint),
    /// The coins do not suffice.
    #[error("the coins hold {found}, and {wanted} is wanted")]
    FundingShort {
        /// What is due, and the miners' fee.
        wanted: Amount,
        /// The amount found.
        found: Amount,
    },
    /// An output below the dust limit.
    #[error("output {index} would hold {value}, and nodes want at least {min}")]
    Dust {
        /// The output's index.
        index: usize,
        /// The value that it would hold.
        value: Amount,
        /// The minimum.
        min: Amount,
    },
    /// No wallet has such a script: nodes would not relay the payment, or nobody could spend it.
    #[error("output {index} pays to a script that has no address")]
    NoAddress {
        /// The output's index.
        index: usize,
    },
    /// A runestone that not every node would relay.
    #[error(
        "the runestone takes {bytes} bytes, and not every node relays more than {DATA_BYTES_MAX}: take fewer loans"
    )]
    RunestoneTooLong {
        /// The length of its script.
        bytes: usize,
    },
    /// A transaction that no node would relay.
    #[error(
        "the transaction weighs {found}, and nodes relay {most} at most in this version: take fewer coins or loans"
    )]
    TooHeavy {
        /// The maximum.
        most: Weight,
        /// What it would weigh.
        found: Weight,
    },
    /// An amount exceeds the supply of bitcoin.
    #[error("an amount exceeds all bitcoin there is")]
    Overflow,
}

/// The miners get less than the rate asks for, or so much more that it would have been change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the fee is {found:?}, and {expected} is due")]
pub struct WrongFee {
    /// The amount due.
    pub expected: Amount,
    /// What is paid; nothing when more comes out than goes in.
    pub found: Option<Amount>,
}

/// What a builder has laid out.
pub(super) struct Assembly<'a> {
    /// 2, or 3 against pinning.
    pub(super) version: Version,
    /// All inputs.
    pub(super) spends: Vec<Spend<'a>>,
    /// All outputs but the change.
    pub(super) outputs: Vec<TxOut>,
    /// What the payer's coins hold.
    pub(super) found: Amount,
    /// What they pay beside the fee.
    pub(super) due: Amount,
    /// Where the payer's change goes.
    pub(super) change: &'a ScriptBuf,
    /// What the payer pays the miners.
    pub(super) fee_rate: FeeRate,
    /// Outputs that wait for a block.
    pub(super) waiting: &'a [OutPoint],
}

impl Assembly<'_> {
    /// The transaction; what is too little for a change output is left to the miners.
    pub(super) fn finish(self) -> Result<Template, AssemblyError> {
        if self.version == TRUC { self.finish_confirmed() } else { self.balance() }
    }

    /// The transaction, as [`Assembly::finish`] makes it, when nothing that it spends waits for a block.
    pub(super) fn finish_confirmed(self) -> Result<Template, AssemblyError> {
        let mut outpoints = self.spends.iter().map(Spend::outpoint);
        match outpoints.find(|outpoint| self.waiting.contains(outpoint)) {
            Some(outpoint) => Err(AssemblyError::WaitingCoin(outpoint)),
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
        let bill = Bill::new(self.due, FeePayer::Coins, self.fee_rate, &self.outputs, self.change);
        let wanted = bill.due(bill.weight(&self.spends)).ok_or(AssemblyError::Overflow)?;
        if self.found < wanted {
            return Err(AssemblyError::FundingShort { wanted, found: self.found });
        }
        let settlement = bill.settle(&self.spends, self.found).ok_or(AssemblyError::Overflow)?;
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
                && !coin.is_its_keys()
            {
                return Err(AssemblyError::ForeignCoin(outpoint));
            }
            outpoints.push(outpoint);
        }
        outpoints.sort_unstable();
        match outpoints.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(AssemblyError::RepeatedCoin(pair[0])),
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

/// What amounts add up to.
pub(super) fn sum(amounts: impl IntoIterator<Item = Amount>) -> Result<Amount, AssemblyError> {
    amounts.into_iter().try_fold(Amount::ZERO, Amount::checked_add).ok_or(AssemblyError::Overflow)
}

/// Checks what a finished transaction pays the miners that has so many outputs beside the payer's change.
///
/// With change it is what the rate asks for. A rest is left to them when it is less than a change output and what that
/// would cost.
pub(super) fn check_fee(
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

/// Checks that the miners get what the rate asks for and nothing else: where everything that is left goes to one person,
/// there is always an output for it.
pub(super) fn check_exact_fee(template: &Template, rate: FeeRate) -> Result<(), WrongFee> {
    let expected = fee_of(template.weight, rate).unwrap_or(Amount::MAX_MONEY);
    let found = template.fee();
    if found == Some(expected) { Ok(()) } else { Err(WrongFee { expected, found }) }
}
