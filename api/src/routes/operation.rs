//! The operation of the server: its health, on the public port, and its figures, on a listener of their own.

pub mod health;
pub mod metrics;
pub mod node_exchange;
pub mod page;

use actix_web::web::{self, ServiceConfig};

use super::no_such_resource;
use crate::cluster;
use crate::http::methods::at;

/// Registers the resources of the public port.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(at("/health/live").read(health::live))
        .service(at("/health/ready").read(health::ready))
        .service(at(cluster::node_exchange::PATH).post(node_exchange::take));
}

/// Registers the operators' metrics and figures.
pub fn configure_figures(config: &mut ServiceConfig) {
    config
        .service(at("/metrics").read(metrics::page))
        .service(at("/operator").read(page::page))
        .default_service(web::to(no_such_resource));
}
