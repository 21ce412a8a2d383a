//! `lienbook kit claim`: the lender's claim.

use escrow::contract::loan::claim::ClaimError;
use escrow::contract::transaction::template::Template;
use escrow::kit::Kit;
use escrow::kit::lender_kit::LenderKit;
use escrow::kit::time_left::in_words;
use escrow::utc::utc;

use super::arguments::Claim;
use super::drawing::{drawing, in_sats};
use super::files::{how_to_sign, read_kit, write_unsigned};
use super::node::Node;
use super::payer::{Payer, warn_of_assets};
use crate::cli::terminal::{note, say};
use crate::failure::Failure;

/// Writes a claim for the lender's wallet.
pub(super) async fn run(options: &Claim) -> Result<(), Failure> {
    let kit = match read_kit(&options.input.kit)? {
        Kit::Lender(kit) => kit,
        Kit::Borrower(_) => return Err(Failure::new("this is a borrower's kit, which repays: `lienbook kit repay`")),
        Kit::Vault(_) => return Err(Failure::new("this is the kit of a vault, which leaves it: `lienbook kit exit`")),
    };
    let record = kit.record();
    let node = Node::open(&options.input, record.network).await?;
    let payer = Payer::of_ending(&node, record, *kit.payment(), kit.ordinals_script()).await?;
    check_time(&node, &kit)?;
    let (template, is_found) = build(&kit, &payer, options).await?;
    write_unsigned(&options.output.out, options.output.force, &template.psbt)?;
    say(format_args!("The claim of the collateral of the loan in {}", options.input.kit.display()));
    say(shown(&kit, &template)?);
    if is_found {
        warn_of_assets();
    }
    note("Note: until your claim is in a block the borrower can still repay; then you are paid instead.");
    say(how_to_sign(&options.output.out));
    Ok(())
}

/// Returns the claim as a drawing.
pub(super) fn shown(kit: &LenderKit, template: &Template) -> Result<String, Failure> {
    drawing(template, kit.record().network, |outpoint| kit.input_label(outpoint), |paid| kit.output_label(paid))
}

/// Refuses a claim before its time, which cannot be confirmed yet.
fn check_time(node: &Node, kit: &LenderKit) -> Result<(), Failure> {
    let claim = kit.record().loan.escrow.terms().claim_after;
    let chain = node.tip.median_time_seconds;
    if chain > claim {
        return Ok(());
    }
    // The chain's median time is behind, and has to pass the claim time.
    let left = in_words(claim.saturating_sub(chain).saturating_add(1));
    Err(Failure::new(format!(
        "too early: the collateral can be claimed after {}, and the clock of the chain, about an hour late, says {}: \
         {left} to wait",
        utc(claim),
        utc(chain)
    )))
}

/// Builds the claim, and returns whether its fee is paid by a coin that the user has not named.
async fn build(kit: &LenderKit, payer: &Payer<'_>, options: &Claim) -> Result<(Template, bool), Failure> {
    let fee_rate = payer.node.fee_rate(options.output.fee_rate).await?;
    if let Some(outpoint) = options.coin {
        let coin = payer.coin(outpoint).await?;
        return Ok((kit.claim(Some(&coin), fee_rate).map_err(Failure::new)?, false));
    }
    let wanted = match kit.claim(None, fee_rate) {
        Ok(template) => return Ok((template, false)),
        Err(ClaimError::NeedsFeeCoin { wanted }) => wanted,
        Err(other) => return Err(Failure::new(other)),
    };
    // The smallest coin that suffices.
    let coins = payer.find_coins().await?;
    let template = coins.iter().rev().find_map(|coin| kit.claim(Some(coin), fee_rate).ok());
    template.map(|template| (template, true)).ok_or_else(|| {
        Failure::new(format!(
            "the collateral's own sats do not pay the fee of about {}, and no coin of {} does: send more than 10,000 \
             sats there and wait for a block, or name a coin with --coin TXID:VOUT",
            in_sats(wanted),
            payer.address()
        ))
    })
}
