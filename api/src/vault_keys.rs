//! Whoever holds the vaults' keys, as the server reaches it.

mod market_terms;
mod own_signer;
mod policy_check;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use bitcoin::ScriptBuf;
use engine::Market;
use escrow::address::WalletAddress;
use signer::in_process::InProcess;
use signer::refusal::Refusal;
use signer::request::{Answer, Description, Request};
use signer::socket_client::SocketClient;
use signer::term_sheet::TermSheet;
use signer::vault_signer::{SignerError, VaultSigner};
use tokio::sync::Mutex;

use crate::config::settings::Settings;
use crate::demo::outage::{self, Part};
use crate::failure::Failure;

/// The holder of the vaults' keys. Clones are handles to the same one.
#[derive(Clone)]
pub struct VaultKeys(Arc<Parts>);

struct Parts {
    place: Place,
    /// As it was described last.
    described: RwLock<Option<Arc<Description>>>,
}

/// Where the keys are.
enum Place {
    /// In this process, whose market says what slugs mean.
    Own { signer: InProcess, market: Market, sheet: Mutex<TermSheet> },
    /// In a process of their own, which has a term sheet of its own.
    Elsewhere(SocketClient),
    /// Nowhere: there are no instant offers.
    Nowhere,
}

impl VaultKeys {
    /// The signer of the settings. A signer elsewhere need not be there yet.
    ///
    /// # Errors
    /// One line: a key file or a log that cannot be used.
    pub fn of(settings: &Settings, domain: &str, market: &Market) -> Result<Self, Failure> {
        if let Some(socket) = &settings.signer_socket {
            return Ok(Self::elsewhere(socket));
        }
        if !settings.signer_in_process {
            return Ok(Self::nowhere());
        }
        let sheet = market_terms::sheet(market);
        let signer = own_signer::open(settings, domain, sheet.clone())?;
        let signer = InProcess::new(signer);
        Ok(Self::new(Place::Own { signer, market: market.clone(), sheet: Mutex::new(sheet) }))
    }

    /// The signer behind a socket.
    #[must_use]
    pub fn elsewhere(socket: impl Into<PathBuf>) -> Self {
        Self::new(Place::Elsewhere(SocketClient::new(socket)))
    }

    /// No signer: there are no instant offers.
    #[must_use]
    pub fn nowhere() -> Self {
        Self::new(Place::Nowhere)
    }

    fn new(place: Place) -> Self {
        Self(Arc::new(Parts { place, described: RwLock::default() }))
    }

    /// Whether there are any: without them no instant offer can be paid.
    #[must_use]
    pub fn are_somewhere(&self) -> bool {
        !matches!(self.0.place, Place::Nowhere)
    }

    /// The signer's policy and its hash (`canisterId`), asked for once.
    ///
    /// # Errors
    /// [`SignerError::Unreachable`] where there is no signer, and what asking it leads to.
    pub async fn policy(&self) -> Result<Arc<Description>, SignerError> {
        check_present()?;
        let known = self.0.described.read().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            Some(known) => Ok(known),
            None => self.learn_policy().await,
        }
    }

    /// Asks again, and says in the log what in the policy contradicts this server.
    ///
    /// # Errors
    /// As [`Self::policy`].
    pub async fn check_policy(&self, settings: &Settings, domain: &str) -> Result<(), SignerError> {
        let known = self.0.described.read().unwrap_or_else(PoisonError::into_inner).clone();
        let described = self.learn_policy().await?;
        if known.as_ref().is_none_or(|known| known.policy_hash != described.policy_hash) {
            let platform = platform_script(settings).ok().flatten();
            for line in policy_check::contradictions(&described, settings, domain, platform.as_ref()) {
                tracing::error!("{line}: instant offers are refused");
            }
        }
        Ok(())
    }

    /// Asks again: whoever runs a signer may have given it another policy.
    ///
    /// # Errors
    /// As [`Self::policy`].
    pub async fn learn_policy(&self) -> Result<Arc<Description>, SignerError> {
        let described = Arc::new(self.describe().await?);
        let mut known = self.0.described.write().unwrap_or_else(PoisonError::into_inner);
        *known = Some(Arc::clone(&described));
        Ok(described)
    }
}

impl VaultSigner for VaultKeys {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        check_present()?;
        let answer = match &self.0.place {
            Place::Own { signer, market, sheet } => {
                if needs_terms(&request) {
                    update(signer, sheet, market).await?;
                }
                signer.ask(request).await?
            }
            Place::Elsewhere(signer) => signer.ask(request).await?,
            Place::Nowhere => return Err(nowhere()),
        };
        if matches!(answer, Answer::Refused(Refusal::OtherPolicy { .. })) {
            // It was described before it was given another policy.
            *self.0.described.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Ok(answer)
    }
}

/// Whether the answer depends on what slugs mean.
const fn needs_terms(request: &Request) -> bool {
    matches!(
        request,
        Request::AdmitOffer { .. } | Request::AcceptTerm { .. } | Request::PrepareLoan(_) | Request::SignLoan(_)
    )
}

/// Gives the signer the terms of this moment where it has others, off the runtime's threads.
async fn update(signer: &InProcess, known: &Mutex<TermSheet>, market: &Market) -> Result<(), SignerError> {
    let mut known = known.lock().await;
    // Read once the lock is held, so that nobody puts an earlier sheet in the place of a later one.
    let now = market_terms::sheet(market);
    if *known == now {
        return Ok(());
    }
    let (signer, given) = (signer.clone(), now.clone());
    let set = tokio::task::spawn_blocking(move || signer.set_sheet(given)).await;
    set.map_err(|error| SignerError::Unreachable { reason: error.to_string() })??;
    *known = now;
    Ok(())
}

/// Refuses what asks the signer while a visitor of the demo has taken it away.
fn check_present() -> Result<(), SignerError> {
    if outage::is_away(Part::Signer) {
        return Err(SignerError::Unreachable { reason: outage::REASON.to_owned() });
    }
    Ok(())
}

fn nowhere() -> SignerError {
    SignerError::Unreachable { reason: "no signer of vaults is configured".to_owned() }
}

/// Where the platform is paid its share of the interest; `None` where it takes none.
///
/// # Errors
/// When the setting is no address of the network.
pub fn platform_script(settings: &Settings) -> Result<Option<ScriptBuf>, Failure> {
    let Some(text) = own_signer::platform_address(settings)? else { return Ok(None) };
    let address = WalletAddress::parse(&text, settings.network).map_err(Failure::new)?;
    Ok(Some(address.script_pubkey()))
}
