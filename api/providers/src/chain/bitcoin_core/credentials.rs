//! Credentials for a node's JSON-RPC.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};

/// Authentication to a node.
#[derive(Clone, Debug)]
pub enum Credentials {
    /// The file `.cookie` in the node's data directory, which the node rewrites at each start.
    Cookie(PathBuf),
    /// A name and a password (`rpcauth`).
    User {
        /// The name.
        name: String,
        /// The password.
        password: SecretString,
    },
}

impl Credentials {
    /// Returns the header of a request. The error says what is wrong with the cookie file, never what is in it.
    pub(super) async fn header(&self) -> Result<(HeaderName, HeaderValue), String> {
        match self {
            Self::User { name, password } => basic_auth(name, password.expose_secret()),
            Self::Cookie(path) => {
                let read = tokio::fs::read_to_string(path).await;
                let cookie = read.map_err(|error| format!("the cookie file {} is not there: {error}", path.display()));
                let cookie = SecretString::from(cookie?);
                let pair = cookie.expose_secret().trim_end().split_once(':');
                let (name, password) =
                    pair.ok_or_else(|| format!("the cookie file {} holds no cookie", path.display()))?;
                basic_auth(name, password)
            }
        }
    }
}

/// Returns the header of HTTP basic authentication (RFC 7617), which debug output hides.
fn basic_auth(name: &str, password: &str) -> Result<(HeaderName, HeaderValue), String> {
    let pair = STANDARD.encode(format!("{name}:{password}"));
    let mut value = HeaderValue::try_from(format!("Basic {pair}")).map_err(|error| error.to_string())?;
    value.set_sensitive(true);
    Ok((AUTHORIZATION, value))
}
