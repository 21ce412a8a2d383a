//! `lienbook vault credit` and `lienbook vault show`: vault balances.

use super::arguments::VaultSubcommand;
use super::operate;
use super::terminal::{note, print, say, table};
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::number::grouped;
use crate::operator::credit_id::CreditId;
use crate::operator::request::{Reply, Request};

/// Credits or shows a vault, and prints its balance.
pub(super) fn run(settings: &Settings, act: &VaultSubcommand) -> Result<(), Failure> {
    match act {
        VaultSubcommand::Credit { address, sats, id } => credit(settings, address, *sats, id.clone()),
        VaultSubcommand::Show { address } => show(settings, address),
    }
}

fn credit(settings: &Settings, address: &str, sats: u64, id: Option<CreditId>) -> Result<(), Failure> {
    let id = id.unwrap_or_else(CreditId::random);
    // Printed before the request, because it is needed if the command is interrupted.
    note(format_args!("This credit is {id}; with --id {id} it can be asked for again and happens once."));
    let if_unanswered = format!(
        "{address} may have been credited; ask again with --id {id}, which credits only once, \
         or look with `lienbook vault show {address}`"
    );
    let request = Request::CreditVault { id: id.clone(), payment_address: address.to_owned(), sats };
    match operate::execute(settings, request, &if_unanswered)? {
        Reply::Vault { balance_sats, usable_sats } => {
            say(format_args!("Credited the vault of {address}"));
            let (credited, balance, usable) = (in_sats(sats), in_sats(balance_sats), in_sats(usable_sats));
            let rows = [("credit", id.to_string()), ("credited", credited), ("balance", balance), ("usable", usable)];
            say(table(&rows).trim_end());
            Ok(())
        }
        other => Err(operate::failure(other)),
    }
}

fn show(settings: &Settings, address: &str) -> Result<(), Failure> {
    let request = Request::ShowVault { payment_address: address.to_owned() };
    match operate::execute(settings, request, "ask again")? {
        Reply::Vault { balance_sats, usable_sats } => {
            let rows = [("balance", in_sats(balance_sats)), ("usable", in_sats(usable_sats))];
            print(&format!("The vault of {address}\n{}", table(&rows)))
        }
        other => Err(operate::failure(other)),
    }
}

fn in_sats(sats: u64) -> String {
    format!("{} sats", grouped(sats))
}
