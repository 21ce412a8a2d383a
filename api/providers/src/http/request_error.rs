//! The reasons why a server cannot be asked, or does not answer.

use thiserror::Error;

/// The reason why an upstream cannot be used at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// The URL is not of an HTTP server.
    #[error("{0:?} is not the URL of an HTTP server")]
    InvalidUrl(String),
    /// The URL contains credentials, which would end up in logs.
    #[error("a URL must not carry a user name or a password: configure them beside it")]
    CredentialsInUrl,
    /// The HTTP client cannot be created.
    #[error("the HTTP client does not start: {0}")]
    Client(String),
}

/// The reason why there is no answer to read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum RequestError {
    /// No connection, a broken one, or a timeout.
    #[error("{0}")]
    Unreachable(String),
    /// The answer exceeds the limit.
    #[error("it is larger than {max} bytes")]
    TooLarge {
        /// The limit, in bytes.
        max: usize,
    },
}

/// Returns an error with its causes: the HTTP clients' own texts omit them.
pub(super) fn error_chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
