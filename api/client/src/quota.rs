//! The quotas that the server reports in `RateLimit-Policy` and `RateLimit`.

use std::time::Duration;

use tokio::time::Instant;

/// A quota, by what it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuotaName {
    /// Reads of public resources.
    Reads,
    /// Reads of the caller's own data.
    OwnReads,
    /// Requests that change something.
    Writes,
}

impl QuotaName {
    const ALL: [Self; 3] = [Self::Reads, Self::OwnReads, Self::Writes];

    const fn text(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::OwnReads => "own-reads",
            Self::Writes => "writes",
        }
    }

    const fn place(self) -> usize {
        match self {
            Self::Reads => 0,
            Self::OwnReads => 1,
            Self::Writes => 2,
        }
    }
}

/// The times from which each quota has a request left again, as far as the answers say.
#[derive(Debug, Default)]
pub(crate) struct Quotas {
    open_at: [Option<Instant>; QuotaName::ALL.len()],
}

impl Quotas {
    /// Takes the header fields of an answer. Fields that cannot be read are ignored: a refusal says when to come back.
    pub(crate) fn record(&mut self, policy: &str, left: &str, now: Instant) {
        let (Some(policy), Some(left)) = (Fields::read(policy), Fields::read(left)) else { return };
        let Some(name) = QuotaName::ALL.into_iter().find(|name| name.text() == left.name) else { return };
        let (Some(requests), Some(window_s), Some(rest)) = (policy.value("q"), policy.value("w"), left.value("r"))
        else {
            return;
        };
        // A quota refills steadily: one request is back after its share of the window.
        let refill_ms = window_s.saturating_mul(1_000).div_ceil(requests.max(1));
        self.open_at[name.place()] = (rest == 0).then(|| now + Duration::from_millis(refill_ms.min(60_000)));
    }

    /// The time to wait before a request of a quota.
    pub(crate) fn wait(&self, name: QuotaName, now: Instant) -> Duration {
        self.open_at[name.place()].map_or(Duration::ZERO, |open_at| open_at.saturating_duration_since(now))
    }
}

/// `"name";a=1;b=2`.
struct Fields<'a> {
    name: &'a str,
    rest: &'a str,
}

impl<'a> Fields<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (name, rest) = text.trim().strip_prefix('"')?.split_once('"')?;
        Some(Self { name, rest })
    }

    fn value(&self, key: &str) -> Option<u64> {
        self.rest.split(';').find_map(|part| part.trim().strip_prefix(key)?.strip_prefix('=')?.parse().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_spent_quota_is_waited_for_and_others_are_not() {
        let (mut quotas, now) = (Quotas::default(), Instant::now());
        quotas.record(r#""writes";q=120;w=60"#, r#""writes";r=1;t=59"#, now);
        assert_eq!(quotas.wait(QuotaName::Writes, now), Duration::ZERO);
        quotas.record(r#""writes";q=120;w=60"#, r#""writes";r=0;t=60"#, now);
        assert_eq!(quotas.wait(QuotaName::Writes, now), Duration::from_millis(500));
        assert_eq!(quotas.wait(QuotaName::Writes, now + Duration::from_millis(400)), Duration::from_millis(100));
        assert_eq!(quotas.wait(QuotaName::Writes, now + Duration::from_secs(9)), Duration::ZERO);
        assert_eq!(quotas.wait(QuotaName::OwnReads, now), Duration::ZERO);
        quotas.record(r#""writes";q=120;w=60"#, r#""writes";r=5;t=60"#, now);
        assert_eq!(quotas.wait(QuotaName::Writes, now), Duration::ZERO);
    }

    #[tokio::test]
    async fn unreadable_fields_change_nothing_and_waits_are_bounded() {
        let (mut quotas, now) = (Quotas::default(), Instant::now());
        for (policy, left) in [
            ("", ""),
            ("writes;q=1;w=1", r#""writes";r=0"#),
            (r#""writes";q=x;w=1"#, r#""writes";r=0"#),
            (r#""writes";q=1;w=1"#, r#""others";r=0"#),
        ] {
            quotas.record(policy, left, now);
            assert_eq!(quotas.wait(QuotaName::Writes, now), Duration::ZERO, "{policy} {left}");
        }
        quotas.record(&format!(r#""reads";q=0;w={}"#, u64::MAX), r#""reads";r=0"#, now);
        assert_eq!(quotas.wait(QuotaName::Reads, now), Duration::from_mins(1));
    }
}
