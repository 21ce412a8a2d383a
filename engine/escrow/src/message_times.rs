//! The validity period of signed messages.

use thiserror::Error;

/// The maximum lifetime of a message, in seconds.
pub const LIFETIME_S_MAX: u64 = 600;

/// The maximum by which the clock of a client may be ahead of the server's, in seconds.
pub const CLOCK_SKEW_S_MAX: u64 = 60;

/// The reason why a message is not accepted at this time. All times are unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TimesError {
    /// The message expires before, or when, it is issued.
    #[error("the message expires at {expires_s}, which is not after its issue at {issued_s}")]
    ExpiresBeforeIssued {
        /// The issue time.
        issued_s: u64,
        /// The expiry time.
        expires_s: u64,
    },
    /// The message would be valid for too long.
    #[error("the message is valid for {lifetime_s} seconds, at most {max_s} are allowed")]
    LifetimeTooLong {
        /// Seconds between issue and expiry.
        lifetime_s: u64,
        /// The maximum.
        max_s: u64,
    },
    /// The message was issued in the future.
    #[error("the message was issued at {issued_s}, more than {max_s} seconds after now, {now_s}")]
    IssuedInFuture {
        /// The issue time.
        issued_s: u64,
        /// The current time.
        now_s: u64,
        /// The maximum clock skew.
        max_s: u64,
    },
    /// The message has expired.
    #[error("the message expired at {expires_s}, it is {now_s} now")]
    Expired {
        /// The expiry time: from this second on it is not accepted.
        expires_s: u64,
        /// The current time.
        now_s: u64,
    },
}

/// Checks that a message issued at `issued_s` and valid until just before `expires_s` is acceptable at `now_s`, all in
/// unix seconds.
pub fn check_times(issued_s: u64, expires_s: u64, now_s: u64) -> Result<(), TimesError> {
    let lifetime_s = expires_s.saturating_sub(issued_s);
    if lifetime_s == 0 {
        return Err(TimesError::ExpiresBeforeIssued { issued_s, expires_s });
    }
    if lifetime_s > LIFETIME_S_MAX {
        return Err(TimesError::LifetimeTooLong { lifetime_s, max_s: LIFETIME_S_MAX });
    }
    if issued_s > now_s.saturating_add(CLOCK_SKEW_S_MAX) {
        return Err(TimesError::IssuedInFuture { issued_s, now_s, max_s: CLOCK_SKEW_S_MAX });
    }
    if now_s >= expires_s {
        return Err(TimesError::Expired { expires_s, now_s });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ISSUED_S: u64 = 1_800_000_000;

    #[test]
    fn a_message_is_accepted_from_a_minute_early_until_just_before_it_expires() {
        let expires_s = ISSUED_S + 600;
        for now_s in [ISSUED_S - 60, ISSUED_S, ISSUED_S + 1, expires_s - 1] {
            assert_eq!(check_times(ISSUED_S, expires_s, now_s), Ok(()), "{now_s}");
        }
    }

    #[test]
    fn every_refusal_names_its_values() {
        for (expires_s, now_s, expected) in [
            (ISSUED_S, ISSUED_S, TimesError::ExpiresBeforeIssued { issued_s: ISSUED_S, expires_s: ISSUED_S }),
            (ISSUED_S - 1, ISSUED_S, TimesError::ExpiresBeforeIssued { issued_s: ISSUED_S, expires_s: ISSUED_S - 1 }),
            (ISSUED_S + 601, ISSUED_S, TimesError::LifetimeTooLong { lifetime_s: 601, max_s: 600 }),
            (
                ISSUED_S + 600,
                ISSUED_S - 61,
                TimesError::IssuedInFuture { issued_s: ISSUED_S, now_s: ISSUED_S - 61, max_s: 60 },
            ),
            (ISSUED_S + 600, ISSUED_S + 600, TimesError::Expired { expires_s: ISSUED_S + 600, now_s: ISSUED_S + 600 }),
        ] {
            assert_eq!(check_times(ISSUED_S, expires_s, now_s), Err(expected));
        }
    }

    proptest! {
        #[test]
        fn an_accepted_message_expires_within_eleven_minutes(
            issued_s: u64, lifetime_s in 0..2_000_u64, now_s: u64, ahead_s in 0..2_000_u64,
        ) {
            let expires_s = issued_s.saturating_add(lifetime_s);
            for now_s in [now_s, issued_s.saturating_sub(ahead_s), issued_s.saturating_add(ahead_s)] {
                if check_times(issued_s, expires_s, now_s).is_ok() {
                    prop_assert!(expires_s > now_s);
                    prop_assert!(expires_s - now_s <= LIFETIME_S_MAX + CLOCK_SKEW_S_MAX);
                }
            }
        }
    }
}
