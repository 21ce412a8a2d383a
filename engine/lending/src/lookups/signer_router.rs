//! The choice between the signers of new vaults and those of earlier ones, by the vault.
//!
//! A vault is held by the signers whose keys are in its script, so the keys in its ledger decide, and nothing else. Without
//! earlier signers every request goes to the one set that there is.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bitcoin::XOnlyPublicKey;
use domain::{SignerKeys, UserId};
use engine::Market;
use engine::locks::MutexExt as _;
use escrow::contract::vault::vault_signers::VaultSigners;
use signer::request::{Answer, Description, Request};
use signer::vault_signer::{SignerError, VaultSigner};

/// The signers of some vaults, as one port.
pub struct SignerGroup<S> {
    /// The port.
    pub port: S,
    /// The number of signers that sign each payment.
    pub required: usize,
    /// The number of signers.
    pub count: usize,
}

/// The signers that hold a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Those that new vaults are opened with, or none: the vault is not open.
    Current,
    /// Those of earlier vaults.
    Previous,
}

/// The signers of all vaults. Clones are handles to the same ones.
pub struct SignerRouter<S>(Arc<Inner<S>>);

struct Inner<S> {
    current: S,
    succession: Option<Succession<S>>,
}

/// Earlier signers, and what tells their vaults from those of the current ones.
struct Succession<S> {
    market: Market,
    /// The number of current signers that sign each payment, and of all.
    current: (usize, usize),
    previous: SignerGroup<S>,
    /// The holders that were asked for before, each with the keys that it was asked for.
    known: Mutex<BTreeMap<UserId, (SignerKeys, Holder)>>,
}

impl<S> Clone for SignerRouter<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> SignerRouter<S> {
    /// Signers that hold all vaults.
    #[must_use]
    pub fn alone(port: S) -> Self {
        Self(Arc::new(Inner { current: port, succession: None }))
    }

    /// Joins the signers of new vaults and those of earlier ones; the market knows which keys a vault has.
    #[must_use]
    pub fn with_previous(market: Market, current: SignerGroup<S>, previous: SignerGroup<S>) -> Self {
        let SignerGroup { port, required, count } = current;
        let succession = Succession { market, current: (required, count), previous, known: Mutex::default() };
        Self(Arc::new(Inner { current: port, succession: Some(succession) }))
    }

    /// Returns the signers of new vaults.
    #[must_use]
    pub fn current(&self) -> &S {
        &self.0.current
    }

    /// Returns the signers of earlier vaults.
    #[must_use]
    pub fn previous(&self) -> Option<&S> {
        self.0.succession.as_ref().map(|succession| &succession.previous.port)
    }

    /// Returns all ports.
    pub fn ports(&self) -> impl Iterator<Item = &S> {
        [Some(self.current()), self.previous()].into_iter().flatten()
    }
}

impl<S: VaultSigner> SignerRouter<S> {
    /// Returns the signers that hold a lender's vault.
    ///
    /// # Errors
    /// If neither of two sets of equally many signers says which keys are its own.
    pub async fn holder(&self, lender: UserId) -> Result<Holder, SignerError> {
        let Some(succession) = &self.0.succession else { return Ok(Holder::Current) };
        let Some(keys) = succession.market.vault_keys(lender).await else { return Ok(Holder::Current) };
        let held = (usize::from(keys.signers.required), keys.signers.keys.len());
        let previous = (succession.previous.required, succession.previous.count);
        match (held == succession.current, held == previous) {
            (false, true) => Ok(Holder::Previous),
            (true, true) => self.holder_by_keys(lender, keys.signers, succession).await,
            (_, false) => Ok(Holder::Current),
        }
    }

    /// Returns the signers that hold a lender's vault, as a port.
    ///
    /// # Errors
    /// Those of [`Self::holder`].
    pub async fn port_of(&self, lender: UserId) -> Result<&S, SignerError> {
        Ok(match (self.holder(lender).await?, self.previous()) {
            (Holder::Previous, Some(previous)) => previous,
            _ => self.current(),
        })
    }

    /// Asks both sets for their keys; the answer of one suffices.
    async fn holder_by_keys(
        &self,
        lender: UserId,
        held: SignerKeys,
        succession: &Succession<S>,
    ) -> Result<Holder, SignerError> {
        let known =
            succession.known.lock_unpoisoned().get(&lender).filter(|(keys, _)| *keys == held).map(|known| known.1);
        if let Some(known) = known {
            return Ok(known);
        }
        let same = |signers: VaultSigners| {
            let keys = signers.keys().iter().map(XOnlyPublicKey::serialize);
            signers.required() == usize::from(held.required) && keys.eq(held.keys.iter().copied())
        };
        let is_current = match self.current().vault_signers(lender.0).await.map(same) {
            Ok(is_current) => is_current,
            Err(_) => !same(succession.previous.port.vault_signers(lender.0).await?),
        };
        let holder = if is_current { Holder::Current } else { Holder::Previous };
        succession.known.lock_unpoisoned().insert(lender, (held, holder));
        Ok(holder)
    }

    /// Asks for offers at both sets: an offer is known to the one that admitted it. One that does not answer is no loss if
    /// the other knows all offers.
    async fn ask_both(&self, request: Request, previous: &S) -> Result<Answer, SignerError> {
        let asked = if let Request::Standing { offers } = &request { offers.len() } else { 0 };
        let (first, second) = futures_util::join!(self.current().ask(request.clone()), previous.ask(request));
        match (first, second) {
            (Ok(Answer::Standing(mut first)), Ok(Answer::Standing(second))) => {
                first.extend(second);
                Ok(Answer::Standing(first))
            }
            (Ok(Answer::Standing(known)), _) | (_, Ok(Answer::Standing(known))) if known.len() == asked => {
                Ok(Answer::Standing(known))
            }
            (Ok(Answer::Standing(_)), other) | (other, _) => other,
        }
    }
}

impl<S: VaultSigner> SignerRouter<S> {
    async fn ask_holder(&self, request: Request) -> Result<Answer, SignerError> {
        match (request.lender_id(), self.previous()) {
            (Some(lender), Some(_)) => self.port_of(UserId(lender)).await?.ask(request).await,
            (None, Some(previous)) if matches!(request, Request::Standing { .. }) => {
                self.ask_both(request, previous).await
            }
            _ => self.current().ask(request).await,
        }
    }
}

/// The futures are boxed, or every one that awaits them would have room for the requests to all ports.
impl<S: VaultSigner> VaultSigner for SignerRouter<S> {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        Box::pin(self.ask_holder(request)).await
    }

    async fn describe_vault(&self, lender_id: u64) -> Result<Description, SignerError> {
        Box::pin(async { self.port_of(UserId(lender_id)).await?.describe().await }).await
    }
}
