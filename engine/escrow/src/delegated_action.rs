//! The exact text that a program signs under a delegation, and its signature.

use bitcoin::secp256k1::{Keypair, Message, Secp256k1, schnorr};
use bitcoin::{Network, XOnlyPublicKey};
use thiserror::Error;

use crate::action::{Action, NewOffer, OfferProcess};
use crate::action_message::{check_cancel, read_text, write_action};
use crate::delegation_id::DelegationId;
use crate::message_error::MessageError;
use crate::message_times::{TimesError, check_times};
use crate::tagged_hash::tagged_hash;
use crate::text_reader::TextReader;
use crate::text_writer::TextWriter;
use crate::verification::VERIFICATION;

/// The tag of the hash that is signed, as in BIP-340.
const TAG: &str = "Lienbook/delegated action";

/// The lines that close a text signed under a delegation: the place of the [`Envelope`](crate::envelope::Envelope) of a
/// wallet's message.
///
/// ```text
/// Delegation: 5f2c1d0e9b8a77665f2c1d0e9b8a7766
/// Number: 17
/// Domain: lienbook.example
/// Network: bitcoin
/// Address: bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l
/// Issued: 1800000000
/// Expires: 1800000600
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelegatedEnvelope {
    /// The delegation that it is signed under.
    pub delegation: DelegationId,
    /// Its number: above those of all offers that were admitted under the delegation before.
    pub number: u64,
    /// The host name, with a port if there is one, as in the delegation.
    pub domain: String,
    /// The network.
    pub network: Network,
    /// The lender's address that signed the delegation.
    pub address: String,
    /// The issue time, in unix seconds.
    pub issued_s: u64,
    /// The first second at which it is no longer accepted, in unix seconds.
    pub expires_s: u64,
}

/// A creation, edit or cancellation of instant offers that a program signs under a delegation.
///
/// The text has the title and lines of the [`Action`] as a wallet would sign them, and the lines of
/// [`DelegatedEnvelope`]. Its signature is BIP-340, over the tagged hash of the text, in hexadecimal. There is exactly one
/// text for each action, and none is also a wallet's message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DelegatedAction {
    action: Action,
    envelope: DelegatedEnvelope,
    text: String,
}

/// The reason why a signature of a program is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ProgramSignatureError {
    /// A text other than 128 lower-case hexadecimal digits.
    #[error("a BIP-340 signature has 128 lower-case hexadecimal digits")]
    Malformed,
    /// A signature by another key than that of the delegation, or of another text.
    #[error("not a signature of this text by the key of the delegation")]
    Invalid,
}

impl DelegatedAction {
    /// Builds the text.
    ///
    /// # Errors
    /// [`MessageError::NotDelegable`] for other actions than a creation, edit or cancellation of instant offers, and those
    /// of values that the text could not show faithfully.
    pub fn new(action: Action, envelope: DelegatedEnvelope) -> Result<Self, MessageError> {
        match &action {
            Action::CreateOffer(NewOffer { process: OfferProcess::Instant(_), .. })
            | Action::EditOffer { new_offer: NewOffer { process: OfferProcess::Instant(_), .. }, .. } => {}
            Action::CancelOffers(cancel) if cancel.vault.is_some() => check_cancel(cancel)?,
            _ => return Err(MessageError::NotDelegable),
        }
        let mut writer = TextWriter::default();
        write_action(&mut writer, &action)?;
        envelope.write(&mut writer)?;
        Ok(Self { action, envelope, text: writer.finish() })
    }

    /// Parses a text, which must be exactly the text of the parsed action.
    ///
    /// # Errors
    /// Those of [`Self::new`], and of lines that are missing, impossible, too many or not canonical.
    pub fn parse(text: &str) -> Result<Self, MessageError> {
        let (action, envelope) = read_text(text, DelegatedEnvelope::read)?;
        let parsed = Self::new(action, envelope)?;
        if parsed.text == text { Ok(parsed) } else { Err(MessageError::NotCanonical) }
    }

    /// The text to sign.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The action.
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// The offer that it creates, also in place of another one; `None` for a cancellation.
    #[must_use]
    pub fn new_offer(&self) -> Option<&NewOffer> {
        match &self.action {
            Action::CreateOffer(new_offer) | Action::EditOffer { new_offer, .. } => Some(new_offer),
            _ => None,
        }
    }

    /// The delegation, number, place and time that it is signed for.
    #[must_use]
    pub fn envelope(&self) -> &DelegatedEnvelope {
        &self.envelope
    }

    /// Signs it, without randomness; 128 hexadecimal digits.
    #[must_use]
    pub fn sign(&self, key: &Keypair) -> String {
        Secp256k1::signing_only().sign_schnorr_no_aux_rand(&self.digest(), key).to_string()
    }

    /// Verifies a signature by the key of the delegation.
    ///
    /// # Errors
    /// [`ProgramSignatureError`].
    pub fn verify(&self, key: XOnlyPublicKey, signature: &str) -> Result<(), ProgramSignatureError> {
        let parsed: schnorr::Signature = signature.parse().map_err(|_| ProgramSignatureError::Malformed)?;
        if parsed.to_string() != signature {
            return Err(ProgramSignatureError::Malformed);
        }
        let verified = VERIFICATION.verify_schnorr(&parsed, &self.digest(), &key);
        verified.map_err(|_| ProgramSignatureError::Invalid)
    }

    /// The tagged hash of the text.
    fn digest(&self) -> Message {
        Message::from_digest(tagged_hash(TAG, &[self.text.as_bytes()]))
    }
}

impl DelegatedEnvelope {
    /// Checks that the text is acceptable at `now_s` (unix seconds), by the rules of [`check_times`].
    ///
    /// # Errors
    /// [`TimesError`].
    pub fn check_times(&self, now_s: u64) -> Result<(), TimesError> {
        check_times(self.issued_s, self.expires_s, now_s)
    }

    fn write(&self, writer: &mut TextWriter) -> Result<(), MessageError> {
        writer.word("Delegation", &self.delegation.to_string());
        writer.number("Number", self.number);
        writer.text("Domain", &self.domain)?;
        writer.text("Network", &self.network.to_string())?;
        writer.text("Address", &self.address)?;
        writer.number("Issued", self.issued_s);
        writer.number("Expires", self.expires_s);
        Ok(())
    }

    fn read(reader: &mut TextReader<'_>) -> Result<Self, MessageError> {
        Ok(Self {
            delegation: reader.value("Delegation")?,
            number: reader.value("Number")?,
            domain: reader.value("Domain")?,
            network: reader.value("Network")?,
            address: reader.value("Address")?,
            issued_s: reader.value("Issued")?,
            expires_s: reader.value("Expires")?,
        })
    }
}
