//! The vault signer, in this process or behind a socket.

pub mod configured;
mod market_terms;
mod own_signers;
mod policy_check;
mod signer_health;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use bitcoin::ScriptBuf;
use engine::Market;
use engine::locks::RwLockExt as _;
use escrow::address::WalletAddress;
use signer::delegation_request::DelegationRequest;
use signer::in_process::InProcess;
use signer::refusal::Refusal;
use signer::request::shared::SharedRequest;
use signer::request::{Answer, Description, Request};
use signer::signers::Signers;
use signer::socket_client::SocketClient;
use signer::term_sheet::TermSheet;
use signer::vault_signer::{SignerError, VaultSigner};
use tokio::sync::Mutex;

use crate::config::settings::Settings;
use crate::failure::Failure;

pub use signer_health::SignerHealth;

/// The vault signer. Clones are handles to the same one.
#[derive(Clone)]
pub struct SignerHandle(Arc<Inner>);

/// A check before each request, such as a simulated outage.
pub type SignerGate = fn() -> Result<(), SignerError>;

struct Inner {
    backend: Backend,
    gate: Option<SignerGate>,
    /// The epoch of this server's lease in a cluster; 0 without one.
    epoch: AtomicU64,
    health: SignerHealth,
    /// The last known description of its policy.
    described: RwLock<Option<Arc<Description>>>,
}

/// The configured signer.
enum Backend {
    /// Signers in this process, where the market supplies the terms of slugs.
    InProcess { signers: Signers<InProcess>, all: Vec<InProcess>, market: Market, sheet: Mutex<TermSheet> },
    /// Signers in processes of their own, which have term sheets of their own.
    Sockets(Signers<SocketClient>),
    /// None: there are no instant offers.
    Unconfigured,
}

impl SignerHandle {
    /// Returns a signer behind a socket.
    #[must_use]
    pub fn behind_socket(socket: impl Into<PathBuf>) -> Self {
        Self::new(Backend::Sockets(Signers::One(SocketClient::new(socket))), None)
    }

    /// Returns the absence of a signer: there are no instant offers.
    #[must_use]
    pub fn unconfigured() -> Self {
        Self::new(Backend::Unconfigured, None)
    }

    fn new(backend: Backend, gate: Option<SignerGate>) -> Self {
        let (epoch, health, described) = (AtomicU64::new(0), SignerHealth::default(), RwLock::default());
        Self(Arc::new(Inner { backend, gate, epoch, health, described }))
    }

    /// Has all further requests carry the epoch of this server's lease: the signer refuses those of earlier ones as soon
    /// as it has seen one of this.
    pub fn set_epoch(&self, epoch: u64) {
        self.0.epoch.store(epoch, Ordering::Release);
    }

    fn check_gate(&self) -> Result<(), SignerError> {
        self.0.gate.map_or(Ok(()), |check| check())
    }

    /// Returns whether a signer is configured: without one no instant offer can be funded.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        !matches!(self.0.backend, Backend::Unconfigured)
    }

    /// Returns whether the signer answers.
    #[must_use]
    pub fn health(&self) -> &SignerHealth {
        &self.0.health
    }

    /// Returns the number of signers that did not answer the last request to them, of several that share the vaults.
    #[must_use]
    pub fn silent_signers(&self) -> usize {
        match &self.0.backend {
            Backend::InProcess { signers, .. } => signers.silent(),
            Backend::Sockets(signers) => signers.silent(),
            Backend::Unconfigured => 0,
        }
    }

    /// Returns the signer's policy and its hash (`canisterId`), which are cached.
    ///
    /// # Errors
    /// [`SignerError::Unreachable`] without a signer, and the errors of the request.
    pub async fn policy(&self) -> Result<Arc<Description>, SignerError> {
        self.check_gate()?;
        let known = self.0.described.read_unpoisoned().clone();
        match known {
            Some(known) => Ok(known),
            None => self.fetch_policy().await,
        }
    }

    /// Fetches the policy again, and logs its contradictions to the settings of this server.
    ///
    /// # Errors
    /// Those of [`Self::policy`].
    pub async fn check_policy(&self, settings: &Settings, domain: &str) -> Result<(), SignerError> {
        let known = self.0.described.read_unpoisoned().clone();
        let described = self.fetch_policy().await?;
        if known.as_ref().is_none_or(|known| known.policy_hash != described.policy_hash) {
            let platform = platform_script(settings).ok().flatten();
            let counts = match &self.0.backend {
                Backend::Sockets(signers) => Some(signers.counts()),
                // Signers in this process have the policy that this server made.
                Backend::InProcess { .. } | Backend::Unconfigured => None,
            };
            for line in policy_check::contradictions(&described, settings, domain, platform.as_ref(), counts) {
                tracing::error!("{line}: instant offers are refused");
            }
        }
        Ok(())
    }

    /// Fetches the policy again, because the signer's operator may have changed it.
    ///
    /// # Errors
    /// Those of [`Self::policy`].
    pub async fn fetch_policy(&self) -> Result<Arc<Description>, SignerError> {
        let described = Arc::new(self.describe().await?);
        let mut known = self.0.described.write_unpoisoned();
        *known = Some(Arc::clone(&described));
        Ok(described)
    }
}

impl Inner {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        match &self.backend {
            Backend::InProcess { signers, all, market, sheet } => {
                let asked = match &request {
                    Request::OfWriter { request, .. } => request,
                    request => request,
                };
                if needs_terms(asked) {
                    update_terms(all, sheet, market).await?;
                }
                signers.ask(request).await
            }
            Backend::Sockets(signers) => signers.ask(request).await,
            Backend::Unconfigured => Err(no_signer()),
        }
    }
}

impl VaultSigner for SignerHandle {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        self.check_gate()?;
        let request = match self.0.epoch.load(Ordering::Acquire) {
            0 => request,
            epoch => Request::OfWriter { epoch, request: Box::new(request) },
        };
        let answer = self.0.ask(request).await;
        let deposed = match &answer {
            Ok(Answer::Refused(Refusal::Deposed { found, latest })) => Some((*found, *latest)),
            _ => None,
        };
        self.0.health.record(answer.is_ok() && deposed.is_none());
        if let Some((epoch, latest)) = deposed {
            tracing::error!(
                epoch,
                latest,
                "the vault signer signs nothing for this node: it has seen a later epoch. Another node has taken over, or \
                 the journal was restored or moved: then run `lienbook signer forget-epoch`"
            );
        }
        let answer = answer?;
        if matches!(answer, Answer::Refused(Refusal::OtherPolicy { .. })) {
            // The cached policy is outdated.
            *self.0.described.write_unpoisoned() = None;
        }
        Ok(answer)
    }
}

/// Whether the answer depends on the terms of slugs.
const fn needs_terms(request: &Request) -> bool {
    matches!(
        request,
        Request::AdmitOffer { .. }
            | Request::AcceptTerm { .. }
            | Request::PrepareLoan(_)
            | Request::SignLoan(_)
            | Request::Shared(SharedRequest::SignLoan(_))
            | Request::Delegation(DelegationRequest::AdmitOffer { .. })
    )
}

/// Passes the market's current terms to the signer if they have changed, on a blocking thread.
async fn update_terms(signers: &[InProcess], known: &Mutex<TermSheet>, market: &Market) -> Result<(), SignerError> {
    let mut known = known.lock().await;
    // Read under the lock, so that an older sheet cannot replace a newer one.
    let now = market_terms::sheet(market);
    if *known == now {
        return Ok(());
    }
    let (signers, given) = (signers.to_vec(), now.clone());
    let set =
        tokio::task::spawn_blocking(move || signers.iter().try_for_each(|signer| signer.set_sheet(given.clone())))
            .await;
    set.map_err(|error| SignerError::Unreachable { reason: error.to_string() })??;
    *known = now;
    Ok(())
}

fn no_signer() -> SignerError {
    SignerError::Unreachable { reason: "no vault signer is configured".to_owned() }
}

/// Returns the script for the platform's share of the interest; `None` if none is taken.
///
/// # Errors
/// Fails if the setting is not an address of the network.
pub fn platform_script(settings: &Settings) -> Result<Option<ScriptBuf>, Failure> {
    let Some(text) = own_signers::platform_address(settings)? else { return Ok(None) };
    let address = WalletAddress::parse(&text, settings.network).map_err(Failure::new)?;
    Ok(Some(address.script_pubkey()))
}
