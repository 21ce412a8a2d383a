//! How fast messages go, and when they are tried again.

use std::time::Duration;

use domain::UnixMs;

/// How long the courier waits for what. Tests wait less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// How often the outbox is looked at when nobody says that something is in it.
    pub look_every: Duration,
    /// How often everybody who can be told something is looked at: reminders come with time alone.
    pub sweep_every: Duration,
    /// When a message that was not taken is tried again for the first time; each further time takes four times as long.
    pub first_retry: Duration,
    /// How long a mail server or Telegram that cannot be used is left alone at first; twice as long each further time.
    pub first_rest: Duration,
    /// How long a mail server may take for each of its answers.
    pub mail_patience: Duration,
    /// For how long whatever is under way is waited for when the server stops.
    pub stop_patience: Duration,
}

impl Default for Tempo {
    fn default() -> Self {
        Self {
            look_every: Duration::from_secs(1),
            sweep_every: Duration::from_mins(1),
            first_retry: Duration::from_secs(30),
            first_rest: Duration::from_secs(1),
            mail_patience: Duration::from_secs(20),
            stop_patience: Duration::from_secs(5),
        }
    }
}

/// No message waits longer for its next try, unless the other side asks for it: 30 s, 2 min, 8 min, 32 min, 2 h, and 6 h
/// twice make 15 hours between the first of 8 tries and the last.
const RETRY_MAX: Duration = Duration::from_hours(6);

/// Nothing that cannot be used is left alone for longer.
pub const REST_MAX: Duration = Duration::from_mins(1);

/// How far a time is spread, so that what failed together does not come again together: a tenth up or down.
const SPREAD_PER_MILLE: u64 = 100;

impl Tempo {
    /// When a message is tried again that was not taken for the `attempt`th time, counted from 1. `dice` is any number.
    #[must_use]
    pub fn retry_at(self, attempt: u32, dice: u64, now: UnixMs) -> UnixMs {
        let growth = 4_u32.saturating_pow(attempt.saturating_sub(1));
        let wait = self.first_retry.saturating_mul(growth).min(RETRY_MAX);
        now.plus_ms(spread(millis(wait), dice))
    }

    /// How long something is left alone that could not be used for the `failure`th time in a row, counted from 1.
    #[must_use]
    pub fn rest(self, failure: u32, dice: u64) -> Duration {
        let growth = 2_u32.saturating_pow(failure.saturating_sub(1));
        let rest = self.first_rest.saturating_mul(growth).min(REST_MAX);
        Duration::from_millis(spread(millis(rest), dice))
    }
}

/// Whole milliseconds.
#[must_use]
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn spread(ms: u64, dice: u64) -> u64 {
    let per_mille = 1_000 - SPREAD_PER_MILLE + dice % (2 * SPREAD_PER_MILLE + 1);
    ms.saturating_mul(per_mille) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_come_less_and_less_often_and_not_all_at_once() {
        let tempo = Tempo::default();
        let waits = |dice| (1..=9).map(|attempt| tempo.retry_at(attempt, dice, UnixMs(0)).0).collect::<Vec<_>>();
        let middle = [30_000, 120_000, 480_000, 1_920_000, 7_680_000, 21_600_000, 21_600_000, 21_600_000, 21_600_000];
        assert_eq!(waits(100), middle);
        for dice in [0, 1, 57, 200, u64::MAX] {
            let near = |(wait, middle): (u64, u64)| wait >= middle * 9 / 10 && wait <= middle * 11 / 10;
            assert!(waits(dice).into_iter().zip(middle).all(near), "{dice}");
        }
        assert!(waits(0)[0] < waits(200)[0]);
        assert_eq!(tempo.retry_at(u32::MAX, 100, UnixMs(5)), UnixMs(21_600_005));
    }

    #[test]
    fn what_cannot_be_used_is_left_alone_for_a_minute_at_most() {
        let rests: Vec<u64> = (1..=8).map(|failure| Tempo::default().rest(failure, 100).as_secs()).collect();
        assert_eq!(rests, [1, 2, 4, 8, 16, 32, 60, 60]);
    }
}
