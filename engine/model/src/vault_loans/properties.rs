//! The invariants of reservation and vault.

use std::collections::BTreeSet;

use domain::{LoanStage, Outpoint, Sats, SpendId};
use stateright::Property;

use super::chain::TxStatus;
use super::ledger::Ledger;
use super::setup::{PRINCIPAL, Setup, WITHDRAWAL, collateral_output, reservation_of};
use super::{VaultLoans, VaultLoansState};

/// Sats are conserved.
pub const CONSERVED: &str = "the sats of the vault, and those that buried transactions took, are those of the start";
/// The balance follows from the outputs.
pub const BALANCE: &str = "the balance is the sum of the confirmed outputs that nothing spends";
/// Usable sats are never negative.
pub const COVERED: &str = "the sats on hold are covered by outputs that are confirmed, or will be";
/// A hold belongs to a loan.
pub const HOLDS: &str = "the sats on hold are those of the loans that are reserved";
/// An offer is taken once.
pub const OFFER_ONCE: &str = "of the loans of an offer at most one is reserved, running or lent";
/// An output is spent once.
pub const OUTPUT_ONCE: &str = "an output is spent by at most one transaction, which the output names";
/// Collateral is pledged once.
pub const PLEDGED_ONCE: &str = "collateral is locked for the one loan that has it";
/// The journal comes first.
pub const JOURNALED: &str = "a transaction is at the node only if the synced journal has it";
/// The chain has no conflict.
pub const NO_CONFLICT: &str = "no two transactions that were broadcast spend the same output";
/// The signer's count.
pub const SIGNED_ONCE: &str = "of the loans that the signer signed by an offer no two can both start";
/// The model lends.
pub const LENDS: &str = "two loans run, and are buried if they are broadcast";

/// All properties.
pub(super) fn all() -> Vec<Property<VaultLoans>> {
    vec![
        Property::always(CONSERVED, |model, state| each(state, |ledger| is_conserved(&model.setup, state, ledger))),
        Property::always(BALANCE, |_, state| {
            each(state, |ledger| {
                let free = ledger.vault.outputs().filter(|(_, output)| output.is_free());
                ledger.vault.balance() == free.map(|(_, output)| output.amount).sum()
            })
        }),
        Property::always(COVERED, |_, state| {
            each(state, |ledger| {
                ledger.vault.held() <= ledger.vault.balance().saturating_add(ledger.vault.unconfirmed())
            })
        }),
        Property::always(HOLDS, |_, state| {
            each(state, |ledger| {
                ledger.vault.held() == ledger.loans.iter().filter(|row| row.is_held()).map(|_| PRINCIPAL).sum()
            })
        }),
        Property::always(OFFER_ONCE, |model, state| each(state, |ledger| is_offer_once(&model.setup, ledger))),
        Property::always(OUTPUT_ONCE, |_, state| each(state, is_output_once)),
        Property::always(PLEDGED_ONCE, |model, state| each(state, |ledger| is_pledged_once(&model.setup, ledger))),
        Property::always(JOURNALED, |model, state| is_journaled(&model.setup, state)),
        Property::always(NO_CONFLICT, |_, state: &VaultLoansState| {
            let seen: Vec<usize> =
                (0..state.chain.status.len()).filter(|number| state.chain.status[*number].is_seen()).collect();
            seen.iter().all(|one| seen.iter().all(|other| one == other || !state.conflict(*one, *other)))
        }),
        Property::always(SIGNED_ONCE, |model, state: &VaultLoansState| {
            let loans = &model.setup.loans;
            let signed: Vec<usize> = (0..loans.len()).filter(|loan| state.signed[*loan]).collect();
            let can_both = |one: usize, other: usize| {
                one != other && loans[one].offer == loans[other].offer && !state.conflict(one, other)
            };
            !signed.iter().any(|one| signed.iter().any(|other| can_both(*one, *other)))
        }),
        Property::sometimes(LENDS, |model, state: &VaultLoansState| {
            let rows = state.durable.loans.iter().zip(&state.chain.status).filter(|(row, _)| row.is_begun());
            rows.filter(|(_, status)| !model.setup.broadcasts || **status == TxStatus::Buried).count() >= 2
        }),
    ]
}

/// Whether a property holds of the synced ledger, and of the one with the decision that waits.
fn each(state: &VaultLoansState, holds: impl Fn(&Ledger) -> bool) -> bool {
    holds(&state.durable) && state.pending.as_deref().is_none_or(holds)
}

fn is_conserved(setup: &Setup, state: &VaultLoansState, ledger: &Ledger) -> bool {
    let is_pending = |transaction: usize| ledger.vault.pending_spend(setup.spend_id(transaction)).is_some();
    let all = || 0..setup.transactions();
    let is_settled =
        |transaction: &usize| state.chain.status[*transaction] == TxStatus::Buried && !is_pending(*transaction);
    let left: Sats = all().filter(is_settled).map(|it| ledger.leaving(setup, it)).sum();
    let tracked: Sats = ledger.vault.outputs().map(|(_, output)| output.amount).sum();
    // The change of a pending transaction counts twice beside the outputs that it spends, unless it was spent and settled.
    let is_counted = |change: &Outpoint| {
        let is_taken = |it: usize| ledger.spend_of(it).is_some_and(|spend| spend.outputs.contains(change));
        ledger.vault.output(change).is_some() || all().filter(is_settled).any(is_taken)
    };
    let pending = all().filter(|transaction| is_pending(*transaction)).filter_map(|it| ledger.spend_of(it));
    let change = pending.flat_map(|spend| spend.change.iter()).filter(|(change, _)| is_counted(change));
    let change: Sats = change.map(|(_, amount)| amount).sum();
    tracked.saturating_add(left) == setup.total().saturating_add(change)
}

fn is_offer_once(setup: &Setup, ledger: &Ledger) -> bool {
    let taken: Vec<u8> = setup
        .loans
        .iter()
        .zip(&ledger.loans)
        .filter(|(_, row)| row.is_held() || row.is_begun())
        .map(|(spec, _)| spec.offer)
        .collect();
    taken.iter().collect::<BTreeSet<_>>().len() == taken.len()
}

fn is_output_once(ledger: &Ledger) -> bool {
    let mut spent: BTreeSet<Outpoint> = BTreeSet::new();
    ledger.vault.pending_spends().all(|(spend, pending)| {
        pending.outpoints.iter().all(|outpoint| {
            let names = |named: SpendId| named == spend;
            let known = ledger.vault.output(outpoint);
            spent.insert(*outpoint) && known.is_none_or(|output| output.spent_by.is_some_and(names))
        })
    })
}

fn is_pledged_once(setup: &Setup, ledger: &Ledger) -> bool {
    use LoanStage::{Active, Broadcast};
    let rows = setup.loans.iter().zip(&ledger.loans).enumerate();
    let has = rows.filter(|(_, (_, row))| row.is_held() || matches!(row.stage(), Some(Broadcast | Active)));
    let mut count = 0;
    let are_locked = has.into_iter().all(|(loan, (spec, _))| {
        count += 1;
        ledger.locks.holder(&collateral_output(spec.collateral)) == Some(reservation_of(loan))
    });
    are_locked && ledger.locks.len() == count
}

fn is_journaled(setup: &Setup, state: &VaultLoansState) -> bool {
    (0..setup.transactions()).filter(|number| state.chain.status[*number] != TxStatus::Absent).all(|transaction| {
        if let Some(row) = state.durable.loans.get(transaction) {
            return row.is_begun();
        }
        let is_settled = state.durable.vault.settled_withdrawal(WITHDRAWAL).is_some();
        let is_dead = state.chain.status[transaction] == TxStatus::Dead;
        let pending = state.durable.vault.pending_spend(setup.spend_id(transaction));
        is_settled || is_dead || pending.is_some_and(|pending| pending.transaction.is_some())
    })
}
