//! The bot check of offer creations and loan preparations: required beyond a rate, answered by Cloudflare Turnstile.
//!
//! The first creations of a user, and of an IP address, in a window need no proof. Beyond them a request must carry the
//! token of the challenge on the page, which the provider verifies. After too many failures all further tokens are
//! refused for a while.

mod allowance;
mod refusal;
mod verifier;

use std::net::IpAddr;

use domain::{UnixMs, UserId};

use self::allowance::Allowance;
pub use self::verifier::BotCheckGate;
use self::verifier::Verifier;
use crate::config::public_url::PublicUrl;
use crate::config::turnstile_settings::TurnstileSettings;
use crate::failure::Failure;
use crate::http::api_error::ApiError;

/// The action that the challenge on the page is rendered for, so that tokens of other pages of the same site are
/// refused.
pub const ACTION: &str = "offer";

/// The sender of a request.
#[derive(Clone, Copy, Debug)]
pub struct Visitor {
    /// The user of the session.
    pub user: UserId,
    /// The IP address of the request.
    pub address: IpAddr,
    /// The part of the address that identifies one client.
    pub network: IpAddr,
}

/// The guarded actions; each kind has an allowance of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// The creation or edit of an offer.
    Offer,
    /// The preparation of a loan.
    Loan,
}

/// The bot check of one site.
pub struct BotCheck {
    site_key: String,
    verifier: Verifier,
    /// The allowance of creations and edits of offers without a token.
    offers: Allowance,
    /// The allowance of prepared loans without a token.
    loans: Allowance,
    /// The allowance of refused tokens.
    failures: Allowance,
}

impl BotCheck {
    /// Builds the check of the settings; `None` when they configure none. `variable` is the secret from the
    /// environment. Tokens must come from a page of one of `pages`. `gate` concerns test keys only.
    ///
    /// # Errors
    /// One line: a missing secret, a secret file that others can read, a test key on another network than regtest, or
    /// an invalid URL of the provider.
    pub fn new(
        settings: &TurnstileSettings,
        is_regtest: bool,
        variable: Option<String>,
        pages: &[PublicUrl],
        gate: Option<BotCheckGate>,
    ) -> Result<Option<Self>, Failure> {
        let Some(site_key) = settings.site_key.clone() else { return Ok(None) };
        let verifier = Verifier::new(settings, &site_key, is_regtest, variable, pages, gate)?;
        let window_ms = u64::from(settings.window_s) * 1_000;
        Ok(Some(Self {
            site_key,
            verifier,
            offers: Allowance::new(settings.unchecked_of_user, settings.unchecked_of_address, window_ms),
            loans: Allowance::new(settings.unchecked_loans_of_user, settings.unchecked_loans_of_address, window_ms),
            failures: Allowance::new(settings.failures_of_user, settings.failures_of_address, window_ms),
        }))
    }

    /// Returns the public key with which the page shows the challenge.
    #[must_use]
    pub fn site_key(&self) -> &str {
        &self.site_key
    }

    /// Permits a request: one of the first of its kind in the window, or one with a valid token, which is consumed.
    ///
    /// # Errors
    /// The four codes of Turnstile. None of them is final: the same request with a new token can succeed.
    pub async fn admit(
        &self,
        guarded: Guarded,
        visitor: Visitor,
        token: Option<&str>,
        now: UnixMs,
    ) -> Result<(), ApiError> {
        let unchecked = match guarded {
            Guarded::Offer => &self.offers,
            Guarded::Loan => &self.loans,
        };
        if unchecked.try_take(visitor, now) {
            return Ok(());
        }
        let token = token.filter(|token| !token.is_empty()).ok_or_else(|| refusal::required(&self.site_key))?;
        // Taken before the provider is asked, so that concurrent requests cannot fail more often than sequential ones.
        if !self.failures.try_take(visitor, now) {
            return Err(refusal::rate_limited());
        }
        let verdict = self.verifier.verify(token, visitor.address).await;
        if !verdict.as_ref().is_err_and(providers::TurnstileError::is_about_visitor) {
            self.failures.refund(visitor, now);
        }
        verdict.map_err(|error| refusal::of(&error, &self.site_key))
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::config::turnstile_test_keys as test_keys;
    use crate::http::error_code::ErrorCode;

    fn check(secret: &str) -> BotCheck {
        let settings = TurnstileSettings {
            site_key: Some("a site key".to_owned()),
            unchecked_of_user: 2,
            unchecked_of_address: 3,
            unchecked_loans_of_user: 1,
            unchecked_loans_of_address: 2,
            failures_of_user: 2,
            failures_of_address: 3,
            window_s: 60,
            ..TurnstileSettings::default()
        };
        BotCheck::new(&settings, true, Some(secret.to_owned()), &[], None).unwrap().unwrap()
    }

    fn visitor(user: u64, last: u8) -> Visitor {
        let address = IpAddr::V4(Ipv4Addr::new(203, 0, 113, last));
        Visitor { user: UserId(user), address, network: address }
    }

    async fn code(check: &BotCheck, visitor: Visitor, token: Option<&str>, at: u64) -> Option<ErrorCode> {
        check.admit(Guarded::Offer, visitor, token, UnixMs(at)).await.err().map(|refusal| refusal.code())
    }

    #[actix_web::test]
    async fn loans_have_an_allowance_of_their_own() {
        let check = check(test_keys::PASSES);
        let prepare = async |who, token| {
            check.admit(Guarded::Loan, who, token, UnixMs(0)).await.err().map(|refusal| refusal.code())
        };
        let required = Some(ErrorCode::TurnstileRequired);
        assert_eq!(prepare(visitor(1, 1), None).await, None);
        assert_eq!(prepare(visitor(1, 2), None).await, required, "of the user");
        assert_eq!(prepare(visitor(2, 1), None).await, None);
        assert_eq!(prepare(visitor(3, 1), None).await, required, "of the address");
        assert_eq!(prepare(visitor(3, 1), Some("a token")).await, None);
        // A user whose allowance of loans is used can still make offers.
        assert_eq!(code(&check, visitor(1, 1), None, 0).await, None);
    }

    #[actix_web::test]
    async fn the_first_creations_of_a_user_and_of_an_address_in_a_window_need_no_token() {
        let check = check(test_keys::PASSES);
        let required = Some(ErrorCode::TurnstileRequired);
        for (who, at, expected) in [
            (visitor(1, 1), 0, None),
            (visitor(1, 2), 0, None),
            // The user's allowance is used, from any address; the address has one left, for another user.
            (visitor(1, 3), 0, required),
            (visitor(2, 1), 0, None),
            (visitor(3, 1), 0, None),
            (visitor(4, 1), 0, required),
            // A request that the address's allowance refused was not taken from the user's.
            (visitor(4, 4), 0, None),
            (visitor(4, 5), 0, None),
            (visitor(4, 6), 0, required),
            // Half a window refills half of each allowance.
            (visitor(1, 3), 30_000, None),
            (visitor(1, 3), 30_000, required),
        ] {
            assert_eq!(code(&check, who, None, at).await, expected, "{who:?} at {at}");
        }
        assert_eq!(code(&check, visitor(1, 1), Some(""), 30_000).await, required, "an empty token is refused");
        assert_eq!(code(&check, visitor(1, 1), Some("a token"), 30_000).await, None);
    }

    #[actix_web::test]
    async fn failed_tokens_are_counted_and_good_ones_are_not() {
        for (secret, first) in [(test_keys::FAILS, 2), (test_keys::SPENT, 2), (test_keys::PASSES, usize::MAX)] {
            let check = check(secret);
            for _ in 0..2 {
                assert_eq!(code(&check, visitor(1, 1), None, 0).await, None);
            }
            for attempt in 0..10 {
                let expected = match secret {
                    test_keys::PASSES => None,
                    _ if attempt < first => Some(ErrorCode::TurnstileBotDetection),
                    _ => Some(ErrorCode::TurnstileRateLimited),
                };
                assert_eq!(code(&check, visitor(1, 1), Some("a token"), 0).await, expected, "{secret} {attempt}");
            }
        }
    }

    #[test]
    fn settings_without_a_secret_or_with_test_keys_outside_of_regtest_are_refused() {
        let settings =
            |site_key: &str| TurnstileSettings { site_key: Some(site_key.to_owned()), ..TurnstileSettings::default() };
        let refused = |settings, is_regtest, secret: Option<&str>| {
            let found = BotCheck::new(&settings, is_regtest, secret.map(str::to_owned), &[], None);
            found.err().map(|failure| failure.to_string())
        };
        let missing = refused(settings("a real key"), true, None).unwrap();
        assert!(missing.contains("LIENBOOK_TURNSTILE_SECRET"), "{missing}");
        for (secret, _) in test_keys::SECRETS {
            let failure = refused(settings("a real key"), false, Some(secret)).unwrap();
            assert!(failure.contains("test") && !failure.contains(secret), "{failure}");
            assert_eq!(refused(settings("a real key"), true, Some(secret)), None);
        }
        for (site_key, _) in test_keys::SITE_KEYS {
            assert_eq!(refused(settings(site_key), true, None), None, "{site_key}");
            assert!(refused(settings(site_key), false, None).is_some(), "{site_key}");
        }
        assert_eq!(refused(settings("a real key"), false, Some("a real secret")), None);
        assert!(BotCheck::new(&TurnstileSettings::default(), false, None, &[], None).unwrap().is_none());
    }
}
