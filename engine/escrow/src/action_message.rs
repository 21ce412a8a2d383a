//! The exact text of every message that a wallet signs.

use std::collections::HashSet;

use crate::action::{
    Action, CANCELLED_OFFERS_MAX, CancelOffers, InstantTerms, NewOffer, NewRequest, OfferProcess, RequestedPledge,
    SignIn,
};
use crate::envelope::Envelope;
use crate::message_error::MessageError;
use crate::message_signature::MESSAGE_LENGTH_MAX;
use crate::new_api_key::NewApiKey;
use crate::new_delegation::NewDelegation;
use crate::text_reader::TextReader;
use crate::text_writer::TextWriter;

/// The name of the first line, whose value names the action.
const TITLE: &str = "Lienbook";

/// A message that the user reads and signs in the wallet, and that the server rebuilds from the request and compares.
///
/// The text is a title, the lines of the [`Action`] and the closing lines of the [`Envelope`]. Every line is
/// `Name: value`; lines are separated by one line feed and there is none after the last. Whole numbers are decimal,
/// without sign, separators or leading zeros. Values from outside are 1 to 128 characters of visible ASCII (0x21 to
/// 0x7e), so without spaces. There is exactly one text for each message:
///
/// ```
/// use bitcoin::Network;
/// use escrow::action::Action;
/// use escrow::action_message::ActionMessage;
/// use escrow::envelope::Envelope;
///
/// let message = ActionMessage::new(
///     Action::PauseOffer { offer_id: "0b1c6c1e".to_owned() },
///     Envelope {
///         domain: "lienbook.example".to_owned(),
///         network: Network::Bitcoin,
///         address: "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l".to_owned(),
///         nonce: "5f2c1d0e9b8a7766".to_owned(),
///         issued_s: 1_800_000_000,
///         expires_s: 1_800_000_600,
///     },
/// )?;
/// let text = "Lienbook: pause offer\n\
///             Offer: 0b1c6c1e\n\
///             Domain: lienbook.example\n\
///             Network: bitcoin\n\
///             Address: bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l\n\
///             Nonce: 5f2c1d0e9b8a7766\n\
///             Issued: 1800000000\n\
///             Expires: 1800000600";
/// assert_eq!(message.to_text(), text);
/// assert_eq!(ActionMessage::parse(text)?, message);
/// # Ok::<(), escrow::message_error::MessageError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ActionMessage {
    action: Action,
    envelope: Envelope,
    text: String,
}

impl ActionMessage {
    /// Builds the message, refusing values that the text could not show faithfully.
    pub fn new(action: Action, envelope: Envelope) -> Result<Self, MessageError> {
        check(&action, &envelope)?;
        let mut writer = TextWriter::default();
        write_action(&mut writer, &action)?;
        envelope.write(&mut writer)?;
        Ok(Self { action, envelope, text: writer.finish() })
    }

    /// Parses a message from its text, which must be exactly the text of the parsed message.
    pub fn parse(text: &str) -> Result<Self, MessageError> {
        let (action, envelope) = read_text(text, Envelope::read)?;
        let message = Self::new(action, envelope)?;
        if message.text == text { Ok(message) } else { Err(MessageError::NotCanonical) }
    }

    /// Builds the message from the lines of its action, which must be exactly those that are written for it.
    pub fn from_lines(lines: &[String], envelope: Envelope) -> Result<Self, MessageError> {
        let text = lines.join("\n");
        let mut reader = TextReader::new(&text);
        let action = read_action(&mut reader)?;
        reader.finish()?;
        let message = Self::new(action, envelope)?;
        let is_same = message.text.strip_prefix(&text).is_some_and(|rest| rest.starts_with('\n'));
        if is_same { Ok(message) } else { Err(MessageError::NotCanonical) }
    }

    /// The text to sign.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.text.clone()
    }

    /// The action.
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// The domain, address and times that it is signed for.
    #[must_use]
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }
}

/// Checks the rules that involve more than one field.
fn check(action: &Action, envelope: &Envelope) -> Result<(), MessageError> {
    match action {
        Action::SignIn(sign_in) => {
            let signer = &envelope.address;
            if *signer != sign_in.ordinals_address && *signer != sign_in.payment_address {
                return Err(MessageError::SignerNotListed { address: signer.clone() });
            }
            Ok(())
        }
        Action::CancelOffers(cancel) => check_cancel(cancel),
        Action::CreateApiKey(key) => key.check(envelope.issued_s),
        Action::DelegateQuotes(delegation) => delegation.check(envelope.issued_s),
        _ => Ok(()),
    }
}

pub(crate) fn check_cancel(cancel: &CancelOffers) -> Result<(), MessageError> {
    let ids = cancel.ordinal_offer_ids.iter().chain(&cancel.rune_offer_ids);
    let count = ids.clone().count();
    if count == 0 {
        return Err(MessageError::NoOffers);
    }
    if count > CANCELLED_OFFERS_MAX {
        return Err(MessageError::TooManyOffers { count, max: CANCELLED_OFFERS_MAX });
    }
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(MessageError::DuplicateOffer { id: id.clone() });
        }
    }
    Ok(())
}

pub(crate) fn write_action(writer: &mut TextWriter, action: &Action) -> Result<(), MessageError> {
    match action {
        Action::SignIn(sign_in) => {
            writer.word(TITLE, "sign in");
            writer.text("Ordinals address", &sign_in.ordinals_address)?;
            writer.text("Ordinals public key", &sign_in.ordinals_public_key)?;
            writer.text("Payment address", &sign_in.payment_address)?;
            writer.text("Payment public key", &sign_in.payment_public_key)
        }
        Action::CreateOffer(new_offer) => {
            writer.word(TITLE, "create offer");
            write_new_offer(writer, new_offer)
        }
        Action::EditOffer { delete_offer_id, new_offer } => {
            writer.word(TITLE, "edit offer");
            writer.text("Delete offer", delete_offer_id)?;
            write_new_offer(writer, new_offer)
        }
        Action::CancelOffers(cancel) => {
            writer.word(TITLE, "cancel offers");
            for id in &cancel.ordinal_offer_ids {
                writer.text("Ordinal offer", id)?;
            }
            for id in &cancel.rune_offer_ids {
                writer.text("Rune offer", id)?;
            }
            match &cancel.vault {
                Some(vault) => writer.text("Vault", vault),
                None => Ok(()),
            }
        }
        Action::CancelAllOffers { vault } => {
            writer.word(TITLE, "cancel all offers");
            writer.text("Vault", vault)
        }
        Action::AcceptTerm { offer_id, term_id } => {
            writer.word(TITLE, "accept term");
            writer.text("Offer", offer_id)?;
            writer.text("Term", term_id)
        }
        Action::PauseOffer { offer_id } => {
            writer.word(TITLE, "pause offer");
            writer.text("Offer", offer_id)
        }
        Action::ResumeOffer { offer_id } => {
            writer.word(TITLE, "resume offer");
            writer.text("Offer", offer_id)
        }
        Action::OpenVault { payment_address, vault } => {
            writer.word(TITLE, "open vault");
            writer.text("Payment address", payment_address)?;
            writer.text("Vault", vault)
        }
        Action::RequestLoan(request) => {
            writer.word(TITLE, "borrow request");
            write_new_request(writer, request)
        }
        Action::CreateApiKey(key) => {
            writer.word(TITLE, "create api key");
            key.write(writer)
        }
        Action::DelegateQuotes(delegation) => {
            writer.word(TITLE, "delegate quotes");
            delegation.write(writer)
        }
        Action::Withdraw { sats, to, fee_max_sats, vault } => {
            writer.word(TITLE, "withdraw");
            writer.number("Withdraw sats", *sats);
            writer.text("To", to)?;
            if let Some(most) = fee_max_sats {
                writer.number("Max fee sats", *most);
            }
            writer.text("Vault", vault)
        }
        Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault } => {
            writer.word(TITLE, "move vault");
            writer.text("From vault", from_vault)?;
            writer.text("To", to)?;
            writer.number("Max fee sats", *fee_max_sats);
            writer.text("Payment address", payment_address)?;
            writer.text("Vault", vault)
        }
    }
}

fn write_new_offer(writer: &mut TextWriter, new_offer: &NewOffer) -> Result<(), MessageError> {
    writer.text("Collection", &new_offer.collection_slug)?;
    match &new_offer.process {
        OfferProcess::Manual { quantity } => {
            writer.word("Process", "manual");
            writer.number("Principal sats", new_offer.principal_sats);
            writer.number("Quantity", *quantity);
            Ok(())
        }
        OfferProcess::Instant(terms) => {
            writer.word("Process", "instant");
            writer.number("Principal sats", new_offer.principal_sats);
            if let Some(least) = terms.principal_min_sats {
                writer.number("Min principal sats", least);
            }
            if let Some(amount) = terms.fungible_amount {
                writer.number("Rune amount", amount);
            }
            if let Some(count) = terms.inscriptions {
                writer.number("Inscriptions", count);
            }
            writer.number("Max LTV x100", terms.ltv_max);
            writer.word("Accept next term", if terms.accept_next_term { "yes" } else { "no" });
            if let Some(borrower) = &terms.borrower {
                writer.text("Borrower", borrower)?;
            }
            if let Some(good_until_s) = terms.good_until_s {
                writer.number("Good until", good_until_s);
            }
            writer.text("Vault", &terms.vault)
        }
    }
}

fn write_new_request(writer: &mut TextWriter, request: &NewRequest) -> Result<(), MessageError> {
    writer.text("Collection", &request.collection_slug)?;
    match &request.collateral {
        RequestedPledge::Inscriptions(ids) => ids.iter().try_for_each(|id| writer.text("Inscription", id))?,
        RequestedPledge::Amount(raw) => writer.number("Amount", *raw),
    }
    writer.number("Principal sats", request.principal_sats);
    writer.number("Max interest x100", request.interest_max);
    writer.number("Min term days", request.term_min_days);
    writer.number("Max term days", request.term_max_days);
    writer.number("Good until", request.good_until_s);
    Ok(())
}

/// Reads a text of an action and the lines that close it, and nothing after them.
pub(crate) fn read_text<E>(
    text: &str,
    read_envelope: impl FnOnce(&mut TextReader<'_>) -> Result<E, MessageError>,
) -> Result<(Action, E), MessageError> {
    if text.len() > MESSAGE_LENGTH_MAX {
        return Err(MessageError::TooLong { length: text.len(), max: MESSAGE_LENGTH_MAX });
    }
    let mut reader = TextReader::new(text);
    let action = read_action(&mut reader)?;
    let envelope = read_envelope(&mut reader)?;
    reader.finish()?;
    Ok((action, envelope))
}

fn read_action(reader: &mut TextReader<'_>) -> Result<Action, MessageError> {
    match reader.text(TITLE)? {
        "sign in" => Ok(Action::SignIn(SignIn {
            ordinals_address: reader.value("Ordinals address")?,
            ordinals_public_key: reader.value("Ordinals public key")?,
            payment_address: reader.value("Payment address")?,
            payment_public_key: reader.value("Payment public key")?,
        })),
        "create offer" => Ok(Action::CreateOffer(read_new_offer(reader)?)),
        "edit offer" => {
            Ok(Action::EditOffer { delete_offer_id: reader.value("Delete offer")?, new_offer: read_new_offer(reader)? })
        }
        "cancel offers" => Ok(Action::CancelOffers(CancelOffers {
            ordinal_offer_ids: reader.repeated("Ordinal offer"),
            rune_offer_ids: reader.repeated("Rune offer"),
            vault: reader.optional("Vault").map(str::to_owned),
        })),
        "cancel all offers" => Ok(Action::CancelAllOffers { vault: reader.value("Vault")? }),
        "accept term" => Ok(Action::AcceptTerm { offer_id: reader.value("Offer")?, term_id: reader.value("Term")? }),
        "pause offer" => Ok(Action::PauseOffer { offer_id: reader.value("Offer")? }),
        "resume offer" => Ok(Action::ResumeOffer { offer_id: reader.value("Offer")? }),
        "open vault" => {
            Ok(Action::OpenVault { payment_address: reader.value("Payment address")?, vault: reader.value("Vault")? })
        }
        "borrow request" => Ok(Action::RequestLoan(read_new_request(reader)?)),
        "create api key" => Ok(Action::CreateApiKey(NewApiKey::read(reader)?)),
        "delegate quotes" => Ok(Action::DelegateQuotes(NewDelegation::read(reader)?)),
        "withdraw" => Ok(Action::Withdraw {
            sats: reader.value("Withdraw sats")?,
            to: reader.value("To")?,
            fee_max_sats: match reader.optional("Max fee sats") {
                None => None,
                Some(most) => Some(most.parse().map_err(|_| reader.impossible("Max fee sats"))?),
            },
            vault: reader.value("Vault")?,
        }),
        "move vault" => Ok(Action::MoveVault {
            from_vault: reader.value("From vault")?,
            to: reader.value("To")?,
            fee_max_sats: reader.value("Max fee sats")?,
            payment_address: reader.value("Payment address")?,
            vault: reader.value("Vault")?,
        }),
        _ => Err(MessageError::UnknownAction),
    }
}

fn read_new_offer(reader: &mut TextReader<'_>) -> Result<NewOffer, MessageError> {
    let collection_slug = reader.value("Collection")?;
    let is_instant = match reader.text("Process")? {
        "manual" => false,
        "instant" => true,
        _ => return Err(reader.impossible("Process")),
    };
    let principal_sats = reader.value("Principal sats")?;
    let process = if is_instant {
        OfferProcess::Instant(read_instant_terms(reader)?)
    } else {
        OfferProcess::Manual { quantity: reader.value("Quantity")? }
    };
    Ok(NewOffer { collection_slug, principal_sats, process })
}

fn read_new_request(reader: &mut TextReader<'_>) -> Result<NewRequest, MessageError> {
    let collection_slug = reader.value("Collection")?;
    let ids = reader.repeated("Inscription");
    Ok(NewRequest {
        collection_slug,
        collateral: if ids.is_empty() {
            RequestedPledge::Amount(reader.value("Amount")?)
        } else {
            RequestedPledge::Inscriptions(ids)
        },
        principal_sats: reader.value("Principal sats")?,
        interest_max: reader.value("Max interest x100")?,
        term_min_days: reader.value("Min term days")?,
        term_max_days: reader.value("Max term days")?,
        good_until_s: reader.value("Good until")?,
    })
}

fn read_instant_terms(reader: &mut TextReader<'_>) -> Result<InstantTerms, MessageError> {
    let principal_min_sats = match reader.optional("Min principal sats") {
        None => None,
        Some(sats) => Some(sats.parse().map_err(|_| reader.impossible("Min principal sats"))?),
    };
    let fungible_amount = match reader.optional("Rune amount") {
        None => None,
        Some(amount) => Some(amount.parse().map_err(|_| reader.impossible("Rune amount"))?),
    };
    let inscriptions = match reader.optional("Inscriptions") {
        None => None,
        Some(count) => Some(count.parse().map_err(|_| reader.impossible("Inscriptions"))?),
    };
    Ok(InstantTerms {
        principal_min_sats,
        fungible_amount,
        inscriptions,
        ltv_max: reader.value("Max LTV x100")?,
        accept_next_term: match reader.text("Accept next term")? {
            "yes" => true,
            "no" => false,
            _ => return Err(reader.impossible("Accept next term")),
        },
        borrower: reader.optional("Borrower").map(str::to_owned),
        good_until_s: match reader.optional("Good until") {
            None => None,
            Some(time) => Some(time.parse().map_err(|_| reader.impossible("Good until"))?),
        },
        vault: reader.value("Vault")?,
    })
}
