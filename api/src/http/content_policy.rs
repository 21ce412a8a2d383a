//! The content security policy of this server's pages.

use actix_web::http::header::HeaderValue;

use crate::config::public_url::PublicUrl;
use crate::failure::Failure;

/// The page that shows the description of the API, and the hash of the one style element that its script inserts.
pub(crate) const DOCS: &str = "/api/docs/";
const DOCS_STYLE: &str = " 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/// The origin of the bot check's challenge: a script that opens a frame.
const CHALLENGE: &str = " https://challenges.cloudflare.com";

/// The content security policy.
///
/// Scripts and styles are this server's own files, and those of the bot check if there is one; no site may frame these
/// pages, and nothing is sent elsewhere. No style is inline: popovers are positioned and charts are drawn by script,
/// element by element, which the policy does not restrict. Pictures are from this server or made by the page. Sockets
/// are listed with their scheme because some browsers do not include them in `self`.
#[derive(Clone, Debug)]
pub struct ContentPolicy {
    /// The policy of the app.
    pub(crate) app: HeaderValue,
    /// The policy of the page that shows the description of the API.
    pub(crate) docs: HeaderValue,
}

impl ContentPolicy {
    /// Builds the policy of a server with these addresses, with or without a bot check.
    ///
    /// # Errors
    /// Fails if an address is not valid in a header, which a parsed one always is.
    pub fn new<'a>(addresses: impl IntoIterator<Item = &'a PublicUrl>, has_bot_check: bool) -> Result<Self, Failure> {
        let scheme = |url: &PublicUrl| if url.is_https() { "wss" } else { "ws" };
        let sockets: Vec<_> = addresses.into_iter().map(|url| format!(" {}://{}", scheme(url), url.domain())).collect();
        let sockets = sockets.concat();
        let (challenge, frames) =
            if has_bot_check { (CHALLENGE, format!("frame-src{CHALLENGE}; ")) } else { ("", String::new()) };
        let policy = |styles: &str| {
            let policy = format!(
                "default-src 'none'; script-src 'self'{challenge}; {frames}style-src 'self'{styles}; img-src 'self' data: \
                 blob:; font-src 'self'; connect-src 'self'{sockets}; manifest-src 'self'; base-uri 'none'; \
                 form-action 'none'; frame-ancestors 'none'"
            );
            HeaderValue::from_str(&policy).map_err(Failure::new)
        };
        Ok(Self { app: policy("")?, docs: policy(DOCS_STYLE)? })
    }
}
