//! Integration tests of the embedded chain: every reason for a rejection, blocks, reorgs and the faucet.

mod brc20;
mod gifts;
mod inscriptions;
mod node;
mod oracle;
mod packages;
mod replacement;
mod runes;
mod signatures;
mod spending;
mod stored_chain;
mod transaction_rules;
mod truc;
