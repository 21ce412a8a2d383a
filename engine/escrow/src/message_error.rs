//! The errors of action messages.

use thiserror::Error;

/// The reason why an action message could not be built from its fields, or parsed from its text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// The text is longer than allowed.
    #[error("a message has at most {max} bytes, this one has {length}")]
    TooLong {
        /// Bytes in the text.
        length: usize,
        /// The maximum.
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
        /// The maximum.
        max: usize,
    },
    /// A character that could disguise the text: a line break, a space, or anything outside ASCII.
    #[error("the field {field:?} contains the character {character:?}")]
    ForbiddenCharacter {
        /// The name of the field, as the text shows it.
        field: &'static str,
        /// The character.
        character: char,
    },
    /// The first line names no known action.
    #[error("the first line names no action")]
    UnknownAction,
    /// A line is missing, or another line is in its place.
    #[error("line {line} should begin with \"{field}: \"")]
    MissingField {
        /// The line number, starting at 1.
        line: usize,
        /// The name of the field expected there.
        field: &'static str,
    },
    /// A value is not one of the allowed words, or not a number in range.
    #[error("the field {field:?} in line {line} has an impossible value")]
    ImpossibleValue {
        /// The line number, starting at 1.
        line: usize,
        /// The name of the field.
        field: &'static str,
    },
    /// The text continues after the last field.
    #[error("line {line} should not be there")]
    TrailingLine {
        /// The line number, starting at 1.
        line: usize,
    },
    /// The text has the right content but not its canonical form, for example a leading zero or a plus sign.
    #[error("the text is not in its canonical form")]
    NotCanonical,
    /// A sign-in signed by neither of its two addresses.
    #[error("the signing address {address} is neither the ordinals nor the payment address")]
    SignerNotListed {
        /// The signing address.
        address: String,
    },
    /// A cancellation that names no offer.
    #[error("the message cancels no offer")]
    NoOffers,
    /// A cancellation that names too many offers.
    #[error("the message cancels {count} offers, at most {max} are allowed")]
    TooManyOffers {
        /// The number of offers in both lists.
        count: usize,
        /// The maximum.
        max: usize,
    },
    /// A cancellation that names an offer twice.
    #[error("the message names the offer {id} twice")]
    DuplicateOffer {
        /// The id of the offer.
        id: String,
    },
    /// A list of an API key with too few or too many lines.
    #[error("the message has {count} lines {field:?}, 1 to {max} are allowed")]
    ListLength {
        /// The name of the lines.
        field: &'static str,
        /// Their number.
        count: usize,
        /// The maximum.
        max: usize,
    },
    /// A list of an API key that names a value twice.
    #[error("the message has the line {field:?} twice with {value}")]
    Duplicate {
        /// The name of the lines.
        field: &'static str,
        /// The value.
        value: String,
    },
    /// A number of an API key that is too small or too large.
    #[error("the field {field:?} is {value}, {min} to {max} are allowed")]
    OutOfBounds {
        /// The name of the field.
        field: &'static str,
        /// The number.
        value: u64,
        /// The smallest one allowed.
        min: u64,
        /// The largest one allowed.
        max: u64,
    },
    /// A text under a delegation for another action than a creation, edit or cancellation of instant offers.
    #[error("a program signs only creations, edits and cancellations of instant offers")]
    NotDelegable,
    /// An address range that is no network, because it sets bits after its prefix.
    #[error("{range} is no network, its network is {network}")]
    NotANetwork {
        /// The range.
        range: String,
        /// The network that contains it.
        network: String,
    },
}
