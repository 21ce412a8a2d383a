//! The errors of signed messages.

use bitcoin::Sequence;
use bitcoin::absolute::LockTime;
use thiserror::Error;

use crate::address::AddressKind;

/// The reason why a signature does not prove that the owner of an address signed a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// The message is longer than any message that a wallet is asked to sign here.
    #[error("a signed message has at most {max} bytes, this one has {length}")]
    MessageTooLong {
        /// Bytes in the message.
        length: usize,
        /// The maximum.
        max: usize,
    },
    /// The signature is empty.
    #[error("the signature is empty")]
    Empty,
    /// The signature is longer than allowed.
    #[error("a signature has at most {max} characters, this one has {length}")]
    TooLong {
        /// Bytes in the text.
        length: usize,
        /// The maximum.
        max: usize,
    },
    /// Not base64, or not canonical: padding is required and spare bits must be zero.
    #[error("the signature is not base64")]
    NotBase64,
    /// A BIP-322 signature in the full format, which can carry a time lock.
    #[error("a BIP-322 signature in the full format is not accepted: use the simple format")]
    FullFormat,
    /// A BIP-322 proof of funds.
    #[error("a BIP-322 proof of funds is not accepted: use the simple format")]
    ProofOfFunds,
    /// Neither a BIP-322 witness nor a BIP-137 signature.
    #[error("the signature is neither a BIP-322 witness nor a BIP-137 signature")]
    UnknownFormat,
    /// The witness has a different number of items than this kind of address requires.
    #[error("the witness of a {kind} address has {expected} items, this one has {found}")]
    WitnessItems {
        /// The kind of the address.
        kind: AddressKind,
        /// The number of items required.
        expected: usize,
        /// The number of items found.
        found: usize,
    },
    /// A signature in the witness is not in its canonical encoding.
    #[error("the witness holds no canonical signature")]
    MalformedSignature,
    /// The key in the witness is not a compressed public key.
    #[error("the witness holds no compressed public key")]
    MalformedPublicKey,
    /// The signature commits to less than the whole transaction.
    #[error("the signature hash type {found:#04x} is not accepted")]
    SighashType {
        /// The sighash byte found.
        found: u8,
    },
    /// The high one of the two `s` values that verify (BIP-146): the signature was altered after signing.
    #[error("the signature has a high s value")]
    HighS,
    /// BIP-137 does not cover taproot addresses.
    #[error("a taproot address signs with BIP-322, this is a BIP-137 signature")]
    TaprootNeedsBip322,
    /// The signing key is not the one of the address. With BIP-137, where the key is recovered from the signature, a
    /// different message has the same effect.
    #[error("the signature is by another key than the one of the {kind} address")]
    WrongKey {
        /// The kind of the address.
        kind: AddressKind,
    },
    /// The signature is well formed, but not by this key for this message.
    #[error("the signature does not verify")]
    Invalid,
    /// The verifier could not decide; this proves nothing.
    #[error("the signature could be neither verified nor refuted")]
    Inconclusive,
    /// Valid only from a lock time or age on.
    #[error("the signature is valid only from lock time {time} and sequence {age}")]
    TimeLocked {
        /// Lock time of the signed transaction.
        time: LockTime,
        /// Sequence of its first input.
        age: Sequence,
    },
}
