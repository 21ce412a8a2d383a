//! `lienbook kit repay`: the borrower's repayment.

use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, OutPoint};
use engine::chain::Chain as _;
use escrow::contract::loan::repayment::RepaymentError;
use escrow::contract::transaction::assembly::AssemblyError;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::kit::Kit;
use escrow::kit::borrower_kit::BorrowerKit;
use escrow::kit::repayment_coins::RepaymentCoins;
use escrow::kit::repayment_time::RepaymentTime;

use super::arguments::{Repay, TxVersion};
use super::drawing::{drawing, in_sats};
use super::files::{how_to_sign, read_kit, write_unsigned};
use super::node::Node;
use super::payer::{Payer, warn_of_assets};
use crate::cli::terminal::{note, say};
use crate::failure::Failure;

/// Writes a repayment for the borrower's wallet.
pub(super) async fn run(options: &Repay) -> Result<(), Failure> {
    let kit = match read_kit(&options.input.kit)? {
        Kit::Borrower(kit) => kit,
        Kit::Lender(_) => return Err(Failure::new("this is a lender's kit, which claims: `lienbook kit claim`")),
        Kit::Vault(_) => return Err(Failure::new("this is the kit of a vault, which leaves it: `lienbook kit exit`")),
    };
    let record = kit.record();
    let node = Node::open(&options.input, record.network).await?;
    let payer = Payer::of_ending(&node, record, *kit.payment(), kit.ordinals_script()).await?;
    check_time(&node, &kit, options.late)?;
    let fee_rate = node.fee_rate(options.output.fee_rate).await?;
    let version = match options.tx_version {
        TxVersion::Two => Version::TWO,
        TxVersion::Three => TRUC,
    };
    let template = build(&kit, &payer, &options.coins, version, fee_rate).await?;
    let beforehand = kit.pre_signatures(&template).map_err(Failure::new)?;
    let psbt = template.signed_psbt(&beforehand).map_err(Failure::new)?;
    write_unsigned(&options.output.out, options.output.force, &psbt)?;
    say(format_args!("The repayment of the loan in {}", options.input.kit.display()));
    say(shown(&kit, &template)?);
    if options.coins.is_empty() {
        warn_of_assets();
    }
    say(how_to_sign(&options.output.out));
    Ok(())
}

/// Returns the repayment as a drawing.
pub(super) fn shown(kit: &BorrowerKit, template: &Template) -> Result<String, Failure> {
    drawing(template, kit.record().network, |outpoint| kit.input_label(outpoint), |paid| kit.output_label(paid))
}

/// Checks that the repayment can be confirmed before the lender may claim.
fn check_time(node: &Node, kit: &BorrowerKit, is_late_wanted: bool) -> Result<(), Failure> {
    let now = node.now_seconds();
    let time = RepaymentTime::of(kit, now);
    match time {
        RepaymentTime::Over if !is_late_wanted => {
            let reason = RepaymentTime::late_refusal(kit);
            return Err(Failure::new(format!("{reason}. To try all the same, add --late")));
        }
        RepaymentTime::Enough => say(time.text(kit, now)),
        RepaymentTime::Short | RepaymentTime::Over => note(time.text(kit, now)),
    }
    Ok(())
}

/// Builds the repayment from the named coins, or from as few of the found ones as suffice.
async fn build(
    kit: &BorrowerKit,
    payer: &Payer<'_>,
    named: &[OutPoint],
    version: Version,
    fee_rate: FeeRate,
) -> Result<Template, Failure> {
    let mut pads = Vec::with_capacity(kit.pads().len());
    for pad in kit.pads() {
        let found = payer.node.core.confirmed_unspent(pad.outpoint).await.map_err(Failure::new)?;
        let is_there = found.is_some_and(|found| found.output == pad.output);
        if is_there && !payer.node.is_spent_in_mempool(pad.outpoint, payer.replaced).await? {
            pads.push(pad.clone());
        }
    }
    let mut coins = Vec::new();
    if named.is_empty() {
        coins = payer.find_coins().await?;
    }
    for outpoint in named {
        coins.push(payer.coin(*outpoint).await?);
    }
    let chosen = RepaymentCoins::new(kit, pads, coins);
    if chosen.substitutes() > 0 {
        note("Note: a pad of the loan was spent, so a coin of yours stands in front of the escrow instead.");
    }
    let outcome = if named.is_empty() {
        chosen.spend_few(kit, version, fee_rate)
    } else {
        chosen.spend_all(kit, version, fee_rate)
    };
    outcome.map_err(|error| explained(&error, payer, chosen.funding()))
}

fn explained(error: &RepaymentError, payer: &Payer<'_>, coins: &[Coin]) -> Failure {
    let address = payer.address();
    match error {
        RepaymentError::Assembly(AssemblyError::InsufficientFunds { wanted, found }) => {
            let missing = wanted.checked_sub(*found).unwrap_or(Amount::ZERO);
            let text = format!(
                "{} are wanted, and {} coins of your payment address hold {}: send at least {} more to {address}, or \
                 name further coins with --coin TXID:VOUT",
                in_sats(*wanted),
                coins.len(),
                in_sats(*found),
                in_sats(missing)
            );
            Failure::new(text)
        }
        RepaymentError::PadsMissing { wanted, found } => Failure::new(format!(
            "{wanted} coins must stand in front of the escrow, and {found} are there: send coins of more than 10,000 \
             sats to {address}, wait for a block, and run this again"
        )),
        other => Failure::new(other),
    }
}
