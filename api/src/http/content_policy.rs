//! The content security policy of this server's pages.

use actix_web::http::header::HeaderValue;

use crate::config::public_url::PublicUrl;
use crate::failure::Failure;

/// The page that shows the description of the API, and the hash of the one style element that its script inserts.
pub(crate) const DOCS: &str = "/api/docs/";
const DOCS_STYLE: &str = " 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/// The origin of the bot check's challenge: a script that opens a frame.
const CHALLENGE: &str = " https://challenges.cloudflare.com";

/// The permission to compile WebAssembly, which the app's second verifier is; it does not permit `eval`.
const WASM: &str = " 'wasm-unsafe-eval'";

/// The content security policy.
///
/// Scripts and styles are this server's own files, and those of the bot check if there is one; no site may frame these
/// pages but the one made for it, and nothing is sent elsewhere. No style is inline: popovers are positioned and charts are drawn by script,
/// element by element, which the policy does not restrict. Pictures are from this server or made by the page. Sockets
/// are listed with their scheme because some browsers do not include them in `self`.
#[derive(Clone, Debug)]
pub struct ContentPolicy {
    /// The policy of the app.
    pub(crate) app: HeaderValue,
    /// The policy of the page that shows the description of the API.
    pub(crate) docs: HeaderValue,
    /// The policy of the page that other sites embed.
    pub(crate) embed: HeaderValue,
}

impl ContentPolicy {
    /// Builds the policy of a server with these addresses, with or without a bot check, and with the origins that may
    /// frame the page made for it.
    ///
    /// # Errors
    /// Fails if an address is not valid in a header, which a parsed one always is.
    pub fn new<'a>(
        addresses: impl IntoIterator<Item = &'a PublicUrl>,
        has_bot_check: bool,
        framing: &[PublicUrl],
    ) -> Result<Self, Failure> {
        let scheme = |url: &PublicUrl| if url.is_https() { "wss" } else { "ws" };
        let sockets: Vec<_> = addresses.into_iter().map(|url| format!(" {}://{}", scheme(url), url.domain())).collect();
        let sockets = sockets.concat();
        let (challenge, frames) =
            if has_bot_check { (CHALLENGE, format!("frame-src{CHALLENGE}; ")) } else { ("", String::new()) };
        let policy = |scripts: &str, styles: &str| {
            let policy = format!(
                "default-src 'none'; script-src 'self'{challenge}{scripts}; {frames}style-src 'self'{styles}; img-src 'self' data: \
                 blob:; font-src 'self'; connect-src 'self'{sockets}; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
                 form-action 'none'; frame-ancestors 'none'"
            );
            HeaderValue::from_str(&policy).map_err(Failure::new)
        };
        Ok(Self { app: policy(WASM, "")?, docs: policy("", DOCS_STYLE)?, embed: embed_policy(framing)? })
    }
}

/// Returns the policy of the page that the origins `framing` may frame: it has no wallet, opens no socket, shows no picture
/// and sends no form.
fn embed_policy(framing: &[PublicUrl]) -> Result<HeaderValue, Failure> {
    let origins: Vec<_> = framing.iter().map(ToString::to_string).collect();
    let ancestors = if origins.is_empty() { "'none'".to_owned() } else { origins.join(" ") };
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors {ancestors}"
    );
    HeaderValue::from_str(&policy).map_err(Failure::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_origins_frame_the_page_that_is_made_for_it() {
        let own = ["https://lienbook.example".parse().unwrap()];
        let ancestors = |framing: &[&str]| {
            let framing: Vec<_> = framing.iter().map(|origin| origin.parse().unwrap()).collect();
            let policy = ContentPolicy::new(&own, false, &framing).unwrap();
            for other in [&policy.app, &policy.docs] {
                assert!(other.to_str().unwrap().ends_with("; frame-ancestors 'none'"));
            }
            policy.embed.to_str().unwrap().rsplit_once("; ").unwrap().1.to_owned()
        };
        assert_eq!(ancestors(&[]), "frame-ancestors 'none'");
        assert_eq!(
            ancestors(&["https://a.example", "http://127.0.0.1:81/"]),
            "frame-ancestors https://a.example http://127.0.0.1:81"
        );
    }
}
