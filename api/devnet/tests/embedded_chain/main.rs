//! Integration tests of the embedded chain: every reason for a rejection, blocks, reorgs and the faucet.

mod brc20;
mod family;
mod gifts;
mod inscriptions;
mod kept;
mod node;
mod oracle;
mod packages;
mod replacement;
mod runes;
mod shape;
mod signatures;
mod spending;
