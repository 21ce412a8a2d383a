//! `lienbook vault credit`: through the running server, or in the journal when none runs.

use std::sync::Arc;

use actix_web::rt::System;
use engine::clock::SystemClock;
use engine::{Market, Settings as EngineSettings};
use persistence::{Options, SledJournal};

use super::arguments::VaultAct;
use super::terminal::{grouped, say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::ledger_vault::LedgerVaults;
use crate::operator::client;
use crate::operator::request::{self, Reply, Request};

/// Does what the operator wants and prints what the vault holds then.
pub(super) fn run(settings: &Settings, act: &VaultAct) -> Result<(), Failure> {
    let VaultAct::Credit { address, sats } = act;
    if !settings.data.join("journal").exists() {
        return Err(Failure::new(format!("{} has no journal", settings.data.display())));
    }
    let request = Request::CreditVault { payment_address: address.clone(), sats: *sats };
    let reply = match client::ask(&settings.data, &request)? {
        Some(reply) => reply,
        None => System::new().block_on(in_journal(settings, request))?,
    };
    match reply {
        Reply::Credited { balance_sats, usable_sats } => {
            say(format_args!("Credited the vault of {address}"));
            table(&[
                ("credited".to_owned(), format!("{} sats", grouped(*sats))),
                ("balance".to_owned(), format!("{} sats", grouped(balance_sats))),
                ("usable".to_owned(), format!("{} sats", grouped(usable_sats))),
            ]);
            Ok(())
        }
        Reply::Refused { reason } => Err(Failure::new(reason)),
    }
}

async fn in_journal(settings: &Settings, request: Request) -> Result<Reply, Failure> {
    let journal = Arc::new(SledJournal::open(&settings.data, Options::default()).map_err(Failure::new)?);
    let market_settings = EngineSettings {
        limits: Arc::new(settings.limits.clone()),
        vault_addresses: Arc::new(LedgerVaults),
        ..EngineSettings::default()
    };
    let market = Market::start(journal.clone(), Arc::new(SystemClock), market_settings).map_err(Failure::new)?;
    let reply = request::answer(&market, request).await;
    market.stop().await;
    journal.close();
    Ok(reply)
}
