//! The observations of the vault watch, compared with the model of reservation and vault in each of its states.

use std::collections::BTreeMap;

use domain::{ObservedOutput, Outpoint, Sats, SpendId};
use lending::vaults::vault_watch::decision::{Contents, OutputObservation, SpendStatus, VaultObservation, decide};
use model::graph::Graph;
use model::vault_loans::chain::TxStatus;
use model::vault_loans::ledger::Ledger;
use model::vault_loans::setup::{LoanSpec, Setup};
use model::vault_loans::{OnChain, VaultLoans, VaultLoansState};

/// The best block: everything that is mined is far below it, or in it.
const TIP: u32 = 1_000;
/// A time after which a transaction of unknown origin counts as lost.
const BLOCKS: u32 = 10_000;

fn setup(loans: &[LoanSpec]) -> Setup {
    Setup {
        loans: loans.to_vec(),
        outputs: vec![Sats::new(700_000), Sats::new(900_000)],
        withdraws: false,
        broadcasts: true,
        crashes: false,
        reorgs: 1,
        double_spends: 1,
    }
}

fn output(state: &VaultLoansState, setup: &Setup, outpoint: Outpoint) -> OutputObservation {
    match state.on_chain(setup, outpoint) {
        OnChain::Absent => OutputObservation::Absent,
        OnChain::Unconfirmed => OutputObservation::Unconfirmed,
        OnChain::Confirmed { amount, height } => OutputObservation::Mined { amount, height, contents: Contents::Plain },
    }
}

/// A transaction of the ledger, as the node reports it.
fn spend(state: &VaultLoansState, setup: &Setup, transaction: usize) -> SpendStatus {
    let outputs = state.durable.spend_of(transaction).map(|spend| spend.outputs.clone()).unwrap();
    match state.chain.status[transaction] {
        TxStatus::Absent => SpendStatus::Absent,
        TxStatus::Mempool => SpendStatus::InMempool,
        TxStatus::Mined => SpendStatus::Mined { height: TIP },
        TxStatus::Buried => SpendStatus::Mined { height: 1 },
        TxStatus::Dead if transaction < setup.loans.len() => SpendStatus::Conflicted(Vec::new()),
        TxStatus::Dead => {
            let is_gone = |outpoint: &Outpoint| state.on_chain(setup, *outpoint) == OnChain::Absent;
            SpendStatus::ParentDropped { outpoints: outputs.into_iter().filter(is_gone).collect(), blocks: BLOCKS }
        }
    }
}

fn compare(name: &str, setup: &Setup) {
    let graph = Graph::explore(&VaultLoans { setup: setup.clone(), fault: None });
    let mut compared = 0;
    for state in (0..graph.states_count()).map(|number| graph.state(number)).filter(|state| state.pending.is_none()) {
        let pending = |transaction: &usize| state.durable.vault.pending_spend(setup.spend_id(*transaction)).is_some();
        let pending: Vec<usize> = (0..setup.transactions()).filter(pending).collect();
        let mut outpoints = Ledger::outpoints(setup);
        outpoints.sort_unstable();
        let observation = VaultObservation {
            tip: TIP,
            outputs: outpoints.iter().map(|outpoint| (*outpoint, output(state, setup, *outpoint))).collect(),
            spends: pending
                .iter()
                .map(|it| (setup.spend_id(*it), spend(state, setup, *it)))
                .collect::<BTreeMap<_, _>>(),
        };
        let steps = decide(&state.durable.vault, &observation).unwrap();
        let seen: Vec<ObservedOutput> = outpoints.iter().filter_map(|outpoint| state.seen(setup, *outpoint)).collect();
        assert_eq!(steps.observations, seen, "{state:?}");
        let with = |status: TxStatus| pending.iter().filter(move |it| state.chain.status[**it] == status);
        let failed: Vec<SpendId> = with(TxStatus::Dead).map(|it| setup.spend_id(*it)).collect();
        // Loans are failed by their own watch.
        let failed: Vec<SpendId> = failed.into_iter().filter(|spend| !matches!(spend, SpendId::Loan(_))).collect();
        assert_eq!(steps.fail, failed, "{state:?}");
        let settled: Vec<SpendId> = with(TxStatus::Buried).map(|it| setup.spend_id(*it)).collect();
        assert_eq!(steps.settle, settled, "{state:?}");
        compared += 1;
    }
    println!("{name}: {compared} states, in each of which the watch concludes what the model does");
}

#[test]
fn the_watch_concludes_in_every_state_what_the_model_does() {
    let loans = [LoanSpec { borrower: 0, offer: 0, collateral: 0 }, LoanSpec { borrower: 1, offer: 1, collateral: 1 }];
    compare("vault: a loan and a withdrawal", &Setup { withdraws: true, ..setup(&loans[..1]) });
    compare("vault: two loans", &setup(&loans));
}
