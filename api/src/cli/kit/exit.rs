//! `lienbook kit exit`: the unilateral exit from a vault.

use bitcoin::{Amount, Network, OutPoint, ScriptBuf};
use escrow::address::WalletAddress;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::EXIT_BLOCKS;
use escrow::kit::Kit;
use escrow::kit::labels::{EXIT_INPUT, EXIT_OUTPUT};
use escrow::kit::vault_kit::VaultKit;

use super::arguments::Exit;
use super::drawing::{drawing, in_sats};
use super::files::{how_to_sign, read_kit, write_unsigned};
use super::node::Node;
use crate::cli::progress::Progress;
use crate::cli::terminal::{note, say};
use crate::failure::Failure;

/// Writes an exit for the wallet of a vault's lender.
pub(super) async fn run(options: &Exit) -> Result<(), Failure> {
    let kit = match read_kit(&options.input.kit)? {
        Kit::Vault(kit) => kit,
        Kit::Borrower(_) => return Err(Failure::new("this is a borrower's kit, which repays: `lienbook kit repay`")),
        Kit::Lender(_) => return Err(Failure::new("this is a lender's kit, which claims: `lienbook kit claim`")),
    };
    let destination = destination(&kit, options.to.as_deref())?;
    let node = Node::open(&options.input, kit.network()).await?;
    let outputs = mature_outputs(&kit, &node).await?;
    let fee_rate = node.fee_rate(options.output.fee_rate).await?;
    let template = kit.exit(&outputs, &destination, fee_rate).map_err(Failure::new)?;
    write_unsigned(&options.output.out, options.output.force, &template.psbt)?;
    say(format_args!("The way out of the vault in {}", options.input.kit.display()));
    say(shown(kit.network(), &template)?);
    note("Note: until your exit is in a block the platform's signer can still spend the vault.");
    say(how_to_sign(&options.output.out));
    if let Some(address) = &options.to {
        say(format_args!("Give `kit send` the same --to {address}."));
    }
    Ok(())
}

/// Returns the exit as a drawing.
pub(super) fn shown(network: Network, template: &Template) -> Result<String, Failure> {
    drawing(template, network, |_| EXIT_INPUT, |_| EXIT_OUTPUT)
}

/// Returns the script of the destination.
pub(super) fn destination(kit: &VaultKit, to: Option<&str>) -> Result<ScriptBuf, Failure> {
    let Some(text) = to else { return Ok(kit.ordinals_script()) };
    let address = WalletAddress::parse(text, kit.network());
    address.map(|address| address.script_pubkey()).map_err(|error| Failure::new(format!("{text}: {error}")))
}

/// Returns the outputs of the vault that are old enough to leave.
async fn mature_outputs(kit: &VaultKit, node: &Node) -> Result<Vec<(OutPoint, Amount)>, Failure> {
    let script = kit.vault().output().script_pubkey();
    note("Looking for what is in the vault; on the main network this takes the node some minutes.");
    let mut progress = Progress::new("% of all unspent outputs read");
    let found = node.core.outputs_of(&script, |percent| progress.at(percent.into())).await;
    progress.finish(100);
    let (mut mature_outputs, mut immature) = (Vec::new(), Amount::ZERO);
    let mut longest = 0;
    for (outpoint, unspent) in found.map_err(Failure::new)? {
        let value = unspent.output.value;
        match u32::from(EXIT_BLOCKS).checked_sub(unspent.confirmations).filter(|blocks| *blocks > 0) {
            None => mature_outputs.push((outpoint, value)),
            Some(blocks) => {
                immature = immature.checked_add(value).unwrap_or(Amount::MAX_MONEY);
                longest = longest.max(blocks);
            }
        }
    }
    // Sorted, so that the same outputs give the same transaction.
    mature_outputs.sort_unstable();
    let waits = format!(
        "{} have fewer than {EXIT_BLOCKS} confirmations: blocks to wait until all of it may leave: {longest}",
        in_sats(immature)
    );
    match (mature_outputs.is_empty(), immature == Amount::ZERO) {
        (true, true) => Err(Failure::new("the vault is empty")),
        (true, false) => Err(Failure::new(format!("nothing may leave the vault yet: {waits}"))),
        (false, true) => Ok(mature_outputs),
        (false, false) => {
            note(format_args!("Note: {waits}. That part stays in the vault for now."));
            Ok(mature_outputs)
        }
    }
}
