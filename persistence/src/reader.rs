//! Reading of durable events, with their checks.

use std::{
    path::PathBuf,
    sync::{Arc, RwLock},
};

use domain::Stream;
use engine::journal::{Recorded, ReplayError, Sequence};
use engine::locks::RwLockExt as _;

use crate::{
    chain::{Chain, ChainFault},
    damage::Damage,
    heads::{Head, Heads},
    problem::Problem,
    scan::{Scan, block_before},
    stream_key::StreamKey,
};

/// The reading half of a journal.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) db: sled::Db,
    pub(crate) heads: Arc<RwLock<Heads>>,
    pub(crate) quarantine: PathBuf,
}

impl Reader {
    /// The ends of all streams after the last durable commit.
    pub(crate) fn heads(&self) -> Heads {
        self.heads.read_unpoisoned().clone()
    }

    pub(crate) fn streams(&self) -> Vec<Stream> {
        let heads = self.heads.read_unpoisoned();
        heads.iter().map(|(stream, _)| stream).collect()
    }

    pub(crate) fn head(&self, stream: Stream) -> Head {
        self.heads.read_unpoisoned().get(stream)
    }

    /// Passes the events of a stream after `after` up to `head` to `each`.
    pub(crate) fn replay(
        &self,
        stream: Stream,
        after: Sequence,
        head: Head,
        each: &mut dyn FnMut(Recorded),
    ) -> Result<Sequence, ReplayError> {
        if after >= head.sequence {
            return Ok(head.sequence);
        }
        let key = StreamKey::from(stream);
        match follow(&self.db, key, after, head, each).map_err(|error| ReplayError::Storage(error.to_string()))? {
            Ok(()) => Ok(head.sequence),
            Err(broken) => {
                let damage = Damage::quarantined(&self.db, &self.quarantine, key, broken);
                tracing::error!(stream = damage.stream(), sequence = damage.sequence(), "{damage}");
                Err(ReplayError::Damaged(damage.to_string()))
            }
        }
    }
}

fn follow(
    tree: &sled::Tree,
    stream: StreamKey,
    after: Sequence,
    head: Head,
    each: &mut dyn FnMut(Recorded),
) -> sled::Result<Result<(), ChainFault>> {
    let (mut chain, scan) = if after == 0 {
        (Chain::from_start(stream), Scan::stream(tree, stream, 0))
    } else {
        let Some(raw) = block_before(tree, stream, after + 1)? else {
            return Ok(Err(ChainFault {
                sequence: after + 1,
                problem: Problem::Gap { expected: 1, found: after + 2 },
            }));
        };
        (Chain::from_middle(stream, raw.key.first), Scan::stream(tree, stream, raw.key.first))
    };
    let mut wanted = |recorded: Recorded| {
        if recorded.sequence > after {
            each(recorded);
        }
    };
    for raw in scan {
        let raw = match raw {
            Err(error @ sled::Error::Corruption { .. }) => return Ok(Err(chain.unreadable(&error))),
            raw => raw?,
        };
        if raw.key.first > head.sequence {
            // Written after the head was read, and possibly not durable yet.
            break;
        }
        if let Err(broken) = chain.verify_next(&raw, &mut wanted) {
            return Ok(Err(broken));
        }
    }
    Ok(chain.finish(head))
}
