//! The models, explored completely; and what the search finds once a rule is switched off.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at the first surprise and prints its figures"
)]

mod signers;
mod takeover;
mod vault_loans;

use std::fmt::Debug;
use std::hash::Hash;

use model::exploration::Exploration;
use stateright::Model;

/// Explores a model, of which every property must hold.
fn holds<M>(name: &str, model: M)
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
    M::Action: Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let found = Exploration::of(name, model);
    println!("{found}");
    assert!(found.holds(), "{found}");
}

/// Explores a model with a planted fault, which must violate a property.
fn violates<M>(name: &str, model: M, property: &'static str)
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
    M::Action: Clone + Debug + PartialEq + Send + Sync + 'static,
{
    let found = Exploration::until(name, model, property);
    println!("{name}: found after {} states, {:.2} s", found.states, found.time.as_secs_f64());
    assert!(found.violations.contains_key(property), "nothing is found by {name}: {found}");
}
