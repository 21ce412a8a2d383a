//! BIP-137 signatures, from which the public key is recovered.

use bitcoin::CompressedPublicKey;
use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::Message;
use bitcoin::secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use bitcoin::sign_message::signed_msg_hash;

use crate::address::{AddressKind, WalletAddress};
use crate::signature_error::SignatureError;
use crate::verification::VERIFICATION;

/// A header byte, then `r` and `s`.
pub(crate) const LENGTH: usize = 65;

/// The first header byte of BIP-137.
const HEADER_MIN: u8 = 27;
/// The last header byte of BIP-137.
const HEADER_MAX: u8 = 42;

/// Whether `bytes` have the shape of a BIP-137 signature. No BIP-322 witness has it: those begin with 1 or 2.
pub(crate) fn has_shape(bytes: &[u8]) -> bool {
    bytes.len() == LENGTH && bytes.first().is_some_and(|header| (HEADER_MIN..=HEADER_MAX).contains(header))
}

/// Verifies a BIP-137 signature of a segwit address.
///
/// The header names the kind of address besides the recovery id, but wallets fill it in loosely: many write the value
/// for P2PKH with a segwit address. So only the recovery id is used, and the recovered key has to hash to the address.
/// Segwit keys are always compressed.
pub(crate) fn verify(address: &WalletAddress, message: &str, bytes: &[u8]) -> Result<(), SignatureError> {
    let kind = address.kind();
    if kind == AddressKind::P2tr {
        return Err(SignatureError::TaprootNeedsBip322);
    }
    let (header, compact) = bytes.split_first().ok_or(SignatureError::UnknownFormat)?;
    let recovery = header
        .checked_sub(HEADER_MIN)
        .and_then(|offset| RecoveryId::from_i32(i32::from(offset & 3)).ok())
        .ok_or(SignatureError::UnknownFormat)?;
    let signature =
        RecoverableSignature::from_compact(compact, recovery).map_err(|_| SignatureError::MalformedSignature)?;
    let standard = signature.to_standard();
    let mut normalized = standard;
    normalized.normalize_s();
    if normalized != standard {
        return Err(SignatureError::HighS);
    }
    let digest = Message::from_digest(signed_msg_hash(message).to_byte_array());
    let key = VERIFICATION.recover_ecdsa(&digest, &signature).map_err(|_| SignatureError::Invalid)?;
    if address.pays_to(CompressedPublicKey(key)) { Ok(()) } else { Err(SignatureError::WrongKey { kind }) }
}
