//! Why a text is not an action message.

use thiserror::Error;

/// Why an action message could not be made from its fields, or read from its text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// The text is longer than any message.
    #[error("a message has at most {max} bytes, this one has {length}")]
    TooLong {
        /// Bytes in the text.
        length: usize,
        /// The most that is accepted.
        max: usize,
    },
    /// A field has no value.
    #[error("the field {field:?} is empty")]
    EmptyValue {
        /// The name of the field, as the text shows it.
        field: &'static str,
    },
    /// A field is too long.
    #[error("the field {field:?} has {length} bytes, at most {max} are allowed")]
    ValueTooLong {
        /// The name of the field, as the text shows it.
        field: &'static str,
        /// Bytes in the value.
        length: usize,
        /// The most that is accepted.
        max: usize,
    },
    /// A character that could make a text look other than it is: a line break, a space, anything that is not ASCII.
    #[error("the field {field:?} contains the character {character:?}")]
    ForbiddenCharacter {
        /// The name of the field, as the text shows it.
        field: &'static str,
        /// The character.
        character: char,
    },
    /// The first line names no action that is known.
    #[error("the first line names no action")]
    UnknownAction,
    /// A line is missing, or something else stands in its place.
    #[error("line {line} should begin with \"{field}: \"")]
    MissingField {
        /// The line, the first being 1.
        line: usize,
        /// The name of the field that should stand there.
        field: &'static str,
    },
    /// A value that should be one of a few words, or a number in range, is not.
    #[error("the field {field:?} in line {line} has an impossible value")]
    ImpossibleValue {
        /// The line, the first being 1.
        line: usize,
        /// The name of the field.
        field: &'static str,
    },
    /// The text goes on after the last field.
    #[error("line {line} should not be there")]
    TrailingLine {
        /// The line, the first being 1.
        line: usize,
    },
    /// The text says the right things in another form than the only one: a leading zero, a plus sign.
    #[error("the text is not in its canonical form")]
    NotCanonical,
    /// A sign-in that neither of its two addresses signs.
    #[error("the signing address {address} is neither the ordinals nor the payment address")]
    SignerNotListed {
        /// The address that was to sign.
        address: String,
    },
    /// A cancellation of nothing.
    #[error("the message cancels no offer")]
    NoOffers,
    /// A cancellation of too many offers.
    #[error("the message cancels {count} offers, at most {max} are allowed")]
    TooManyOffers {
        /// Offers in both lists.
        count: usize,
        /// The most that is accepted.
        max: usize,
    },
    /// A cancellation that names an offer twice.
    #[error("the message names the offer {id} twice")]
    DuplicateOffer {
        /// The id of the offer.
        id: String,
    },
}
