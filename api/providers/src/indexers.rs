//! Clients of the indexers of inscriptions, runes and BRC-20: ord, which the operator runs, and services of others.

mod best_in_slot;
mod ord;
mod ordiscan;
mod unisat;

pub(crate) use best_in_slot::BestInSlot;
pub use ord::OrdServer;
pub(crate) use ordiscan::{Envelope as OrdiscanEnvelope, Ordiscan};
pub(crate) use unisat::{Unisat, UnisatOutputs};
