//! The check of the `Origin` of writes and sockets.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, ORIGIN};

use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// The origins whose pages may send writes and open sockets.
#[derive(Clone, Debug)]
pub struct AllowedOrigins(Vec<String>);

impl AllowedOrigins {
    /// Builds the list of origins, such as `https://lienbook.example`.
    #[must_use]
    pub fn new(origins: Vec<String>) -> Self {
        Self(origins)
    }

    /// Checks whether a request with these headers may change something.
    ///
    /// Browsers send `Origin` with every write and every socket; other clients send none and hold no user's cookies. A
    /// request that declares itself cross-site is refused even without one.
    ///
    /// # Errors
    /// [`ErrorCode::OriginNotAllowed`] with the origin.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let refuse = |origin: &str| {
            let shown: String = origin.chars().take(128).collect();
            Err(ApiError::new(ErrorCode::OriginNotAllowed, format!("{shown} is not an origin of this server")))
        };
        let mut origins = headers.get_all(ORIGIN);
        match (origins.next(), origins.next()) {
            (Some(origin), None) => {
                let text = origin.to_str().unwrap_or("?");
                if self.0.iter().any(|allowed| allowed == text) { Ok(()) } else { refuse(text) }
            }
            (Some(_), Some(_)) => refuse("more than one origin"),
            (None, _) => {
                let site = headers.get(HeaderName::from_static("sec-fetch-site"));
                match site.map(HeaderValue::as_bytes) {
                    Some(b"cross-site" | b"same-site") => refuse("another site"),
                    _ => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn only_pages_of_this_server_and_programs_may_write() {
        let allowed = AllowedOrigins::new(vec!["http://127.0.0.1:8080".to_owned()]);
        assert!(allowed.check(&headers(&[])).is_ok());
        assert!(allowed.check(&headers(&[("origin", "http://127.0.0.1:8080")])).is_ok());
        for refused in [
            &[("origin", "http://127.0.0.1:8081")][..],
            &[("origin", "null")],
            &[("origin", "http://127.0.0.1:8080.evil.example")],
            &[("origin", "http://127.0.0.1:8080"), ("origin", "http://evil.example")],
            &[("sec-fetch-site", "cross-site")],
        ] {
            assert!(allowed.check(&headers(refused)).is_err(), "{refused:?}");
        }
    }
}
