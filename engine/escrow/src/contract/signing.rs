//! The messages to a wallet: unsigned transactions, and the signatures that come back.
//!
//! - [`spent_output`] is the state of an input as node and indexer report it, [`checked_template`] a transaction whose
//!   inputs were checked against that: nothing else is handed to a wallet, as a [`wallet_copy`].
//! - [`returned_psbt`] takes the [`signatures`] from the PSBT that a wallet returns and verifies each
//!   ([`signature_check`]); [`returned_psbt_error`] lists its faults.
//! - [`finished`] is the transaction with all signatures.

pub mod checked_template;
pub mod finished;
pub mod returned_psbt;
pub mod returned_psbt_error;
pub mod signature_check;
pub mod signatures;
pub mod spent_output;
pub mod wallet_copy;
