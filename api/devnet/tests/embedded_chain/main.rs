//! The embedded chain from outside: every reason why a node takes no transaction, blocks, reorgs and the faucet.

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
