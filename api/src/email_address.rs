//! E-mail addresses to which mail is sent.

use lettre::Address;
use thiserror::Error;

/// The longest address, in bytes (RFC 5321).
pub const LENGTH_MAX: usize = 254;

/// The text is not an e-mail address that this server sends to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an address is of the form name@host.example, in ASCII, with at most {LENGTH_MAX} characters")]
pub struct EmailAddressError;

/// Parses an address. The host is converted to lower case, because its case is ignored.
///
/// # Errors
/// [`EmailAddressError`]: also for quoted names, IP addresses, and hosts of one word, which some mail servers accept
/// but which are never a user's own.
pub fn parse(text: &str) -> Result<Address, EmailAddressError> {
    let text = text.trim();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-@".contains(&byte);
    if text.len() > LENGTH_MAX || !text.bytes().all(is_plain) {
        return Err(EmailAddressError);
    }
    let (name, host) = text.rsplit_once('@').ok_or(EmailAddressError)?;
    if !host.contains('.') {
        return Err(EmailAddressError);
    }
    Address::new(name, host.to_ascii_lowercase()).map_err(|_| EmailAddressError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_plain_and_its_host_in_lower_case() {
        for (text, read) in [
            ("lender@example.org", "lender@example.org"),
            (" Lender+loans@Mail.Example.ORG ", "Lender+loans@mail.example.org"),
            ("o'neil_1-2@example.co.uk", "o'neil_1-2@example.co.uk"),
        ] {
            assert_eq!(parse(text).map(|address| address.to_string()), Ok(read.to_owned()));
        }
        let long = format!("{}@example.org", "a".repeat(300));
        for wrong in [
            "",
            "@",
            "lender",
            "lender@",
            "@example.org",
            "lender@localhost",
            "lender@[127.0.0.1]",
            "\"a b\"@example.org",
            "a b@example.org",
            "lender@example.org\r\nBcc: other@example.org",
            "lender@example.org,other@example.org",
            "Lender <lender@example.org>",
            "lender@exämple.org",
            "a@b@example.org",
            "lender@example..org",
            "lender@.org",
            &long,
        ] {
            assert_eq!(parse(wrong), Err(EmailAddressError), "{wrong:?}");
        }
    }
}
