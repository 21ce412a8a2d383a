//! Halts: parts of the market that its operator has stopped.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::UnixMs;

/// The longest reason of a halt, in characters.
const REASON_CHARS_MAX: usize = 200;

/// A part of the market that can be halted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HaltScope {
    /// Loans that begin: no loan is prepared, accepted, counter-signed or refinanced. Extensions between the same two
    /// sides, and every way to end a loan, go on.
    NewLoans,
}

impl fmt::Display for HaltScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NewLoans => f.write_str("new_loans"),
        }
    }
}

/// The reason of a halt, which every visitor reads: one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HaltReason(String);

impl HaltReason {
    /// Returns the reason without surrounding spaces.
    ///
    /// # Errors
    /// [`HaltRejection::Reason`] if it is empty, too long or has control characters.
    pub fn parse(text: &str) -> Result<Self, HaltRejection> {
        let text = text.trim();
        let is_line = !text.is_empty() && text.chars().count() <= REASON_CHARS_MAX;
        if is_line && !text.chars().any(char::is_control) {
            Ok(Self(text.to_owned()))
        } else {
            Err(HaltRejection::Reason { max: REASON_CHARS_MAX })
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A halt in effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halt {
    /// The time at which it began.
    pub since: UnixMs,
    /// The reason, which can change while it lasts.
    pub reason: HaltReason,
}

/// An event of the halts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HaltEvent {
    /// A part of the market was halted, or the reason of its halt changed.
    Halted {
        /// The part.
        scope: HaltScope,
        /// The reason.
        reason: HaltReason,
    },
    /// A part of the market goes on.
    Resumed {
        /// The part.
        scope: HaltScope,
    },
}

/// The reason why the market is not halted or resumed, or does nothing while it is halted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HaltRejection {
    /// The reason is not one line of moderate length.
    #[error("the reason is a line of 1 to {max} characters")]
    Reason {
        /// The largest number of characters.
        max: usize,
    },
    /// The part is not halted.
    #[error("{0} is not halted")]
    NotHalted(HaltScope),
    /// New loans are halted.
    #[error("new loans are halted: {}", halt.reason.as_str())]
    NewLoans {
        /// The halt.
        halt: Halt,
    },
}

/// The halts in effect.
#[derive(Debug, Default)]
pub struct Halts {
    new_loans: Option<Halt>,
}

impl Halts {
    /// Returns the halt of a part; `None` if it goes on.
    #[must_use]
    pub const fn get(&self, scope: HaltScope) -> Option<&Halt> {
        match scope {
            HaltScope::NewLoans => self.new_loans.as_ref(),
        }
    }

    /// Halts a part of the market, or changes the reason; `None` if it is halted for this reason.
    #[must_use]
    pub fn halt(&self, scope: HaltScope, reason: HaltReason) -> Option<HaltEvent> {
        let is_same = self.get(scope).is_some_and(|halt| halt.reason == reason);
        (!is_same).then_some(HaltEvent::Halted { scope, reason })
    }

    /// Ends the halt of a part.
    ///
    /// # Errors
    /// [`HaltRejection::NotHalted`].
    pub fn resume(&self, scope: HaltScope) -> Result<HaltEvent, HaltRejection> {
        self.get(scope).ok_or(HaltRejection::NotHalted(scope))?;
        Ok(HaltEvent::Resumed { scope })
    }

    /// Refuses a loan that would begin while new loans are halted.
    ///
    /// # Errors
    /// [`HaltRejection::NewLoans`].
    pub fn check_new_loan(&self) -> Result<(), HaltRejection> {
        self.new_loans.as_ref().map_or(Ok(()), |halt| Err(HaltRejection::NewLoans { halt: halt.clone() }))
    }

    /// Applies an event.
    pub fn apply(&mut self, event: &HaltEvent, at: UnixMs) {
        match event {
            HaltEvent::Halted { scope: HaltScope::NewLoans, reason } => {
                let since = self.new_loans.as_ref().map_or(at, |halt| halt.since);
                self.new_loans = Some(Halt { since, reason: reason.clone() });
            }
            HaltEvent::Resumed { scope: HaltScope::NewLoans } => self.new_loans = None,
        }
    }
}

impl HaltEvent {
    /// Returns the part that it is about.
    #[must_use]
    pub const fn scope(&self) -> HaltScope {
        match self {
            Self::Halted { scope, .. } | Self::Resumed { scope } => *scope,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCOPE: HaltScope = HaltScope::NewLoans;

    fn reason(text: &str) -> HaltReason {
        HaltReason::parse(text).unwrap()
    }

    #[test]
    fn a_halt_keeps_its_beginning_when_its_reason_changes_and_ends_once() {
        let mut halts = Halts::default();
        assert_eq!(halts.resume(SCOPE), Err(HaltRejection::NotHalted(SCOPE)));
        halts.check_new_loan().unwrap();
        for (text, at) in [("indexers disagree", 5), ("a deep reorg", 9)] {
            let event = halts.halt(SCOPE, reason(text)).unwrap();
            halts.apply(&event, UnixMs(at));
            assert_eq!(halts.get(SCOPE), Some(&Halt { since: UnixMs(5), reason: reason(text) }));
            assert_eq!(halts.halt(SCOPE, reason(text)), None, "for the same reason");
        }
        let refused = halts.check_new_loan().unwrap_err();
        assert_eq!(refused.to_string(), "new loans are halted: a deep reorg");
        halts.apply(&halts.resume(SCOPE).unwrap(), UnixMs(12));
        assert_eq!(halts.get(SCOPE), None);
        halts.check_new_loan().unwrap();
    }

    #[test]
    fn a_reason_is_one_line_of_moderate_length() {
        assert_eq!(reason("  wrong price \n").as_str(), "wrong price");
        assert_eq!(reason(&"é".repeat(200)).as_str().chars().count(), 200);
        for text in ["", " \n ", "one\ntwo", "a\u{7}bell", &"é".repeat(201)] {
            assert_eq!(HaltReason::parse(text), Err(HaltRejection::Reason { max: 200 }), "{text:?}");
        }
    }
}
