//! The signer of all vaults: one of its own, or several that share them.

use crate::quorum::Quorum;
use crate::request::{Answer, Request};
use crate::vault_signer::{SignerError, VaultSigner};

/// The signers at ports of one kind.
#[derive(Clone, Debug)]
pub enum Signers<S> {
    /// One signer, which has the vaults alone.
    One(S),
    /// Several signers, which share them.
    Several(Quorum<S>),
}

impl<S: VaultSigner> Signers<S> {
    /// Returns the signers at these ports, of which `required` sign each payment; `None` without any.
    #[must_use]
    pub fn new(required: usize, mut ports: Vec<S>) -> Option<Self> {
        match ports.len() {
            0 => None,
            1 => ports.pop().map(Self::One),
            _ => Some(Self::Several(Quorum::new(required, ports))),
        }
    }

    /// Returns the number of signers that sign each payment, and that of all.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        match self {
            Self::One(_) => (1, 1),
            Self::Several(quorum) => quorum.counts(),
        }
    }

    /// Returns the number of signers that did not answer the latest request to them, of several.
    #[must_use]
    pub fn silent(&self) -> usize {
        match self {
            Self::One(_) => 0,
            Self::Several(quorum) => quorum.members_answer().into_iter().filter(|answers| !answers).count(),
        }
    }
}

impl<S: VaultSigner> VaultSigner for Signers<S> {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        match self {
            Self::One(signer) => signer.ask(request).await,
            // The future of several conversations is large.
            Self::Several(quorum) => Box::pin(quorum.ask(request)).await,
        }
    }
}
