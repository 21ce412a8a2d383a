//! Statements that the server signs: a JSON text and a BIP 340 signature.
//!
//! In writing: the text and the signature, both in base64url without padding, with a dot between them. What is signed is the
//! tagged hash (as in BIP 340) of the bytes of the text, under the tag of the statement's kind, so no statement can be taken for
//! one of another kind, or for a transaction.

use std::{fmt, marker::PhantomData, str::FromStr};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bitcoin::hashes::{Hash as _, HashEngine as _, sha256};
use bitcoin::secp256k1::{Keypair, Message, Secp256k1, XOnlyPublicKey, schnorr};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use thiserror::Error;

/// The longest statement that is read, in bytes.
const BYTES_MAX: usize = 4 * 1_024 * 1_024;

/// A kind of statement.
pub trait StatementKind: Serialize + DeserializeOwned {
    /// The tag of its hash.
    const TAG: &'static str;
}

/// The key that signs statements.
pub struct LogKey(Keypair);

impl LogKey {
    /// Returns the key of a secret, or `None` for one of those that secp256k1 does not have: chosen at random, none is.
    #[must_use]
    pub fn new(secret: &[u8; 32]) -> Option<Self> {
        Keypair::from_seckey_slice(&Secp256k1::signing_only(), secret).ok().map(Self)
    }

    /// Returns the public key.
    #[must_use]
    pub fn public(&self) -> LogPublicKey {
        LogPublicKey(self.0.x_only_public_key().0)
    }

    /// Signs a statement.
    ///
    /// # Errors
    /// [`StatementError::Malformed`] for one that JSON cannot express.
    pub fn sign<S: StatementKind>(&self, statement: &S) -> Result<Signed<S>, StatementError> {
        Ok(self.sign_text(serde_json::to_string(statement)?))
    }

    /// Signs a text, whatever it says.
    pub(crate) fn sign_text<S: StatementKind>(&self, text: String) -> Signed<S> {
        let signature = Secp256k1::signing_only().sign_schnorr_no_aux_rand(&digest::<S>(&text), &self.0);
        Signed { text, signature, kind: PhantomData }
    }
}

impl fmt::Debug for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogKey({})", self.public())
    }
}

/// The public key that statements are verified with.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LogPublicKey(XOnlyPublicKey);

/// 64 hexadecimal digits: the x coordinate.
impl fmt::Display for LogPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for LogPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for LogPublicKey {
    type Err = StatementError;

    fn from_str(text: &str) -> Result<Self, StatementError> {
        text.parse().map(Self).map_err(|_| StatementError::Key)
    }
}

impl TryFrom<String> for LogPublicKey {
    type Error = StatementError;

    fn try_from(text: String) -> Result<Self, StatementError> {
        text.parse()
    }
}

impl From<LogPublicKey> for String {
    fn from(key: LogPublicKey) -> Self {
        key.to_string()
    }
}

/// A statement with its signature, neither of them verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed<S> {
    text: String,
    signature: schnorr::Signature,
    kind: PhantomData<fn() -> S>,
}

/// The reason why a statement is not believed.
#[derive(Debug, Error)]
pub enum StatementError {
    /// It is not a text and a signature.
    #[error("it is not a signed statement")]
    Form,
    /// The signature is not of this text and key.
    #[error("its signature is not of the server's key")]
    Signature,
    /// The text is not a statement of the expected kind.
    #[error("it is not a statement of this kind: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A key that is not a point of the curve.
    #[error("a key is 64 hexadecimal digits")]
    Key,
}

impl<S: StatementKind> Signed<S> {
    /// Returns the statement, once its signature is verified.
    ///
    /// # Errors
    /// [`StatementError::Signature`], [`StatementError::Malformed`].
    pub fn verify(&self, key: &LogPublicKey) -> Result<S, StatementError> {
        Secp256k1::verification_only()
            .verify_schnorr(&self.signature, &digest::<S>(&self.text), &key.0)
            .map_err(|_| StatementError::Signature)?;
        Ok(serde_json::from_str(&self.text)?)
    }

    /// Returns the SHA-256 of the signed text, by which a later statement names it.
    #[must_use]
    pub fn digest(&self) -> crate::HeadHash {
        crate::HeadHash::of(self.text.as_bytes())
    }

    /// Returns the signed text: JSON.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl<S> fmt::Display for Signed<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        write!(f, "{}.{}", encode(self.text.as_bytes()), encode(self.signature.as_ref()))
    }
}

impl<S> FromStr for Signed<S> {
    type Err = StatementError;

    fn from_str(written: &str) -> Result<Self, StatementError> {
        if written.len() > BYTES_MAX {
            return Err(StatementError::Form);
        }
        let (text, signature) = written.trim().split_once('.').ok_or(StatementError::Form)?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_| StatementError::Form);
        let text = String::from_utf8(decode(text)?).map_err(|_| StatementError::Form)?;
        let signature = schnorr::Signature::from_slice(&decode(signature)?).map_err(|_| StatementError::Form)?;
        Ok(Self { text, signature, kind: PhantomData })
    }
}

fn digest<S: StatementKind>(text: &str) -> Message {
    let tag = sha256::Hash::hash(S::TAG.as_bytes()).to_byte_array();
    let mut engine = sha256::Hash::engine();
    engine.input(&tag);
    engine.input(&tag);
    engine.input(text.as_bytes());
    Message::from_digest(sha256::Hash::from_engine(engine).to_byte_array())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Said(u8);

    impl StatementKind for Said {
        const TAG: &'static str = "lienbook/said";
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Meant(u8);

    impl StatementKind for Meant {
        const TAG: &'static str = "lienbook/meant";
    }

    #[test]
    fn a_statement_is_believed_only_as_it_was_signed() {
        let key = LogKey::new(&[3; 32]).unwrap();
        let written = key.sign(&Said(7)).unwrap().to_string();
        let read: Signed<Said> = written.parse().unwrap();
        assert_eq!(read.verify(&key.public()).unwrap(), Said(7));
        assert!(matches!(read.verify(&LogKey::new(&[4; 32]).unwrap().public()), Err(StatementError::Signature)));
        let of_another_kind: Signed<Meant> = written.parse().unwrap();
        assert!(matches!(of_another_kind.verify(&key.public()), Err(StatementError::Signature)));
        for at in 0..written.len() {
            let mut altered = written.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).unwrap().parse::<Signed<Said>>();
            // Some bits at the end of a base64 text stand for nothing, and are refused when they are set.
            assert!(altered.is_err() || altered.unwrap().verify(&key.public()).is_err(), "byte {at}");
        }
    }

    #[test]
    fn neither_a_secret_nor_a_wrong_key_is_shown() {
        let shown = format!("{:?}", LogKey::new(&[3; 32]).unwrap());
        assert!(!shown.contains(&"03".repeat(32)), "{shown}");
        assert!("zz".parse::<LogPublicKey>().is_err());
        assert!(LogKey::new(&[0; 32]).is_none());
    }
}
