//! The listener of the operator's metrics: `/metrics` for monitoring and `/operator` for browsers, separate from the
//! public port.

use std::net::{SocketAddr, TcpListener};

use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::rt::task::JoinHandle;
use actix_web::{App as Service, HttpServer, web};

use super::http_server::{REQUEST_HEAD_TIMEOUT, STOP_S_MAX};
use crate::app::App;
use crate::failure::Failure;
use crate::middleware::{request_id, security_headers, uncoded_errors};
use crate::routes;

/// The running listener.
pub(super) struct MetricsServer {
    handle: ServerHandle,
    serving: JoinHandle<std::io::Result<()>>,
}

impl MetricsServer {
    /// Starts serving on a listener.
    pub(super) fn start(app: &web::Data<App>, listener: TcpListener) -> Result<Self, Failure> {
        let shared = app.clone();
        let server = HttpServer::new(move || {
            Service::new()
                .app_data(shared.clone())
                .wrap(from_fn(request_id::assign_request_id))
                .wrap(from_fn(uncoded_errors::add_error_codes))
                .wrap(from_fn(security_headers::harden))
                .configure(routes::operation::configure_figures)
        })
        .workers(1)
        .client_request_timeout(REQUEST_HEAD_TIMEOUT)
        .shutdown_timeout(STOP_S_MAX)
        .disable_signals();
        let server = server.listen(listener).map_err(Failure::new)?.run();
        Ok(Self { handle: server.handle(), serving: actix_web::rt::spawn(server) })
    }

    /// Stops the listener.
    pub(super) async fn stop(self) {
        self.handle.stop(true).await;
        // The thread has been stopped; an error now adds nothing to those logged before.
        let _ = self.serving.await;
    }
}

/// Returns the line that announces the address.
pub(super) fn announcement(address: SocketAddr) -> String {
    format!("Figures for operators are on {address}: /operator, and for machines /metrics.")
}
