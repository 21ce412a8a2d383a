//! `lienbook vault credit`.

use super::arguments::VaultAct;
use super::operate;
use super::terminal::{grouped, say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::operator::request::{Reply, Request};

/// Credits a vault and prints what it holds then.
pub(super) fn run(settings: &Settings, act: &VaultAct) -> Result<(), Failure> {
    let VaultAct::Credit { address, sats } = act;
    let request = Request::CreditVault { payment_address: address.clone(), sats: *sats };
    match operate::act(settings, request)? {
        Reply::Credited { balance_sats, usable_sats } => {
            say(format_args!("Credited the vault of {address}"));
            table(&[
                ("credited".to_owned(), format!("{} sats", grouped(*sats))),
                ("balance".to_owned(), format!("{} sats", grouped(balance_sats))),
                ("usable".to_owned(), format!("{} sats", grouped(usable_sats))),
            ]);
            Ok(())
        }
        other => Err(operate::failure(other)),
    }
}
