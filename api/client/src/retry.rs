//! The decision whether a request is sent again, and when.

use std::time::Duration;

use hyper::StatusCode;

use crate::backoff::{DELAY_MAX, delay};
use crate::types::ErrorCode;

/// The largest number of attempts of a request.
pub(crate) const ATTEMPTS_MAX: u32 = 6;

/// The outcome of an attempt that is not a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No connection was made.
    NotSent,
    /// The connection broke, or the time limit passed.
    NoAnswer,
    /// The server answered.
    Answered {
        status: StatusCode,
        /// The error code, if the answer has one.
        code: Option<ErrorCode>,
        retry_after: Option<Duration>,
    },
}

/// The next step after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Send it again after this delay.
    Again(Duration),
    /// Return the failure.
    GiveUp,
    /// Return that the server asks for this wait.
    TooLong(Duration),
}

/// Returns the next step after attempt number `attempt`, from 1. `random` is in [0, 1).
pub(crate) fn next(failure: Failure, attempt: u32, is_repeatable: bool, random: f64) -> Next {
    let usual = delay(attempt, random);
    let (is_safe, wait) = match failure {
        Failure::NotSent | Failure::Answered { code: Some(ErrorCode::IdempotencyInFlight), .. } => (true, usual),
        Failure::Answered {
            status: StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE,
            retry_after,
            ..
        } => {
            // The server did nothing. Jitter on top, so that clients refused together do not come back together.
            (true, retry_after.map_or(usual, |asked| asked + delay(1, random)))
        }
        // A gateway answers with such a status when it has lost the server's answer.
        Failure::NoAnswer | Failure::Answered { status: StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT, .. } => {
            (is_repeatable, usual)
        }
        Failure::Answered { .. } => (false, usual),
    };
    if !is_safe {
        return Next::GiveUp;
    }
    if wait > DELAY_MAX {
        return Next::TooLong(wait);
    }
    if attempt < ATTEMPTS_MAX { Next::Again(wait) } else { Next::GiveUp }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, retry_after_s: Option<u64>) -> Failure {
        let status = StatusCode::from_u16(status).unwrap();
        Failure::Answered { status, code: None, retry_after: retry_after_s.map(Duration::from_secs) }
    }

    #[test]
    fn a_write_without_a_key_is_repeated_only_when_it_had_no_effect() {
        for (failure, with_key, without) in [
            (Failure::NotSent, true, true),
            (Failure::NoAnswer, true, false),
            (answered(429, None), true, true),
            (answered(503, Some(1)), true, true),
            (answered(502, None), true, false),
            (answered(500, None), false, false),
            (answered(422, None), false, false),
            (answered(401, None), false, false),
        ] {
            for (is_repeatable, is_repeated) in [(true, with_key), (false, without)] {
                let step = next(failure, 1, is_repeatable, 0.5);
                assert_eq!(matches!(step, Next::Again(_)), is_repeated, "{failure:?} {is_repeatable}");
            }
        }
    }

    #[test]
    fn the_server_is_given_the_time_it_asks_for() {
        let Next::Again(wait) = next(answered(429, Some(7)), 1, true, 0.0) else { panic!("not repeated") };
        assert_eq!(wait, Duration::from_millis(7_125));
        assert_eq!(next(answered(503, Some(40)), 1, true, 0.0), Next::TooLong(Duration::from_millis(40_125)));
        assert_eq!(next(answered(429, Some(1)), ATTEMPTS_MAX, true, 0.0), Next::GiveUp);
        assert_eq!(next(Failure::NotSent, ATTEMPTS_MAX, true, 0.0), Next::GiveUp);
        let in_flight = Failure::Answered {
            status: StatusCode::CONFLICT,
            code: Some(ErrorCode::IdempotencyInFlight),
            retry_after: None,
        };
        assert_eq!(next(in_flight, 1, true, 1.0), Next::Again(Duration::from_millis(250)));
    }
}
