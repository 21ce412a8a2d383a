//! Models of what several parts do together, explored completely for small sizes.
//!
//! - [`vault_loans`]: borrowers who take instant offers that one vault backs, with crashes, reorgs and lost answers.
//! - [`signers`]: the signers that share a vault, some of which lie, are away or restart.
//! - [`takeover`]: nodes of a cluster that take the writer's place from each other.
//! - [`graph`] is an explored model with paths that take every step, by which tests replay the model on the code;
//!   [`pairs`] has them take every pair of steps, and [`exploration`] is a search by Stateright with its figures.

pub mod exploration;
pub mod graph;
pub mod pairs;
pub mod signers;
pub mod takeover;
pub mod vault_loans;
