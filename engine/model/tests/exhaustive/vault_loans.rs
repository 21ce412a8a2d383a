//! Reservation and vault, completely for two and three borrowers.

use domain::Sats;
use model::graph::Graph;
use model::vault_loans::faults::Fault;
use model::vault_loans::setup::{LoanSpec, Setup};
use model::vault_loans::{VaultLoans, VaultLoansState, properties};

use crate::{holds, violates};

/// Loans of two borrowers: two want the same offer, and two pledge the same collateral.
const LOANS: [LoanSpec; 3] = [
    LoanSpec { borrower: 0, offer: 0, collateral: 0 },
    LoanSpec { borrower: 0, offer: 1, collateral: 0 },
    LoanSpec { borrower: 1, offer: 0, collateral: 1 },
];

/// Two loans that can both run.
const TWO: [LoanSpec; 2] = [LOANS[1], LOANS[2]];

fn setup(loans: &[LoanSpec]) -> Setup {
    Setup {
        loans: loans.to_vec(),
        outputs: vec![Sats::new(700_000), Sats::new(900_000)],
        withdraws: false,
        broadcasts: true,
        crashes: false,
        reorgs: 0,
        double_spends: 0,
    }
}

fn of(setup: Setup) -> VaultLoans {
    VaultLoans { setup, fault: None }
}

#[test]
fn loans_of_a_vault_keep_every_invariant_through_crashes_and_lost_answers() {
    holds("vault: three loans with crashes", of(Setup { crashes: true, ..setup(&LOANS) }));
    holds(
        "vault: two loans and a withdrawal with crashes",
        of(Setup { crashes: true, withdraws: true, ..setup(&TWO) }),
    );
}

#[test]
fn loans_of_a_vault_keep_every_invariant_through_reorgs_and_double_spends() {
    let chain = Setup { reorgs: 2, double_spends: 1, ..setup(&TWO) };
    holds("vault: two loans with reorgs and double spends", of(chain.clone()));
    holds(
        "vault: two loans and a withdrawal with a reorg",
        of(Setup { withdraws: true, reorgs: 1, double_spends: 0, ..chain }),
    );
}

#[test]
fn three_borrowers_share_three_outputs() {
    let loans = [0, 1, 2].map(|number| LoanSpec { borrower: number, offer: number, collateral: number });
    let outputs = vec![Sats::new(650_000), Sats::new(700_000), Sats::new(1_300_000)];
    let on_chain = Setup { outputs, ..setup(&loans) };
    holds("vault: three borrowers with an offer each", of(on_chain.clone()));
    let until_signed = Setup { broadcasts: false, crashes: true, ..on_chain };
    holds("vault: three borrowers with an offer each, until their loans begin", of(until_signed));
}

#[test]
fn from_every_state_the_vault_can_come_to_rest() {
    let all = Setup { crashes: true, withdraws: true, reorgs: 1, double_spends: 1, ..setup(&TWO[..1]) };
    let chain = Setup { reorgs: 1, double_spends: 1, ..setup(&TWO) };
    for setup in [all, chain, Setup { crashes: true, ..setup(&LOANS) }] {
        let graph = Graph::explore(&of(setup));
        let cut_off = graph.cut_off(VaultLoansState::is_at_rest);
        println!("vault: rest is reachable from all {} states, {} steps", graph.states_count(), graph.steps_count());
        assert!(cut_off.is_none(), "{:?}", cut_off.map(|(number, path)| (path, graph.state(number).clone())));
    }
    let fault = Some(Fault::HoldsAreKept);
    let stuck = Graph::explore(&VaultLoans { fault, ..of(setup(&TWO)) }).cut_off(VaultLoansState::is_at_rest);
    assert!(stuck.is_some(), "a hold that is never released is not noticed");
}

#[test]
fn each_rule_of_reservation_and_vault_is_needed() {
    let with = |fault, setup| VaultLoans { setup, fault: Some(fault) };
    let three = || setup(&LOANS);
    let crashing = || Setup { crashes: true, ..setup(&LOANS) };
    let double_spent = || Setup { double_spends: 1, ..setup(&TWO) };
    violates("spent outputs are spent again", with(Fault::SpentOutputsAreSpent, three()), properties::OUTPUT_ONCE);
    violates("spent outputs are broadcast", with(Fault::SpentOutputsAreSpent, three()), properties::CONSERVED);
    let pledged = with(Fault::PledgedCollateralIsAccepted, three());
    violates("pledged collateral is accepted", pledged, properties::PLEDGED_ONCE);
    violates("taken offers are reserved", with(Fault::TakenOffersAreReserved, three()), properties::OFFER_ONCE);
    violates("holds are kept", with(Fault::HoldsAreKept, three()), properties::HOLDS);
    let small = Setup { outputs: vec![Sats::new(700_000), Sats::new(300_000)], ..setup(&TWO) };
    violates("holds exceed the balance", with(Fault::HoldsExceedTheBalance, small), properties::COVERED);
    let settled = with(Fault::FailedSpendsAreSettled, double_spent());
    violates("failed spends are settled", settled, properties::CONSERVED);
    violates("early broadcast", with(Fault::BroadcastsBeforeSync, crashing()), properties::JOURNALED);
    violates("the signer counts nothing", with(Fault::SignerCountsNothing, crashing()), properties::SIGNED_ONCE);
}
