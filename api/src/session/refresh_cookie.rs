//! The cookie that renews a session, out of reach of scripts and of other sites.

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};

use super::token::REFRESH_S;

/// Its name.
pub const NAME: &str = "lienbook_refresh";

/// The only path it is sent to.
const PATH: &str = "/api/v1/session";

/// The cookie with a token.
#[must_use]
pub fn with_token(token: String, is_secure: bool) -> Cookie<'static> {
    let lifetime = Duration::seconds(i64::try_from(REFRESH_S).unwrap_or(i64::MAX));
    base(token, is_secure, lifetime)
}

/// The cookie that takes itself back.
#[must_use]
pub fn cleared(is_secure: bool) -> Cookie<'static> {
    base(String::new(), is_secure, Duration::ZERO)
}

fn base(value: String, is_secure: bool, max_age: Duration) -> Cookie<'static> {
    Cookie::build(NAME, value)
        .path(PATH)
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(is_secure)
        .max_age(max_age)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_other_sites_cannot_see_the_cookie() {
        let shown = with_token("t".to_owned(), true).to_string();
        for part in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/api/v1/session", "Max-Age=1209600"] {
            assert!(shown.contains(part), "{shown} lacks {part}");
        }
        assert!(!with_token("t".to_owned(), false).to_string().contains("Secure"));
        assert!(cleared(true).to_string().contains("Max-Age=0"));
    }
}
