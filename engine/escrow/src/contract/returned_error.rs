//! Why what a wallet gives back is refused.

use bitcoin::absolute::LockTime;
use bitcoin::psbt::PsbtSighashType;
use bitcoin::transaction::Version;
use bitcoin::{OutPoint, Sequence, Txid};
use thiserror::Error;

use super::signature_check::SignatureFault;

/// What is wrong with a PSBT that a wallet gave back, in the order in which it is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReturnedError {
    /// Longer than any PSBT of ours can become.
    #[error("a signed transaction has at most {max} characters, this one has {length}")]
    TooLong {
        /// Bytes in the text.
        length: usize,
        /// The maximum.
        max: usize,
    },
    /// Neither base64 nor hexadecimal.
    #[error("this is neither base64 nor hexadecimal")]
    NotText,
    /// Not a PSBT of version 0 (BIP-174), or something behind it.
    #[error("this is no PSBT: {reason}")]
    NotPsbt {
        /// What the parser objected to.
        reason: String,
    },
    /// Not even one input is the same.
    #[error("this is transaction {found}, and {expected} was to be signed")]
    WrongTransaction {
        /// The id of the unsigned transaction that was handed out.
        expected: Txid,
        /// The id of the one that came back.
        found: Txid,
    },
    /// Another version.
    #[error("the version was changed from {expected} to {found}")]
    Version {
        /// The value that was handed out.
        expected: Version,
        /// The value that came back.
        found: Version,
    },
    /// Another locktime.
    #[error("the locktime was changed from {expected} to {found}")]
    LockTime {
        /// The value that was handed out.
        expected: LockTime,
        /// The value that came back.
        found: LockTime,
    },
    /// An input more or less.
    #[error("the transaction had {expected} inputs and came back with {found}")]
    InputCount {
        /// The value that was handed out.
        expected: usize,
        /// The value that came back.
        found: usize,
    },
    /// An input spends something else.
    #[error("input {index} spends {found} instead of {expected}")]
    Outpoint {
        /// The input's index.
        index: usize,
        /// The value that was handed out.
        expected: OutPoint,
        /// The value that came back.
        found: OutPoint,
    },
    /// An input has another sequence.
    #[error("the sequence of input {index} was changed from {expected} to {found}")]
    Sequence {
        /// The input's index.
        index: usize,
        /// The value that was handed out.
        expected: Sequence,
        /// The value that came back.
        found: Sequence,
    },
    /// An output more or less.
    #[error("the transaction had {expected} outputs and came back with {found}")]
    OutputCount {
        /// The value that was handed out.
        expected: usize,
        /// The value that came back.
        found: usize,
    },
    /// An output pays somebody else, or another amount.
    #[error("output {index} was changed")]
    Output {
        /// The output's index.
        index: usize,
    },
    /// The wallet says that an input spends an output of another amount or script.
    #[error("the output that input {index} is said to spend is not the one it spends")]
    WitnessUtxo {
        /// The input's index.
        index: usize,
    },
    /// The transaction that is said to hold the spent output is another one, or holds another output.
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
    /// A leaf script, or the hash of one, that is not the one to be signed.
    #[error("input {index} came back with a leaf script that was not handed out")]
    UnknownLeaf {
        /// The input's index.
        index: usize,
    },
    /// The wallet declares that it signs something that nobody asked for.
    #[error("input {index} is declared to be signed for {found}, which nobody asked for")]
    DeclaredSighash {
        /// The input's index.
        index: usize,
        /// The value that came back.
        found: PsbtSighashType,
    },
    /// A signature by a key that the input does not ask for.
    #[error("input {index} came back with a signature that it does not ask for")]
    ForeignSignature {
        /// The input's index.
        index: usize,
    },
    /// A signature by the right key that is not good.
    #[error("the signature of input {index} is refused: {fault}")]
    Signature {
        /// The input's index.
        index: usize,
        /// The reason.
        fault: SignatureFault,
    },
    /// The wallet finished the input without a witness, as if its signature did not matter to the transaction's id.
    #[error("input {index} came back finished without a witness: only segwit inputs are signed here")]
    NotSegwit {
        /// The input's index.
        index: usize,
    },
    /// The wallet finished the input in another way than it is finished here.
    #[error("input {index} came back finished with a witness that is not its own")]
    OtherWitness {
        /// The input's index.
        index: usize,
    },
    /// The wallet left out a signature that it was asked for.
    #[error("the signature of input {index} is missing")]
    MissingSignature {
        /// The input's index.
        index: usize,
    },
}
