//! Credentials for a node's JSON-RPC.

use std::path::PathBuf;

use reqwest::RequestBuilder;
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
    /// Adds the credentials to a request. The error says what is wrong with the cookie file, never what is in it.
    pub(super) async fn sign(&self, request: RequestBuilder) -> Result<RequestBuilder, String> {
        match self {
            Self::User { name, password } => Ok(request.basic_auth(name, Some(password.expose_secret()))),
            Self::Cookie(path) => {
                let read = tokio::fs::read_to_string(path).await;
                let cookie = read.map_err(|error| format!("the cookie file {} is not there: {error}", path.display()));
                let cookie = SecretString::from(cookie?);
                let pair = cookie.expose_secret().trim_end().split_once(':');
                let (name, password) =
                    pair.ok_or_else(|| format!("the cookie file {} holds no cookie", path.display()))?;
                Ok(request.basic_auth(name, Some(password)))
            }
        }
    }
}
