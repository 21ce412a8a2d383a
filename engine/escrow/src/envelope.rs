//! The closing fields of every signed message.

use bitcoin::Network;

use crate::message_error::MessageError;
use crate::message_times::{TimesError, check_times};
use crate::text_reader::TextReader;
use crate::text_writer::TextWriter;

/// The domain, network, address and time that a message is signed for, so that it is worthless anywhere else.
///
/// ```text
/// Domain: lienbook.example
/// Network: bitcoin
/// Address: bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l
/// Nonce: 5f2c1d0e9b8a7766
/// Issued: 1800000000
/// Expires: 1800000600
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// The host name, with a port if there is one, that the user sees in the browser.
    pub domain: String,
    /// The network: `bitcoin`, `testnet`, `testnet4`, `signet` or `regtest` in the text.
    pub network: Network,
    /// The address that signs this text.
    pub address: String,
    /// The nonce that the server issued to this address, valid for one message.
    pub nonce: String,
    /// The issue time, in unix seconds.
    pub issued_s: u64,
    /// The first second at which it is no longer accepted, in unix seconds.
    pub expires_s: u64,
}

impl Envelope {
    /// Checks that the message is acceptable at `now_s` (unix seconds), by the rules of [`check_times`].
    pub fn check_times(&self, now_s: u64) -> Result<(), TimesError> {
        check_times(self.issued_s, self.expires_s, now_s)
    }

    pub(crate) fn write(&self, writer: &mut TextWriter) -> Result<(), MessageError> {
        writer.text("Domain", &self.domain)?;
        writer.text("Network", &self.network.to_string())?;
        writer.text("Address", &self.address)?;
        writer.text("Nonce", &self.nonce)?;
        writer.number("Issued", self.issued_s);
        writer.number("Expires", self.expires_s);
        Ok(())
    }

    pub(crate) fn read(reader: &mut TextReader<'_>) -> Result<Self, MessageError> {
        Ok(Self {
            domain: reader.value("Domain")?,
            network: reader.value("Network")?,
            address: reader.value("Address")?,
            nonce: reader.value("Nonce")?,
            issued_s: reader.value("Issued")?,
            expires_s: reader.value("Expires")?,
        })
    }
}
