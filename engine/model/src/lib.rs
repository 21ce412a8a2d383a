//! Models of what several parts do together, explored completely for small sizes.
//!
//! - [`signers`]: the signers that share a vault, some of which lie, are away or restart.
//! - [`graph`] is an explored model with paths that take every step, by which tests replay the model on the code;
//!   [`exploration`] is a search by Stateright with its figures.

pub mod exploration;
pub mod graph;
pub mod signers;
