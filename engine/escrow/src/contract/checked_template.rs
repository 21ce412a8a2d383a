//! A transaction whose every input was looked up, and so may be handed to a wallet.

use super::template::Template;
use super::wallet_copy::wallet_copy;

/// A transaction that stood the check of everything that it spends: only
/// [`Spending::check`](super::spent_output::Spending::check) makes one, and only this gives the text for a wallet.
///
/// It says how the chain was when somebody looked, and so is not kept: whoever hands the transaction out again looks
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedTemplate<'a> {
    template: &'a Template,
}

impl<'a> CheckedTemplate<'a> {
    /// For whoever has checked it.
    pub(super) const fn new(template: &'a Template) -> Self {
        Self { template }
    }

    /// The transaction.
    #[must_use]
    pub const fn template(&self) -> &'a Template {
        self.template
    }

    /// The text for a wallet: the PSBT in base64 (BIP-174), nobody's signatures in it.
    #[must_use]
    pub fn to_base64(&self) -> String {
        wallet_copy(&self.template.psbt)
    }
}
