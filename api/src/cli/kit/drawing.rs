//! The representation of a transaction in the terminal, for review before signing.

use bitcoin::{Address, Amount, Network, OutPoint, TxOut};
use escrow::contract::transaction::template::Template;
use escrow::fee_rate;

use crate::failure::Failure;
use crate::number::grouped;

/// Draws inputs on the left and outputs on the right, each with a label.
pub(super) fn drawing(
    template: &Template,
    network: Network,
    input: impl Fn(OutPoint) -> &'static str,
    output: impl Fn(&TxOut) -> &'static str,
) -> Result<String, Failure> {
    let transaction = &template.psbt.unsigned_tx;
    let unbalanced = || Failure::new("more comes out than goes in");
    let (fee, rate) = (template.fee().ok_or_else(unbalanced)?, fee_rate::of_template(template).ok_or_else(unbalanced)?);
    let sats = |amounts: &[Amount]| amounts.iter().map(|amount| in_sats(*amount)).collect::<Vec<_>>();
    let (inputs, outputs) = (sats(&template.input_amounts()), sats(&template.output_amounts()));
    let width = |texts: &[String]| texts.iter().map(String::len).max().unwrap_or(0).max(in_sats(fee).len());
    let (in_width, out_width) = (width(&inputs), width(&outputs));
    let left: Vec<String> = transaction
        .input
        .iter()
        .zip(&inputs)
        .enumerate()
        .map(|(index, (spent, sats))| format!("{index:>3}  {sats:>in_width$}  {}", input(spent.previous_output)))
        .collect();
    let mut right: Vec<String> = transaction
        .output
        .iter()
        .zip(&outputs)
        .enumerate()
        .map(|(index, (paid, sats))| format!("{index:>3}  {sats:>out_width$}  {}", output(paid)))
        .collect();
    let rate = fee_rate::in_words(rate);
    right.push(format!("     {:>out_width$}  fee, to the miners ({rate})", in_sats(fee)));
    let left_width = left.iter().map(String::len).max().unwrap_or(0);
    let mut text = format!("  {:<left_width$}       what comes out\n", "what goes in");
    for row in 0..left.len().max(right.len()) {
        let (one, other) = (left.get(row).map_or("", String::as_str), right.get(row).map_or("", String::as_str));
        let arrow = if row == 0 { "-->" } else { "   " };
        text.push_str(format!("  {one:<left_width$}  {arrow}  {other}").trim_end());
        text.push('\n');
    }
    text.push('\n');
    for (index, paid) in transaction.output.iter().enumerate() {
        if let Ok(address) = Address::from_script(&paid.script_pubkey, network) {
            text.extend(["  output ", &index.to_string(), " pays ", &address.to_string(), "\n"]);
        }
    }
    Ok(text)
}

/// Formats an amount.
pub(super) fn in_sats(amount: Amount) -> String {
    format!("{} sats", grouped(amount.to_sat()))
}
