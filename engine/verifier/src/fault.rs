//! The reasons not to sign.

use std::fmt;

use bitcoin::{Amount, OutPoint};
use thiserror::Error;

/// A reason not to sign: the first disagreement that was found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The question is not understood, so that nothing could be checked.
    #[error("the question cannot be read: {reason}")]
    Unreadable {
        /// The parser's error.
        reason: String,
    },
    /// An address of the wallet does not belong to its key, or is of the wrong kind or network.
    #[error("the address {address} does not belong to its public key on this network")]
    OwnAddress {
        /// The address.
        address: String,
    },
    /// No transaction follows from the described contract.
    #[error("no transaction follows from the described contract: {reason}")]
    Unbuildable {
        /// The builder's error.
        reason: String,
    },
    /// A key of the contract is not the user's.
    #[error("the contract has another {what} than yours")]
    OtherKey {
        /// The key's use.
        what: &'static str,
    },
    /// A coin that the user should bring is not the user's.
    #[error("the coin {0} is said to be yours, and your keys do not spend it")]
    ForeignCoin(OutPoint),
    /// A coin that the other side should bring is the user's.
    #[error("the coin {0} is said to be the other side's, and it is yours")]
    OwnCoin(OutPoint),
    /// A term differs from the one that was shown.
    #[error("{what}: you agreed to {agreed}, and the contract has {found}")]
    OtherTerm {
        /// The term.
        what: &'static str,
        /// The value that the user agreed to.
        agreed: String,
        /// The value found.
        found: String,
    },
    /// The claim time does not fit the term.
    #[error("the lender may claim from {found} on, which does not fit a term of {days} days from now")]
    ClaimTime {
        /// The claim time.
        found: String,
        /// The term.
        days: u16,
    },
    /// The collateral is not what was agreed to.
    #[error("the collateral is not what you chose: {reason}")]
    Collateral {
        /// The difference.
        reason: String,
    },
    /// More transactions to sign than the terms demand, or fewer.
    #[error("the terms demand {expected} transactions, and {found} are to be signed")]
    TransactionCount {
        /// The number demanded.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// A text is not a PSBT.
    #[error("{transaction} is not a valid PSBT: {reason}")]
    NotAPsbt {
        /// The transaction.
        transaction: TransactionName,
        /// The parser's error.
        reason: String,
    },
    /// The version differs.
    #[error("{transaction} has version {found} instead of {expected}")]
    Version {
        /// The transaction.
        transaction: TransactionName,
        /// The version demanded.
        expected: i32,
        /// The version found.
        found: i32,
    },
    /// The locktime differs.
    #[error("{transaction} has another locktime than the terms demand")]
    LockTime {
        /// The transaction.
        transaction: TransactionName,
    },
    /// The number of inputs differs.
    #[error("{transaction} has {found} inputs instead of {expected}")]
    InputCount {
        /// The transaction.
        transaction: TransactionName,
        /// The number demanded.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// An input spends another output, or with another sequence.
    #[error("input {index} of {transaction} spends {found} instead of {expected}")]
    Input {
        /// The transaction.
        transaction: TransactionName,
        /// The input's index.
        index: usize,
        /// The output demanded.
        expected: OutPoint,
        /// The output found.
        found: OutPoint,
    },
    /// The number of outputs differs.
    #[error("{transaction} has {found} outputs instead of {expected}")]
    OutputCount {
        /// The transaction.
        transaction: TransactionName,
        /// The number demanded.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// An output pays another address.
    #[error("output {index} of {transaction} pays {found} instead of {expected}: {what}")]
    OutputScript {
        /// The transaction.
        transaction: TransactionName,
        /// The output's index.
        index: usize,
        /// The purpose of the output.
        what: String,
        /// The address demanded.
        expected: String,
        /// The address found.
        found: String,
    },
    /// An output pays another amount.
    #[error("output {index} of {transaction} pays {found} instead of {expected}: {what}")]
    OutputValue {
        /// The transaction.
        transaction: TransactionName,
        /// The output's index.
        index: usize,
        /// The purpose of the output.
        what: String,
        /// The amount demanded.
        expected: Amount,
        /// The amount found.
        found: Amount,
    },
    /// The data for signing an input differs: its amount, script, key or sighash.
    #[error("the data for signing input {index} of {transaction} is not what the terms demand")]
    InputData {
        /// The transaction.
        transaction: TransactionName,
        /// The input's index.
        index: usize,
    },
    /// The PSBT carries data that the terms do not demand.
    #[error("{transaction} carries data that the terms do not demand")]
    ForeignData {
        /// The transaction.
        transaction: TransactionName,
    },
    /// The wallet would be asked for other signatures.
    #[error("the wallet is asked for other signatures of {transaction} than the terms demand")]
    RequestedInputs {
        /// The transaction.
        transaction: TransactionName,
    },
    /// The repayment is not validly signed in advance.
    #[error("the repayment is not signed in advance as it must be: {reason}")]
    PreSignature {
        /// The reason.
        reason: String,
    },
    /// A kit cannot be used.
    #[error("the kit of the loan is not valid for you: {reason}")]
    Kit {
        /// The reason.
        reason: String,
    },
    /// The network fee is not the one that was shown, or does not fit the chosen fee rate.
    #[error("the network fee is {found}, and {agreed} was agreed")]
    Fee {
        /// The fee that the user agreed to.
        agreed: Amount,
        /// The fee found.
        found: Amount,
    },
}

/// A transaction by its purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionName {
    /// The transaction that begins a loan, also a refinance or an extension.
    Origination,
    /// The second transaction of a BRC-20 loan.
    Reveal,
    /// The repayment signed in advance, in this version.
    Payout(i32),
    /// A repayment.
    Repayment,
    /// A claim.
    Claim,
}

impl fmt::Display for TransactionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Origination => f.write_str("the loan's transaction"),
            Self::Reveal => f.write_str("the second transaction"),
            Self::Payout(version) => write!(f, "the repayment of version {version}"),
            Self::Repayment => f.write_str("the repayment"),
            Self::Claim => f.write_str("the claim"),
        }
    }
}

impl Fault {
    /// The fault of a contract that cannot be built.
    pub(crate) fn unbuildable(error: impl fmt::Display) -> Self {
        Self::Unbuildable { reason: error.to_string() }
    }

    /// The fault of a kit that cannot be used.
    pub(crate) fn kit(error: impl fmt::Display) -> Self {
        Self::Kit { reason: error.to_string() }
    }

    /// The reason for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::OwnAddress { .. } => "own_address",
            Self::Unbuildable { .. } => "unbuildable",
            Self::OtherKey { .. } => "other_key",
            Self::ForeignCoin(_) => "foreign_coin",
            Self::OwnCoin(_) => "own_coin",
            Self::OtherTerm { .. } => "other_term",
            Self::ClaimTime { .. } => "claim_time",
            Self::Collateral { .. } => "collateral",
            Self::TransactionCount { .. } => "transaction_count",
            Self::NotAPsbt { .. } => "not_a_psbt",
            Self::Version { .. } => "version",
            Self::LockTime { .. } => "lock_time",
            Self::InputCount { .. } => "input_count",
            Self::Input { .. } => "input",
            Self::OutputCount { .. } => "output_count",
            Self::OutputScript { .. } => "output_script",
            Self::OutputValue { .. } => "output_value",
            Self::InputData { .. } => "input_data",
            Self::ForeignData { .. } => "foreign_data",
            Self::RequestedInputs { .. } => "requested_inputs",
            Self::PreSignature { .. } => "pre_signature",
            Self::Kit { .. } => "kit",
            Self::Fee { .. } => "fee",
        }
    }
}
