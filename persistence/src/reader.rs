//! Reading of durable events, with their checks.

use std::{
    ops::ControlFlow,
    sync::{Arc, RwLock},
};

use domain::Stream;
use engine::journal::{Recorded, ReplayError, Sequence};
use engine::locks::RwLockExt as _;

use crate::{
    block_source::{BlockSource, ReadError},
    chain::{Chain, ChainFault},
    damage::Damage,
    heads::{Head, Heads},
    problem::Problem,
    stream_key::StreamKey,
};

/// The reading half of a journal.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) source: Arc<dyn BlockSource>,
    pub(crate) heads: Arc<RwLock<Heads>>,
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

    /// Passes the durable events to `each`, stream by stream in order, until it breaks off; commits made meanwhile are
    /// excluded. Returns their number.
    pub(crate) fn replay_all(
        &self,
        each: &mut dyn FnMut(Stream, Recorded) -> ControlFlow<()>,
    ) -> Result<u64, ReplayError> {
        let (mut count, mut flow) = (0, ControlFlow::Continue(()));
        for (stream, head) in self.heads().iter() {
            count += self.replay(stream, 0, head, &mut |recorded| {
                if flow.is_continue() {
                    flow = each(stream, recorded);
                }
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(count)
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
        match follow(&*self.source, key, after, head, each).map_err(|error| ReplayError::Storage(error.to_string()))? {
            Ok(()) => Ok(head.sequence),
            Err(broken) => {
                let damage = Damage::quarantined(&*self.source, key, broken);
                tracing::error!(stream = damage.stream(), sequence = damage.sequence(), "{damage}");
                Err(ReplayError::Damaged(damage.to_string()))
            }
        }
    }
}

impl Reader {
    /// Passes at most `count` durable events of a stream after `after` to `each`.
    pub(crate) fn read(
        &self,
        stream: Stream,
        after: Sequence,
        count: u64,
        each: &mut dyn FnMut(Recorded),
    ) -> Result<(), ReplayError> {
        let last = after.saturating_add(count).min(self.head(stream).sequence);
        if after >= last {
            return Ok(());
        }
        let key = StreamKey::from(stream);
        let read = read_until(&*self.source, key, after, last, each);
        read.map_err(|error| ReplayError::Storage(error.to_string()))?
            .map_err(|broken| ReplayError::Damaged(Damage::quarantined(&*self.source, key, broken).to_string()))
    }
}

/// Passes the events after `after` up to `last`, which exists, to `each`.
fn read_until(
    source: &dyn BlockSource,
    stream: StreamKey,
    after: Sequence,
    last: Sequence,
    each: &mut dyn FnMut(Recorded),
) -> Result<Result<(), ChainFault>, ReadError> {
    let first = source.block_before(stream, after + 1)?.map_or(1, |block| block.key.first);
    let mut chain = Chain::from_middle(stream, first);
    let mut wanted = |recorded: Recorded| {
        if recorded.sequence > after && recorded.sequence <= last {
            each(recorded);
        }
    };
    for raw in source.stream(stream, first) {
        let raw = match raw {
            Err(ReadError::Corrupt(reason)) => return Ok(Err(chain.unreadable(reason))),
            raw => raw?,
        };
        match chain.verify_next(&raw, &mut wanted) {
            Err(broken) => return Ok(Err(broken)),
            Ok(header) if header.last() >= last => return Ok(Ok(())),
            Ok(_) => {}
        }
    }
    Ok(Err(ChainFault { sequence: chain.head().sequence + 1, problem: Problem::TailMissing }))
}

fn follow(
    source: &dyn BlockSource,
    stream: StreamKey,
    after: Sequence,
    head: Head,
    each: &mut dyn FnMut(Recorded),
) -> Result<Result<(), ChainFault>, ReadError> {
    let (mut chain, scan) = if after == 0 {
        (Chain::from_start(stream), source.stream(stream, 0))
    } else {
        let Some(raw) = source.block_before(stream, after + 1)? else {
            return Ok(Err(ChainFault {
                sequence: after + 1,
                problem: Problem::Gap { expected: 1, found: after + 2 },
            }));
        };
        (Chain::from_middle(stream, raw.key.first), source.stream(stream, raw.key.first))
    };
    let mut wanted = |recorded: Recorded| {
        if recorded.sequence > after {
            each(recorded);
        }
    };
    for raw in scan {
        let raw = match raw {
            Err(ReadError::Corrupt(reason)) => return Ok(Err(chain.unreadable(reason))),
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
