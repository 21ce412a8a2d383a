//! The signers that the settings name: those of new vaults, and those of earlier ones.

use std::path::PathBuf;

use engine::Market;
use lending::lookups::signer_router::{SignerGroup, SignerRouter};
use signer::signer::Signer;
use signer::signers::Signers;
use signer::socket_client::SocketClient;
use tokio::sync::Mutex;

use super::own_signers::{self, OwnSigners};
use super::{Backend, InProcess, SignerGate, SignerHandle, market_terms};
use crate::config::settings::Settings;
use crate::failure::Failure;

/// Builds the configured signers. Those in other processes need not be running yet.
///
/// # Errors
/// One line: a key file or a log that cannot be used.
pub fn signers(
    settings: &Settings,
    domain: &str,
    market: &Market,
    gate: Option<SignerGate>,
) -> Result<SignerRouter<SignerHandle>, Failure> {
    let sockets = |required, sockets: Vec<&PathBuf>| {
        let signers = Signers::new(required, sockets.into_iter().map(SocketClient::new).collect())?;
        let (required, count) = signers.counts();
        Some(SignerGroup { port: SignerHandle::new(Backend::Sockets(signers), gate), required, count })
    };
    let current = sockets(settings.signers_required, settings.all_signer_sockets().collect());
    let (current, previous) = match current {
        Some(current) => {
            let before = settings.all_previous_signer_sockets().collect();
            (Some(current), sockets(settings.previous_signers_required, before))
        }
        None if settings.signer_in_process => {
            let sheet = market_terms::sheet(market);
            let OwnSigners { current, previous } = own_signers::open(settings, domain, &sheet)?;
            let own = |required, signers: Vec<Signer>| {
                let all = signers.into_iter().map(InProcess::new).collect::<Vec<_>>();
                let signers = Signers::new(required, all.clone())?;
                let (required, count) = signers.counts();
                let (market, sheet) = (market.clone(), Mutex::new(sheet.clone()));
                let backend = Backend::InProcess { signers, all, market, sheet };
                Some(SignerGroup { port: SignerHandle::new(backend, gate), required, count })
            };
            (own(settings.signers_required, current), own(1, previous.into_iter().collect()))
        }
        None => (None, None),
    };
    Ok(match (current, previous) {
        (Some(current), Some(previous)) => SignerRouter::with_previous(market.clone(), current, previous),
        (Some(current), None) => SignerRouter::alone(current.port),
        (None, _) => SignerRouter::alone(SignerHandle::unconfigured()),
    })
}
