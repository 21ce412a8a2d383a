//! A signer that fails at chosen requests.

use std::sync::{Arc, Mutex};

use lending::lookups::ports::Ports as _;
use signer::request::{Answer, Request};
use signer::vault_signer::{SignerError, VaultSigner};

use crate::kit::faults::{FaultMode, SharedFaults};
use crate::kit::ports::WorldPorts;
use crate::kit::world::World;

/// The world's signer; its next answers to requests that change something follow a plan.
pub(crate) struct FaultySigner {
    ports: Arc<WorldPorts>,
    faults: SharedFaults,
    /// The planned behaviour, the next one last.
    plan: Mutex<Vec<FaultMode>>,
}

impl FaultySigner {
    pub(crate) fn of(world: &World, mut plan: Vec<FaultMode>) -> Self {
        plan.reverse();
        Self { ports: Arc::clone(&world.service.ports), faults: world.faults.clone(), plan: Mutex::new(plan) }
    }
}

fn changes_something(request: &Request) -> bool {
    !matches!(request, Request::Describe | Request::PublicKey { .. } | Request::Standing { .. })
}

impl VaultSigner for FaultySigner {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        let planned = if changes_something(&request) { self.plan.lock().unwrap().pop() } else { None };
        let signer = self.ports.signer();
        match planned.unwrap_or_default() {
            FaultMode::Healthy => signer.ask(request).await,
            FaultMode::Unreachable => Err(SignerError::Unreachable { reason: "it is unreachable".to_owned() }),
            FaultMode::LosesAnswer => {
                signer.ask(request).await?;
                Err(SignerError::Unanswered { reason: "the answer was lost".to_owned() })
            }
            FaultMode::HangsBefore => self.faults.hang().await,
            FaultMode::HangsAfter => {
                signer.ask(request).await?;
                self.faults.hang().await
            }
        }
    }
}
