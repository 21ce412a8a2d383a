//! `/metrics`: counters for monitoring, served on a listener of its own.

use std::sync::Arc;
use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use tokio::time::timeout;

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::metrics::{ChainFigures, ServerFigures};
use crate::node::Node;
use crate::signer_handle::SignerHandle;

/// The timeout of the node here: monitoring gives up soon after it, and the other figures must not be lost with it.
const CHAIN_TIMEOUT: Duration = Duration::from_secs(3);

/// Returns the counters in the text format of Prometheus.
///
/// # Errors
/// [`ErrorCode::RateLimited`]; [`ErrorCode::Internal`] when the page cannot be written.
pub async fn page(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.rates.metrics.take(app.client_ip(&request), app.now())?;
    let chain = match &app.node {
        Some(node) => Some(app.chain_figures(node).await),
        None => None,
    };
    let page = app.metrics.page(&app.all_figures(chain));
    let page = page.map_err(|failure| ApiError::new(ErrorCode::Internal, failure))?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(page))
}

impl App {
    async fn chain_figures(&self, node: &Node) -> ChainFigures {
        let progress = timeout(CHAIN_TIMEOUT, self.chain_status.progress(node, self.settings.network)).await;
        let service = self.loan_service.as_ref().filter(|_| self.decides());
        let watches = service.map(|service| Arc::clone(&service.watch_times));
        ChainFigures { progress: progress.ok().flatten(), watches }
    }

    /// Whether this server watches the chain and the signer: it is the only one, or the node that decides.
    fn decides(&self) -> bool {
        self.cluster.as_ref().is_none_or(|cluster| cluster.is_writer())
    }

    fn all_figures(&self, chain: Option<ChainFigures>) -> ServerFigures {
        let has_signer = self.signer.current().is_configured();
        let health = (has_signer && self.decides()).then(|| self.signer.current().health());
        let are_all_up = self.signer.ports().all(|signer| signer.health().is_up());
        let (followed, held) = self.prices.held();
        let published_at = self.publications.latest(1).pop().map(|publication| publication.heads.at);
        ServerFigures {
            is_ready: self.readiness.is_ready(),
            stats: self.market.stats(),
            market: self.market.figures(),
            journal: Arc::clone(self.journal.stats()),
            node: self.cluster.as_ref().map(|cluster| cluster.figures()),
            chain,
            has_signer,
            signer: health.map(|health| (are_all_up, health.answered_at())),
            silent_signers: self.signer.ports().map(SignerHandle::silent_signers).sum(),
            public_log: (self.public_log.is_current(), published_at),
            prices: (followed, held.len()),
        }
    }
}
