//! The errors of a PSBT that a wallet returned.

use bitcoin::absolute::LockTime;
use bitcoin::psbt::PsbtSighashType;
use bitcoin::transaction::Version;
use bitcoin::{OutPoint, Sequence, Txid};
use thiserror::Error;

use super::signature_check::SignatureFault;

/// The fault of a PSBT that a wallet returned, in the order of the checks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReturnedPsbtError {
    /// The text is longer than the PSBT of any loan transaction.
    #[error("a signed transaction has at most {max} characters, this one has {length}")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The maximum.
        max: usize,
    },
    /// Neither base64 nor hexadecimal.
    #[error("this is neither base64 nor hexadecimal")]
    NotText,
    /// Not a PSBT of version 0 (BIP-174), or followed by other bytes.
    #[error("this is not a PSBT: {reason}")]
    NotPsbt {
        /// The parser's error.
        reason: String,
    },
    /// No input is the same.
    #[error("this is transaction {found}, and {expected} was to be signed")]
    WrongTransaction {
        /// The id of the unsigned transaction that was handed out.
        expected: Txid,
        /// The id of the transaction that was returned.
        found: Txid,
    },
    /// The version differs.
    #[error("the version was changed from {expected} to {found}")]
    Version {
        /// The value that was handed out.
        expected: Version,
        /// The value that came back.
        found: Version,
    },
    /// The locktime differs.
    #[error("the locktime was changed from {expected} to {found}")]
    LockTime {
        /// The value that was handed out.
        expected: LockTime,
        /// The value that came back.
        found: LockTime,
    },
    /// The number of inputs differs.
    #[error("the transaction had {expected} inputs and came back with {found}")]
    InputCount {
        /// The value that was handed out.
        expected: usize,
        /// The value that came back.
        found: usize,
    },
    /// An input spends another output.
    #[error("input {index} spends {found} instead of {expected}")]
    Outpoint {
        /// The input's index.
        index: usize,
        /// The value that was handed out.
        expected: OutPoint,
        /// The value that came back.
        found: OutPoint,
    },
    /// The sequence of an input differs.
    #[error("the sequence of input {index} was changed from {expected} to {found}")]
    Sequence {
        /// The input's index.
        index: usize,
        /// The value that was handed out.
        expected: Sequence,
        /// The value that came back.
        found: Sequence,
    },
    /// The number of outputs differs.
    #[error("the transaction had {expected} outputs and came back with {found}")]
    OutputCount {
        /// The value that was handed out.
        expected: usize,
        /// The value that came back.
        found: usize,
    },
    /// An output has another script or value.
    #[error("output {index} was changed")]
    Output {
        /// The output's index.
        index: usize,
    },
    /// The wallet claims another value or script for a spent output.
    #[error("the output declared for input {index} is not the one it spends")]
    WitnessUtxo {
        /// The input's index.
        index: usize,
    },
    /// The previous transaction that the wallet attached is another one, or has another output.
    #[error("the previous transaction of input {index} is not the one it spends from")]
    PreviousTransaction {
        /// The input's index.
        index: usize,
    },
    /// A script that does not belong to the input.
    #[error("input {index} came back with a script that is not its own")]
    ForeignScript {
        /// The input's index.
        index: usize,
    },
    /// A taproot key or script tree that does not belong to the input.
    #[error("input {index} came back with a taproot key or tree that is not its own")]
    ForeignTaproot {
        /// The input's index.
        index: usize,
    },
    /// A leaf script or leaf hash is not the one to be signed.
    #[error("input {index} came back with a leaf script that was not handed out")]
    UnknownLeaf {
        /// The input's index.
        index: usize,
    },
    /// The declared sighash type was not requested.
    #[error("input {index} declares the sighash type {found}, which was not requested")]
    DeclaredSighash {
        /// The input's index.
        index: usize,
        /// The value that came back.
        found: PsbtSighashType,
    },
    /// A signature is by a key that the input does not require.
    #[error("input {index} came back with a signature that it does not require")]
    ForeignSignature {
        /// The input's index.
        index: usize,
    },
    /// A signature by the right key is invalid.
    #[error("the signature of input {index} is invalid: {fault}")]
    Signature {
        /// The input's index.
        index: usize,
        /// The reason.
        fault: SignatureFault,
    },
    /// The wallet finalized the input without a witness, as if it were not segwit.
    #[error("input {index} came back finalized without a witness: only segwit inputs are supported")]
    NotSegwit {
        /// The input's index.
        index: usize,
    },
    /// The wallet finalized the input with an unexpected witness.
    #[error("input {index} came back finalized with an unexpected witness")]
    UnexpectedWitness {
        /// The input's index.
        index: usize,
    },
    /// A requested signature is missing.
    #[error("the signature of input {index} is missing")]
    MissingSignature {
        /// The input's index.
        index: usize,
    },
}
