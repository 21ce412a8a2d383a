//! The demo's own resources under `/api/v1/devnet`. Other servers answer 404 there.

use actix_web::web::{self, ServiceConfig};

use super::devnet::Devnet;
use super::inbox::DemoInbox;
use super::{devnet_routes, inbox_routes};
use crate::http::methods::at;
use crate::routes::no_such_resource;

/// The state behind the demo's resources.
#[derive(Clone)]
pub struct DemoRoutes {
    pub(super) devnet: Option<web::Data<Devnet>>,
    pub(super) inbox: Option<web::Data<DemoInbox>>,
}

impl DemoRoutes {
    /// Returns whether visitors can switch off parts for themselves: where the chain is the demo's.
    #[must_use]
    pub const fn has_outages(&self) -> bool {
        self.devnet.is_some()
    }

    /// Registers the resources.
    pub fn configure(&self, config: &mut ServiceConfig) {
        let mut scope = web::scope("/api/v1/devnet").default_service(web::to(no_such_resource));
        if let Some(devnet) = &self.devnet {
            scope = scope
                .app_data(devnet.clone())
                .service(at("/faucet").post(devnet_routes::give))
                .service(at("/mine").post(devnet_routes::mine))
                .service(at("/broadcast").post(devnet_routes::broadcast));
        }
        if let Some(inbox) = &self.inbox {
            scope = scope
                .app_data(inbox.clone())
                .service(at("/mail").read(inbox_routes::mails))
                .service(at("/telegram").read(inbox_routes::chat))
                .service(at("/telegram/{bot}").read(inbox_routes::press_start));
        }
        config.service(scope);
    }
}
