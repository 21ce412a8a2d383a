//! `/operator`: the most important figures of `/metrics` as a page, served on a listener of its own.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType};
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::http::api_error::ApiError;
use crate::number::grouped;
use crate::operator::page::{OperatorPage, PriceFigures};

/// The content security policy: the page loads nothing. Its style is inline, and everything it shows is escaped.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns a page about upstream services, prices and the server itself.
///
/// # Errors
/// [`crate::http::error_code::ErrorCode::RateLimited`].
pub async fn page(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    app.rates.metrics.take(app.client_ip(&request), app.now())?;
    let page = OperatorPage {
        network: app.settings.network.to_string(),
        is_ready: app.readiness.is_ready(),
        at: app.now(),
        upstreams: app.metrics.upstreams(),
        prices: app.price_figures(),
        server: app.server_figures(),
    };
    let (fresh, policy) = ((CACHE_CONTROL, "no-store"), (CONTENT_SECURITY_POLICY, POLICY));
    let mut answer = HttpResponse::Ok();
    Ok(answer.insert_header(ContentType::html()).insert_header(fresh).insert_header(policy).body(page.html()))
}

impl App {
    fn price_figures(&self) -> PriceFigures {
        let (asked, held) = self.prices.held();
        let named =
            held.into_iter().filter_map(|(group, hold)| Some((self.market.group(group)?.name.to_string(), hold)));
        PriceFigures { asked, held: named.collect() }
    }

    fn server_figures(&self) -> Vec<(&'static str, String)> {
        let (market, journal) = (self.market.stats(), self.journal.stats());
        let waiting = u64::try_from(self.market.waiting_messages()).unwrap_or(u64::MAX);
        let sockets = u64::try_from(self.metrics.sockets.get()).unwrap_or_default();
        let halted = self.market.halts().first().map_or("no".to_owned(), |halt| halt.reason.clone());
        vec![
            ("New loans halted", halted),
            ("Commands accepted", grouped(market.turns)),
            ("Waiting for the disk", grouped(market.in_flight)),
            ("Refused, too much under way", grouped(market.overloads)),
            ("Events made durable", grouped(journal.events())),
            ("Latest commit took", format!("{} µs", grouped(journal.sync_micros_last()))),
            ("Open sockets", grouped(sockets)),
            ("Frames delivered", grouped(market.deliveries)),
            ("Messages waiting", grouped(waiting)),
        ]
    }
}
