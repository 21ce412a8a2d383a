//! The timeouts of an upstream.

use std::time::Duration;

use crate::http::{TIME_LIMIT, TIP_TIME_LIMIT, TimeoutClass};

/// The timeouts for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeLimits {
    pub(crate) normal: Duration,
    pub(crate) short: Duration,
    pub(crate) long: Duration,
}

impl Default for TimeLimits {
    /// The timeouts that apply in production.
    fn default() -> Self {
        Self { normal: TIME_LIMIT, short: TIP_TIME_LIMIT, long: Duration::from_secs(30) }
    }
}

impl TimeLimits {
    pub(super) const fn of(&self, class: TimeoutClass) -> Duration {
        match class {
            TimeoutClass::Normal => self.normal,
            TimeoutClass::Short => self.short,
            TimeoutClass::Long => self.long,
        }
    }
}
