//! The absence of the demo, in builds without the feature `demo`: the same interface, of which no value exists.

use std::net::SocketAddr;

use actix_web::web::ServiceConfig;
use engine::Market;

use crate::bot_check::BotCheckGate;
use crate::config::delivery_settings::MailAccess;
use crate::config::public_url::PublicUrl;
use crate::config::settings::Settings;
use crate::delivery::bot::Bot;
use crate::failure::Failure;
use crate::http::idempotency::TaskScope;
use crate::journal::ServerJournal;
use crate::node::Node;
use crate::progress::ProgressCallback;
use crate::share::Emblems;
use crate::signer_handle::SignerGate;

/// A demo, which this build does not have.
pub enum Demo {}

/// The resources of a demo, which this build does not have.
#[derive(Clone)]
pub enum DemoRoutes {}

/// Adds nothing to the description of the API.
pub fn describe(_description: &mut utoipa::openapi::OpenApi) {}

impl Demo {
    /// Refuses the command `demo`.
    ///
    /// # Errors
    /// One line, always.
    pub fn of(_settings: &Settings) -> Result<Self, Failure> {
        Err(Failure::new("this build serves no demo: build it with the feature demo, or use the command serve"))
    }

    pub(crate) fn announcement(&self) -> String {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "the interface of the demo")]
    pub(crate) async fn open_chain(
        &mut self,
        _settings: &Settings,
        _journal: &ServerJournal,
        _progress: ProgressCallback<'_>,
    ) -> Result<Node, Failure> {
        match *self {}
    }

    pub(crate) fn open_inbox(&mut self, _public_url: &PublicUrl) -> Result<(MailAccess, Bot), Failure> {
        match *self {}
    }

    pub(crate) fn open_faucet(&mut self, _market: &Market, _node: Option<&Node>) {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "the interface of the demo")]
    pub(crate) async fn list(
        &self,
        _market: &Market,
        _settings: &Settings,
        _progress: ProgressCallback<'_>,
    ) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn start(&mut self, _market: &Market, _settings: &Settings, _address: SocketAddr) {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "the interface of the demo")]
    pub(crate) async fn stop(self) {
        match self {}
    }

    pub(crate) fn routes(&self) -> DemoRoutes {
        match *self {}
    }

    pub(crate) fn emblems(&self) -> Emblems {
        match *self {}
    }

    pub(crate) fn signer_gate(&self) -> SignerGate {
        match *self {}
    }

    pub(crate) fn bot_check_gate(&self) -> BotCheckGate {
        match *self {}
    }

    pub(crate) fn task_scope(&self) -> TaskScope {
        match *self {}
    }
}

impl DemoRoutes {
    pub(crate) fn configure(&self, _config: &mut ServiceConfig) {
        match *self {}
    }
}
