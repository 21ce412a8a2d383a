//! The embedded chain from outside: every reason why a node takes no transaction, blocks, reorgs and the faucet.

mod family;
mod node;
mod oracle;
mod packages;
mod replacement;
mod shape;
mod signatures;
mod spending;
