//! The operator's commands, executed by the running server, or directly on the journal if none is running.

use std::sync::Arc;

use actix_web::rt::System;
use engine::clock::SystemClock;
use engine::{Market, Settings as EngineSettings};
use persistence::{Options, SledJournal};

use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::operator::client::{self, RequestOutcome};
use crate::operator::request::{self, Reply, Request};

/// Executes the operator's request. `if_unanswered` is the advice when it is unknown whether it was executed.
pub(super) fn execute(settings: &Settings, request: Request, if_unanswered: &str) -> Result<Reply, Failure> {
    match client::ask(&settings.data, &request)? {
        RequestOutcome::Answered(reply) => Ok(reply),
        // The folder of a node can have an old journal, in which no node would see the change.
        RequestOutcome::NotRunning if settings.journal.is_some() => Err(Failure::new(format!(
            "no node runs on {}: name the data folder of the node that decides with --data",
            settings.data.display()
        ))),
        RequestOutcome::NotRunning if !settings.data.join("journal").exists() => {
            let folder = settings.data.display();
            Err(Failure::new(format!(
                "{folder} has no journal, and no server runs on it: `lienbook serve` makes one, and the nodes of a journal \
                 in a database take the command on the one that decides"
            )))
        }
        RequestOutcome::NotRunning => System::new().block_on(in_journal(settings, request)),
        RequestOutcome::Unanswered(failure) => {
            Err(Failure::new(format!("the running server did not answer ({failure}): {if_unanswered}")))
        }
    }
}

/// Converts an unexpected reply into a failure.
pub(super) fn failure(reply: Reply) -> Failure {
    match reply {
        Reply::Refused { reason } => Failure::new(reason),
        other => Failure::new(format!("the server answered something else: {other:?}")),
    }
}

async fn in_journal(settings: &Settings, request: Request) -> Result<Reply, Failure> {
    let journal = Arc::new(SledJournal::open(&settings.data, Options::default()).map_err(Failure::new)?);
    let market_settings = EngineSettings { limits: Arc::new(settings.limits.clone()), ..EngineSettings::default() };
    let market = Market::start(journal.clone(), Arc::new(SystemClock), market_settings).map_err(Failure::new)?;
    let reply = request::answer(&market, request).await;
    market.stop().await;
    journal.close();
    Ok(reply)
}
