//! Why a signed message is refused.

use bitcoin::Sequence;
use bitcoin::absolute::LockTime;
use thiserror::Error;

use crate::address::AddressKind;

/// Why a signature does not prove that the owner of an address signed a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// The message is longer than anything a wallet is asked to sign here.
    #[error("a signed message has at most {max} bytes, this one has {length}")]
    MessageTooLong {
        /// Bytes in the message.
        length: usize,
        /// The most that is accepted.
        max: usize,
    },
    /// There is no signature.
    #[error("the signature is empty")]
    Empty,
    /// The signature is longer than any simple one.
    #[error("a signature has at most {max} characters, this one has {length}")]
    TooLong {
        /// Bytes in the text.
        length: usize,
        /// The most that is accepted.
        max: usize,
    },
    /// Not base64, or not its only form: padding is required and spare bits must be zero.
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
    /// The witness has another number of items than an address of this kind needs.
    #[error("the witness of a {kind} address has {expected} items, this one has {found}")]
    WitnessItems {
        /// The kind of the address.
        kind: AddressKind,
        /// Items that the kind needs.
        expected: usize,
        /// Items that were given.
        found: usize,
    },
    /// A signature in the witness that is not in the one canonical encoding.
    #[error("the witness holds no canonical signature")]
    MalformedSignature,
    /// The key in the witness is not a compressed public key.
    #[error("the witness holds no compressed public key")]
    MalformedPublicKey,
    /// The signature commits to less than the whole transaction.
    #[error("the signature hash type {found:#04x} is not accepted")]
    SighashType {
        /// The byte that was given.
        found: u8,
    },
    /// The high one of the two `s` values that verify (BIP-146): somebody changed the signature on its way.
    #[error("the signature has a high s value")]
    HighS,
    /// BIP-137 knows no taproot addresses.
    #[error("a taproot address signs with BIP-322, this is a BIP-137 signature")]
    TaprootNeedsBip322,
    /// The key that signed is not the one of the address. With BIP-137, where the key is computed from the signature,
    /// another message has the same effect.
    #[error("the signature is by another key than the one of the {kind} address")]
    WrongKey {
        /// The kind of the address.
        kind: AddressKind,
    },
    /// The signature is well formed, but not by this key for this message.
    #[error("the signature does not verify")]
    Invalid,
    /// The verifier could not decide, which proves nothing.
    #[error("the signature could be neither verified nor refuted")]
    Inconclusive,
    /// Valid only at some other time or age.
    #[error("the signature is valid only from lock time {time} and sequence {age}")]
    TimeLocked {
        /// Lock time of the signed transaction.
        time: LockTime,
        /// Sequence of its first input.
        age: Sequence,
    },
}
