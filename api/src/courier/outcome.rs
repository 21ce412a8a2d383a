//! What came of handing a message over.

use std::time::Duration;

/// What the other side has done with a message. Reasons name nobody and carry no words of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has taken it.
    Taken,
    /// It will never take this one.
    Refused(String),
    /// It will never take anything for whoever it is for: there is no such mailbox, or a chat was ended.
    Closed(String),
    /// It has not taken it, and may later.
    Later {
        /// Why.
        why: String,
        /// How much patience it asks for.
        after: Option<Duration>,
    },
    /// It cannot be used at all now, for nobody. It was not told of the message.
    Down(String),
    /// Nobody knows whether it has taken it.
    Unknown(String),
}
