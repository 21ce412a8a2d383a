//! Tests of requests during which the market stops deciding, because another process takes over.

use std::sync::Arc;

use engine::journal::Position;
use engine::{Market, Refusal};
use lending::instant_offers::service::{InstantOfferError, InstantOfferState};
use lending::lookups::ports::Ports as _;
use signer::request::{Answer, Request};
use signer::vault_signer::{SignerError, VaultSigner};

use crate::acts::{ACTS, Act, action, perform, prepare, quotes, signed_action, world};
use crate::kit::ports::WorldPorts;

/// The world's signer; the market hands over before it answers a request that changes something.
struct HandoverSigner {
    market: Market,
    ports: Arc<WorldPorts>,
}

impl VaultSigner for HandoverSigner {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        if !matches!(request, Request::Describe | Request::PublicKey { .. } | Request::Standing { .. }) {
            self.market.stop_deciding(|| Position(0)).await;
        }
        self.ports.signer().ask(request).await
    }
}

#[actix::test]
async fn a_request_is_refused_as_not_done_only_if_nothing_was_done() {
    for act in ACTS {
        let (world, lender) = world().await;
        let offer = prepare(&world, &lender, act).await;
        let (market, ports) = (world.service.market.clone(), Arc::clone(&world.service.ports));
        let (signer, memory) = (HandoverSigner { market, ports }, InstantOfferState::default());
        let signed = signed_action(&world, &lender, action(&world, act, offer).await);
        let before = world.journal.batches().len();
        let refused = perform(&quotes(&world, &signer, &memory), &lender, act, offer, signed.clone()).await;
        let is_changed = world.journal.batches().len() > before;
        match refused {
            Err(InstantOfferError::Market(Refusal::Following)) => {
                assert!(!is_changed, "{act:?}");
                // As at the process that decides now.
                world.service.market.begin_deciding().await;
                let repeated = quotes(&world, world.service.ports.signer(), &memory);
                perform(&repeated, &lender, act, offer, signed).await.unwrap();
            }
            Err(InstantOfferError::Market(Refusal::Closed)) => {
                assert!(is_changed && matches!(act, Act::Create | Act::Edit), "{act:?}");
            }
            other => panic!("{act:?}: {other:?}"),
        }
    }
}
