//! A full check of a journal, for `lienbook check`.

use std::collections::HashMap;

use crate::{
    block::Header,
    block_source::BlockSource,
    chain::{Chain, ChainFault},
    raw_block::RawBlock,
    recovery::{End, find_end},
    stream_key::StreamKey,
};

/// The maximum number of problems that are listed; further ones are only counted.
const PROBLEMS_NAMED_MAX: usize = 1_000;

/// The contents of a journal, and its problems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// The number of streams that have records.
    pub streams: u64,
    /// The number of events that can be read.
    pub events: u64,
    /// The number of blocks that can be read.
    pub blocks: u64,
    /// The number of the last commit.
    pub last_commit: u64,
    /// Bytes of all blocks, without the storage's own overhead.
    pub bytes: u64,
    /// An incomplete last commit that was never acknowledged; the next start cuts it. Not a problem.
    pub unacknowledged_commit: Option<u64>,
    /// One line each, in the order of the streams. The first thousand; [`Self::problems_found`] counts them all.
    pub problems: Vec<String>,
    /// The number of problems.
    pub problems_found: u64,
}

impl VerifyReport {
    /// Whether no problem was found.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        self.problems_found == 0
    }

    pub(crate) fn problem(&mut self, text: String) {
        self.problems_found += 1;
        if self.problems.len() < PROBLEMS_NAMED_MAX {
            self.problems.push(text);
        }
    }
}

/// Checks every block of a store, and reads every event. `acknowledged` is the last commit known to be durable.
pub(crate) fn verify_blocks(source: &dyn BlockSource, acknowledged: u64) -> VerifyReport {
    let mut verifier = Verifier::default();
    match find_end(source) {
        Ok(End::Torn { commit, .. }) if commit > acknowledged => verifier.report.unacknowledged_commit = Some(commit),
        Ok(End::StreamsTruncated { commit }) => {
            verifier
                .report
                .problem(format!("streams do not end where commit {commit} says they do: events are missing"));
        }
        // Any other fault of the ends is found by the pass over all blocks.
        Ok(End::Clean(_) | End::Torn { .. } | End::Broken { .. }) | Err(_) => {}
    }
    for raw in source.all() {
        match raw {
            Ok(raw) => verifier.block(&raw),
            Err(error) => {
                verifier
                    .report
                    .problem(format!("the storage cannot be read further than {}: {error}", verifier.place()));
                break;
            }
        }
    }
    verifier.finish(acknowledged)
}

/// One pass over all blocks.
#[derive(Default)]
struct Verifier {
    report: VerifyReport,
    /// The chain of the current stream; after damage it is entered again in the middle.
    chain: Option<(StreamKey, Option<Chain>)>,
    /// Commits with missing blocks so far: the number missing, and the header of the first block found.
    incomplete: HashMap<u64, (u32, Header)>,
}

impl Verifier {
    fn block(&mut self, raw: &RawBlock) {
        let stream = raw.key.stream;
        let chain = match self.chain.take() {
            Some((current, chain)) if current == stream => chain,
            _ => {
                self.report.streams += 1;
                Some(Chain::from_start(stream))
            }
        };
        let mut chain = chain.unwrap_or_else(|| Chain::from_middle(stream, raw.key.first));
        if let Err(broken) = self.follow(&mut chain, raw) {
            self.report.problem(format!("stream {stream} at sequence {}: {}", broken.sequence, broken.problem));
            // The block may be sound in itself, but misplaced.
            chain = Chain::from_middle(stream, raw.key.first);
            self.chain = Some((stream, self.follow(&mut chain, raw).is_ok().then_some(chain)));
        } else {
            self.chain = Some((stream, Some(chain)));
        }
    }

    /// The place that the pass has reached.
    fn place(&self) -> String {
        self.chain.as_ref().map_or_else(|| "the beginning".to_owned(), |(stream, _)| format!("stream {stream}"))
    }

    fn follow(&mut self, chain: &mut Chain, raw: &RawBlock) -> Result<(), ChainFault> {
        let mut events = 0;
        let header = chain.verify_next(raw, &mut |_recorded| events += 1)?;
        let bytes = raw.bytes.as_ref().map_or(0, |bytes| bytes.as_ref().len());
        self.report.events += events;
        self.report.blocks += 1;
        self.report.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
        self.report.last_commit = self.report.last_commit.max(header.commit);
        self.count(header);
        Ok(())
    }

    fn count(&mut self, header: Header) {
        if header.blocks > 1 {
            let commit = header.commit;
            let (left, _) = self.incomplete.entry(commit).or_insert_with(|| (header.blocks, header));
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.incomplete.remove(&commit);
            }
        }
    }

    fn finish(self, acknowledged: u64) -> VerifyReport {
        let Self { mut report, mut incomplete, .. } = self;
        if let Some(commit) = report.unacknowledged_commit {
            incomplete.remove(&commit);
        }
        let mut incomplete: Vec<_> = incomplete.into_iter().collect();
        incomplete.sort_unstable_by_key(|(commit, _)| *commit);
        for (commit, (left, Header { stream, first, blocks, .. })) in incomplete {
            report.problem(format!(
                "commit {commit}, of which stream {stream} has sequence {first}, lacks {left} of its {blocks} blocks"
            ));
        }
        if report.last_commit < acknowledged {
            let last = report.last_commit;
            report.problem(format!("commit {acknowledged} was acknowledged, but the journal ends with commit {last}"));
        }
        report
    }
}
