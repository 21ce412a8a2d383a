//! The number of outputs in which a vault is paid, so that what one loan or withdrawal takes leaves the others usable.
//!
//! Change of the vault's own transactions is usable only after confirmation: the borrower of an origination can replace
//! it by spending the collateral elsewhere, which would also invalidate every loan that spends its change, although
//! others signed for them. Only a child that pays for its parent spends it before ([`crate::vaults::fee_bump`]).

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, FeeRate, ScriptBuf};
use domain::{COINS_MAX, Outpoint, Vault, VaultChange};
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::vault_change::{OUTPUT_VALUE_MIN, OUTPUTS_MAX, output_cost, outputs_max};

use crate::vaults::vault::{amount, sats};

/// The number of sizeable outputs that a vault is split into.
const OUTPUTS_WANTED: usize = 8;
/// The number of small outputs above which they are merged when fees are low.
const SMALL_OUTPUTS_MAX: usize = 16;
/// The highest fee rate at which outputs are merged: 2 sats per virtual byte.
const MERGE_RATE_MAX: FeeRate = FeeRate::from_sat_per_kwu(500);
/// The divisor of a withdrawal's amount that gives the most paid for reorganizing the vault's outputs: one percent.
const REORGANIZE_DIVISOR: u64 = 100;
/// The size that spending a vault output adds, in virtual bytes, rounded up.
const VAULT_INPUT_VB: u64 = 67;

/// Returns the number of change outputs of a transaction that spends these outputs: as many as the vault lacks, where
/// the fee rate is low enough.
pub(crate) fn change_outputs(ledger: &Vault, spent: &[Outpoint], rest: Amount, vault: &ScriptBuf, rate: FeeRate) -> u8 {
    let wanted = OUTPUTS_WANTED.saturating_sub(usable_outputs(ledger, spent)).max(1);
    as_count(wanted.min(outputs_max(rest, vault, rate)))
}

/// Returns the number of change outputs of a withdrawal whose lender pays for them out of `wanted`.
pub(crate) fn affordable_outputs(wanted: Amount, vault: &ScriptBuf, rate: FeeRate) -> u8 {
    let cost = output_cost(vault, rate).unwrap_or(Amount::MAX_MONEY);
    let more = (wanted.to_sat() / REORGANIZE_DIVISOR).checked_div(cost.to_sat());
    let more = more.and_then(|more| usize::try_from(more).ok()).unwrap_or(OUTPUTS_MAX);
    as_count(more.saturating_add(1))
}

/// Returns small outputs that a withdrawal spends as well, where the vault has too many of them and the fee rate is
/// low: each on its own would not be worth its input later.
pub(crate) fn outputs_to_merge(ledger: &Vault, spent: &[Outpoint], wanted: Amount, rate: FeeRate) -> Vec<Outpoint> {
    let free = ledger.outputs().filter(|(outpoint, output)| output.is_free() && !spent.contains(outpoint));
    let mut small: Vec<_> = free.filter(|(_, output)| amount(output.amount) < OUTPUT_VALUE_MIN).collect();
    let too_many = small.len().saturating_sub(SMALL_OUTPUTS_MAX);
    let Some(input_cost) = rate.fee_vb(VAULT_INPUT_VB).filter(|_| rate <= MERGE_RATE_MAX) else { return Vec::new() };
    let worth = |held: Amount| held.to_sat() >= input_cost.to_sat().saturating_mul(2);
    let paid = (wanted.to_sat() / REORGANIZE_DIVISOR).checked_div(input_cost.to_sat());
    let paid = paid.and_then(|paid| usize::try_from(paid).ok()).unwrap_or(COINS_MAX);
    small.sort_unstable_by_key(|(outpoint, output)| (output.amount, *outpoint));
    let room = COINS_MAX.saturating_sub(spent.len());
    let taken = small.into_iter().filter(|(_, output)| worth(amount(output.amount)));
    taken.take(too_many.min(paid).min(room)).map(|(outpoint, _)| outpoint).collect()
}

/// Returns the number of outputs of a deposit.
pub(crate) fn deposit_outputs(ledger: &Vault, sats: Amount, vault: &ScriptBuf, rate: FeeRate) -> u8 {
    change_outputs(ledger, &[], sats, vault, rate)
}

/// Returns the outputs of a transaction that pay the vault.
pub(crate) fn change_to_vault(vault: &ScriptBuf, template: &Template) -> VaultChange {
    let txid = template.final_txid().to_byte_array();
    let outputs = (0..).zip(&template.psbt.unsigned_tx.output);
    let own = outputs.filter(|(_, output)| output.script_pubkey == *vault);
    own.map(|(vout, output)| (Outpoint { txid, vout }, sats(output.value))).collect()
}

/// Counts the remaining outputs that are large enough to be useful on their own, unconfirmed ones included.
fn usable_outputs(ledger: &Vault, spent: &[Outpoint]) -> usize {
    let staying = ledger.outputs().filter(|(outpoint, output)| output.spent_by.is_none() && !spent.contains(outpoint));
    staying.filter(|(_, output)| amount(output.amount) >= OUTPUT_VALUE_MIN).count()
}

fn as_count(outputs: usize) -> u8 {
    u8::try_from(outputs.min(OUTPUTS_MAX)).unwrap_or(1)
}
