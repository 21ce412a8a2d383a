//! A transaction whose every input was looked up, and which may therefore be handed to a wallet.

use super::wallet_copy::wallet_copy;
use crate::contract::transaction::template::Template;

/// A transaction whose inputs passed [`InputPolicy::check`](super::spent_output::InputPolicy::check), which alone makes
/// one; and only this type gives the text for a wallet.
///
/// It reflects the chain at the time of the look-up and is not stored: to hand the transaction out again, it is checked
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedTemplate<'a> {
    template: &'a Template,
}

impl<'a> CheckedTemplate<'a> {
    /// Wraps a template that was checked.
    pub(crate) const fn new(template: &'a Template) -> Self {
        Self { template }
    }

    /// The transaction.
    #[must_use]
    pub const fn template(&self) -> &'a Template {
        self.template
    }

    /// The text for a wallet: the PSBT in base64 (BIP-174), without any signatures.
    #[must_use]
    pub fn to_base64(&self) -> String {
        wallet_copy(&self.template.psbt)
    }
}
