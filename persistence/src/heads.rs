//! The ends of all streams.

use std::collections::BTreeMap;

use domain::Stream;
use engine::journal::Sequence;

use crate::block::{Digest, Hash};

/// The end of one stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The sequence of the last event.
    pub(crate) sequence: Sequence,
    /// The hash of the last block; zeros before the first.
    pub(crate) hash: Hash,
}

impl Head {
    fn digest(&self) -> Digest {
        part_of_digest(&self.hash)
    }

    /// Replaces the end of a stream, whose last block had the hash `before`, in a digest of all streams' ends.
    pub(crate) fn replace_in(&self, digest: &mut Digest, before: &Hash) {
        for (byte, (old, new)) in digest.iter_mut().zip(part_of_digest(before).into_iter().zip(self.digest())) {
            *byte ^= old ^ new;
        }
    }
}

/// The part of a hash that enters the digest of all streams' ends.
fn part_of_digest(hash: &Hash) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&hash[..size_of::<Digest>()]);
    digest
}

/// The ends of all streams after one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heads {
    /// The last commit; 0 before the first.
    pub(crate) commit: u64,
    /// The exclusive or of all heads' hashes. Every block carries the value from before its commit, so the last commit
    /// alone shows whether any stream has lost its end.
    pub(crate) digest: Digest,
    by_stream: BTreeMap<Stream, Head>,
}

impl Heads {
    pub(crate) fn get(&self, stream: Stream) -> Head {
        self.by_stream.get(&stream).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, stream: Stream, head: Head) {
        let before =
            if head.sequence == 0 { self.by_stream.remove(&stream) } else { self.by_stream.insert(stream, head) };
        head.replace_in(&mut self.digest, &before.unwrap_or_default().hash);
    }

    /// Advances to the ends after a commit.
    pub(crate) fn advance(&mut self, commit: u64, ends: Vec<(Stream, Head)>) {
        debug_assert!(commit > self.commit, "commits are numbered upwards");
        self.commit = commit;
        for (stream, head) in ends {
            self.set(stream, head);
        }
    }

    /// The streams that have more events than in `earlier`, which is of the same journal, with both ends.
    pub(crate) fn grown_since(&self, earlier: &Self) -> Vec<(Stream, Head, Head)> {
        let ends = self.iter().map(|(stream, head)| (stream, earlier.get(stream), head));
        ends.filter(|(_, before, now)| now.sequence > before.sequence).collect()
    }

    /// All streams that have events, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Stream, Head)> + '_ {
        self.by_stream.iter().map(|(stream, head)| (*stream, *head))
    }
}

#[cfg(test)]
mod tests {
    use domain::UserId;

    use super::*;

    #[test]
    fn the_digest_depends_only_on_the_ends_of_the_streams() {
        let head = |sequence, byte| Head { sequence, hash: [byte; 32] };
        let (mut one, mut other) = (Heads::default(), Heads::default());
        one.set(Stream::Assets, head(1, 7));
        one.set(Stream::Vault(UserId(1)), head(2, 9));
        one.set(Stream::Assets, head(5, 8));
        other.set(Stream::Assets, head(5, 8));
        assert_ne!(one.digest, other.digest);
        other.set(Stream::Vault(UserId(1)), head(2, 9));
        assert_eq!(one, other);
        other.set(Stream::Vault(UserId(1)), Head::default());
        other.set(Stream::Assets, Head::default());
        assert_eq!(other, Heads::default());
    }
}
