//! The absence of a BRC-20 indexer in this process, in builds without the demo.

use bitcoin::ScriptBuf;
use engine::asset_index::{Brc20Balance, InscriptionId, TransferInscription};
use engine::chain::{Chain, ChainError};

/// An indexer that does not exist.
#[derive(Debug)]
pub(super) enum BlockReader {}

/// Returns no indexer.
pub(super) fn new_reader() -> Option<BlockReader> {
    None
}

impl BlockReader {
    #[expect(clippy::unused_async, reason = "the interface of the indexer")]
    pub(super) async fn sync(&mut self, _chain: &impl Chain) -> Result<(), ChainError> {
        match *self {}
    }

    pub(super) fn height(&self) -> u32 {
        match *self {}
    }

    pub(super) fn balance(&self, _owner: &ScriptBuf, _ticker: &str) -> Brc20Balance {
        match *self {}
    }

    pub(super) fn note(&self, _inscription: InscriptionId) -> Option<TransferInscription> {
        match *self {}
    }
}
