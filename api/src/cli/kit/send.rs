//! `lienbook kit send`: check and broadcast of a signed transaction.

use bitcoin::{OutPoint, Transaction};
use engine::chain::{Chain as _, ChainError, TxRejection};
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::vault_kit::VaultKit;

use super::arguments::Send;
use super::files::{read_kit, read_signed};
use super::node::Node;
use super::payer::Payer;
use super::{claim, exit, repay};
use crate::cli::terminal::{note, say};
use crate::failure::Failure;

/// Checks the signed transaction, finalizes it and broadcasts it.
pub(super) async fn run(options: &Send) -> Result<(), Failure> {
    let kit = read_kit(&options.input.kit)?;
    let text = read_signed(&options.signed)?;
    let in_file = |error: String| Failure::new(format!("{}: {error}", options.signed.display()));
    let unsigned = parse_psbt(&text).map_err(|error| in_file(error.to_string()))?.unsigned_tx;
    let signed = Signed { text: &text, unsigned };
    let (node, ending) = match &kit {
        Kit::Borrower(kit) => {
            let node = Node::open(&options.input, kit.record().network).await?;
            let ending = signed.repayment(kit, &node).await?;
            (node, ending)
        }
        Kit::Lender(kit) => {
            let node = Node::open(&options.input, kit.record().network).await?;
            let ending = signed.claim(kit, &node).await?;
            (node, ending)
        }
        Kit::Vault(kit) => {
            let node = Node::open(&options.input, kit.network()).await?;
            let ending = signed.exit(kit, &node, options.to.as_deref()).await?;
            (node, ending)
        }
    };
    let CheckedEnding { template, signatures, shown, next_step } = ending;
    let transaction =
        template.finish(&signatures, template.final_txid()).map_err(|error| in_file(error.to_string()))?;
    say(shown);
    send(&node, &transaction).await?;
    say(format_args!("Sent {}", transaction.compute_txid()));
    say(next_step);
    Ok(())
}

/// A signed transaction.
struct Signed<'a> {
    text: &'a str,
    unsigned: Transaction,
}

/// A transaction that the kit has built again, with the signatures of the wallet.
struct CheckedEnding {
    template: Template,
    signatures: Signatures,
    shown: String,
    next_step: &'static str,
}

impl Signed<'_> {
    async fn repayment(&self, kit: &BorrowerKit, node: &Node) -> Result<CheckedEnding, Failure> {
        let record = kit.record();
        let payer = Payer::of_ending(node, record, *kit.payment(), kit.ordinals_script()).await?;
        let coins = self.coins(&payer, record.loan.outpoint).await?;
        let template = kit.rebuild_repayment(&self.unsigned, &coins).map_err(Failure::new)?;
        let own = [*kit.payment(), CoinKey::P2tr(record.loan.escrow.terms().borrower)];
        let returned = template.check_returned(self.text, &own).map_err(Failure::new)?;
        let beforehand = kit.pre_signatures(&template).map_err(Failure::new)?;
        let signatures = returned.merge(beforehand).map_err(Failure::new)?;
        let shown = repay::shown(kit, &template)?;
        let next_step = "Wait until it is in a block: then the loan is repaid and the collateral is yours again. If that \
                    takes longer than an hour, run `kit repay` and `kit send` again with a higher --fee-rate; you \
                    cannot pay twice.";
        Ok(CheckedEnding { template, signatures, shown, next_step })
    }

    async fn claim(&self, kit: &LenderKit, node: &Node) -> Result<CheckedEnding, Failure> {
        let record = kit.record();
        let payer = Payer::of_ending(node, record, *kit.payment(), kit.ordinals_script()).await?;
        let coins = self.coins(&payer, record.loan.outpoint).await?;
        let template = kit.rebuild_claim(&self.unsigned, coins.first()).map_err(Failure::new)?;
        let own = [*kit.payment(), CoinKey::P2tr(record.loan.escrow.terms().lender)];
        let signatures = template.check_returned(self.text, &own).map_err(Failure::new)?;
        let shown = claim::shown(kit, &template)?;
        let next_step = "Wait until it is in a block: then the collateral is yours. Until then a repayment of the borrower \
                    may come first, and then you are paid.";
        Ok(CheckedEnding { template, signatures, shown, next_step })
    }

    async fn exit(&self, kit: &VaultKit, node: &Node, to: Option<&str>) -> Result<CheckedEnding, Failure> {
        let script = kit.vault().output().script_pubkey();
        let mut outputs = Vec::with_capacity(self.unsigned.input.len());
        for input in &self.unsigned.input {
            let outpoint = input.previous_output;
            let found = node.core.confirmed_unspent(outpoint).await.map_err(Failure::new)?;
            let found = found.filter(|found| found.output.script_pubkey == script);
            let found = found.ok_or_else(|| Failure::new(format!("{outpoint} is not in the vault, or no longer")))?;
            outputs.push((outpoint, found.output.value));
        }
        let destination = exit::destination(kit, to)?;
        let template = kit.rebuild_exit(&self.unsigned, &outputs, &destination).map_err(Failure::new)?;
        let own = [CoinKey::P2tr(kit.vault().terms().lender)];
        let signatures = template.check_returned(self.text, &own).map_err(Failure::new)?;
        let shown = exit::shown(kit.network(), &template)?;
        let next_step = "Wait until it is in a block: then the money has left the vault.";
        Ok(CheckedEnding { template, signatures, shown, next_step })
    }

    /// Returns the coins that the transaction spends in addition to the escrow, from the node.
    async fn coins(&self, payer: &Payer<'_>, escrow: OutPoint) -> Result<Vec<Coin>, Failure> {
        let mut coins = Vec::with_capacity(self.unsigned.input.len());
        for input in self.unsigned.input.iter().filter(|input| input.previous_output != escrow) {
            coins.push(payer.coin(input.previous_output).await?);
        }
        Ok(coins)
    }
}

async fn send(node: &Node, transaction: &Transaction) -> Result<(), Failure> {
    let package = std::slice::from_ref(transaction);
    match node.core.broadcast(package).await {
        Ok(()) => Ok(()),
        Err(ChainError::Rejected(TxRejection { reason, .. })) => Err(Failure::new(explained(&reason))),
        Err(error) => {
            // It is unknown whether it was broadcast; broadcasting it again does no harm.
            note("The same transaction can be sent again: run the same command.");
            Err(Failure::new(format!("whether it was sent is unknown: {error}")))
        }
    }
}

/// Returns the node's reason for a refusal with advice.
fn explained(reason: &str) -> String {
    let advice = match reason {
        "insufficient fee" | "too many potential replacements" => {
            "it pays too little to replace the transaction that waits: write it anew with a higher --fee-rate"
        }
        "min relay fee not met" | "mempool min fee not met" => {
            "it pays too little: write it anew with a higher --fee-rate"
        }
        "non-final" => "its time has not come: by the clock of the chain, which is about an hour late",
        "non-BIP68-final" => "an output of the vault is not old enough",
        "bad-txns-inputs-missingorspent" | "missing-inputs" => {
            "something that it spends is gone: write it anew, the node then says what"
        }
        "version" => "the node is older than version 28: write it anew with --tx-version 2",
        _ => "nothing was sent",
    };
    format!("the node refuses it ({reason}): {advice}")
}
