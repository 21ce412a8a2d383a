//! The refresh cookie, which scripts and other sites cannot read.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};

/// Its name over plain HTTP, which is used on this machine only.
const PLAIN: &str = "lienbook_refresh";

/// Its name over TLS. Browsers accept the prefix only from the host itself, with `Secure` and for the whole host.
const HOST: &str = "__Host-lienbook_refresh";

/// The only path to which the plain cookie is sent; the prefix of the other one requires the root path.
const PLAIN_PATH: &str = "/api/v1/session";

/// Returns the token of the request's cookie.
#[must_use]
pub fn token_of(request: &HttpRequest, is_secure: bool) -> Option<String> {
    request.cookie(name(is_secure)).map(|cookie| cookie.value().to_owned())
}

/// Returns a cookie with the token, for `lifetime_s` seconds.
#[must_use]
pub fn with_token(token: String, lifetime_s: u64, is_secure: bool) -> Cookie<'static> {
    base(token, is_secure, Duration::seconds(i64::try_from(lifetime_s).unwrap_or(i64::MAX)))
}

/// Returns a cookie that removes the refresh cookie.
#[must_use]
pub fn cleared(is_secure: bool) -> Cookie<'static> {
    base(String::new(), is_secure, Duration::ZERO)
}

const fn name(is_secure: bool) -> &'static str {
    if is_secure { HOST } else { PLAIN }
}

fn base(value: String, is_secure: bool, max_age: Duration) -> Cookie<'static> {
    Cookie::build(name(is_secure), value)
        .path(if is_secure { "/" } else { PLAIN_PATH })
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(is_secure)
        .max_age(max_age)
        .finish()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn scripts_and_other_sites_cannot_see_the_cookie_and_other_hosts_cannot_set_it() {
        let shown = with_token("t".to_owned(), 1_209_600, true).to_string();
        for part in
            ["__Host-lienbook_refresh=t;", "HttpOnly", "SameSite=Strict", "Secure", "Path=/;", "Max-Age=1209600"]
        {
            assert!(shown.contains(part), "{shown} lacks {part}");
        }
        assert!(!shown.contains("Domain"), "{shown}");
        let plain = with_token("t".to_owned(), 60, false).to_string();
        assert!(plain.starts_with("lienbook_refresh=t;") && plain.contains("Path=/api/v1/session"), "{plain}");
        assert!(!plain.contains("Secure"), "{plain}");
        assert!(cleared(true).to_string().contains("Max-Age=0"));
    }

    #[test]
    fn over_tls_a_cookie_without_the_prefix_is_ignored() {
        let request = TestRequest::default().cookie(Cookie::new(PLAIN, "planted")).to_http_request();
        assert_eq!(token_of(&request, true), None);
        assert_eq!(token_of(&request, false), Some("planted".to_owned()));
    }
}
