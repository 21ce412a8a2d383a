//! The address and security of the outgoing mail server.

use std::str::FromStr;

use actix_web::http::Uri;
use thiserror::Error;

/// The encryption of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailSecurity {
    /// TLS from the first byte.
    Tls,
    /// STARTTLS after the greeting; without it nothing is sent.
    StartTls,
    /// None, on this machine only.
    Clear,
}

/// The outgoing mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailServer {
    /// Its host name or IP address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The encryption of the connection.
    pub security: MailSecurity,
}

/// The text is not the address of a mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "it is of the form smtps://host:465 or smtp://host:587, without a user name and a password, which stand in smtp_user \
     and LIENBOOK_SMTP_PASSWORD"
)]
pub struct MailServerError;

impl FromStr for MailServer {
    type Err = MailServerError;

    fn from_str(text: &str) -> Result<Self, MailServerError> {
        let uri: Uri = text.parse().map_err(|_| MailServerError)?;
        let (Some(scheme), Some(authority), Some(host)) = (uri.scheme_str(), uri.authority(), uri.host()) else {
            return Err(MailServerError);
        };
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none() && !text.contains('#');
        if host.is_empty() || !is_bare || authority.as_str().contains('@') {
            return Err(MailServerError);
        }
        let is_here = matches!(host, "127.0.0.1" | "[::1]" | "localhost");
        let (usual_port, security) = match scheme {
            "smtps" => (465, MailSecurity::Tls),
            "smtp" if is_here => (25, MailSecurity::Clear),
            "smtp" => (587, MailSecurity::StartTls),
            _ => return Err(MailServerError),
        };
        // A port that is not a number would be taken for a missing one.
        let has_port = authority.as_str().len() > host.len();
        let port = if has_port { uri.port_u16().ok_or(MailServerError)? } else { usual_port };
        if port == 0 {
            return Err(MailServerError);
        }
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { host, port, security })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_sent_over_tls_unless_it_stays_on_this_machine() {
        let read = |text: &str| text.parse().map(|MailServer { host, port, security }| (host, port, security));
        let server = |host: &str, port, security| Ok((host.to_owned(), port, security));
        assert_eq!(read("smtps://mail.example.org"), server("mail.example.org", 465, MailSecurity::Tls));
        assert_eq!(read("smtp://mail.example.org/"), server("mail.example.org", 587, MailSecurity::StartTls));
        assert_eq!(read("smtp://mail.example.org:2525"), server("mail.example.org", 2525, MailSecurity::StartTls));
        assert_eq!(read("smtp://127.0.0.1:1025"), server("127.0.0.1", 1025, MailSecurity::Clear));
        assert_eq!(read("smtp://[::1]"), server("::1", 25, MailSecurity::Clear));
        assert_eq!(read("smtps://localhost"), server("localhost", 465, MailSecurity::Tls));
        for wrong in [
            "",
            "mail.example.org",
            "mail.example.org:25",
            "http://mail.example.org",
            "smtp://",
            "smtp://user@mail.example.org",
            "smtp://user:secret@mail.example.org",
            "smtp://mail.example.org/name",
            "smtp://mail.example.org?tls=none",
            "smtp://mail.example.org:0",
            "smtp://mail.example.org:",
            "smtp://mail.example.org:99999",
        ] {
            assert_eq!(read(wrong), Err(MailServerError), "{wrong}");
        }
    }
}
