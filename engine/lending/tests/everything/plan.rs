//! The plan of a run: which of its random actions, faults and crashes happen.
//!
//! Each element draws from a generator of its own, so the others stay what they are when one is left out.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

/// A part of a run that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    /// The random faults of calls in a phase.
    FlakyCalls { phase: u64 },
    /// One action of a client.
    Action { phase: u64, client: u64, number: u64 },
    /// The crash at the end of a phase; without it the phase ends with a pause.
    Crash { phase: u64 },
}

/// A plan.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    /// The number of actions after which the run ends.
    pub(crate) acts: u64,
    /// Of a thousand calls, those that fail in the worst phases.
    pub(crate) flaky_per_mille: u16,
    /// The elements that happen; all where it is `None`.
    kept: Option<BTreeSet<Element>>,
    happened: RefCell<Vec<Element>>,
}

impl Plan {
    /// A run in which everything happens that the seed determines.
    pub(crate) const fn whole(seed: u64, acts: u64, flaky_per_mille: u16) -> Self {
        Self { seed, acts, flaky_per_mille, kept: None, happened: RefCell::new(Vec::new()) }
    }

    /// The same run with these elements only.
    pub(crate) fn keep(&self, elements: &[Element], acts: u64) -> Self {
        let kept = Some(elements.iter().copied().collect());
        Self { acts, kept, ..Self::whole(self.seed, self.acts, self.flaky_per_mille) }
    }

    /// Whether a part of the run is left out.
    pub(crate) const fn is_part(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether an element happens; those that do are recorded.
    pub(crate) fn includes(&self, element: Element) -> bool {
        let is_kept = self.kept.as_ref().is_none_or(|kept| kept.contains(&element));
        if is_kept {
            self.happened.borrow_mut().push(element);
        }
        is_kept
    }

    /// The elements that happened, in their order.
    pub(crate) fn happened(&self) -> Vec<Element> {
        self.happened.borrow().clone()
    }

    /// The generator of one element or part of the run.
    pub(crate) fn rng(&self, phase: u64, part: u64, number: u64) -> ChaCha8Rng {
        let mut seed = <ChaCha8Rng as rand::SeedableRng>::Seed::default();
        for (place, word) in [self.seed, phase, part, number].into_iter().enumerate() {
            seed[place * 8..][..8].copy_from_slice(&word.to_le_bytes());
        }
        ChaCha8Rng::from_seed(seed)
    }

    /// Reads a plan from a file that [`fmt::Display`] wrote.
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(|line| {
            let mut words = line.split(' ');
            let name = words.next().unwrap();
            (name, words.map(|word| word.parse().unwrap()).collect::<Vec<u64>>())
        });
        let Some(("run", head)) = lines.next() else { panic!("a plan begins with its run") };
        let kept = lines.map(|(name, numbers)| match (name, &numbers[..]) {
            ("flaky", [phase]) => Element::FlakyCalls { phase: *phase },
            ("action", [phase, client, number]) => Element::Action { phase: *phase, client: *client, number: *number },
            ("crash", [phase]) => Element::Crash { phase: *phase },
            _ => panic!("{name} {numbers:?} is no element"),
        });
        let kept = Some(kept.collect());
        Self { kept, ..Self::whole(head[0], head[1], u16::try_from(head[2]).unwrap()) }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "run {} {} {}", self.seed, self.acts, self.flaky_per_mille)?;
        self.kept.iter().flatten().try_for_each(|element| match element {
            Element::FlakyCalls { phase } => writeln!(f, "flaky {phase}"),
            Element::Action { phase, client, number } => writeln!(f, "action {phase} {client} {number}"),
            Element::Crash { phase } => writeln!(f, "crash {phase}"),
        })
    }
}

#[test]
fn a_plan_is_read_as_it_was_written() {
    let elements = [
        Element::Action { phase: 2, client: 9, number: 31 },
        Element::FlakyCalls { phase: 2 },
        Element::Crash { phase: 2 },
    ];
    let plan = Plan::whole(u64::MAX, 5_000, 200).keep(&elements, 77);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), plan.to_string()).unwrap();
    let read = Plan::read(file.path());
    assert_eq!((read.seed, read.acts, read.flaky_per_mille, &read.kept), (u64::MAX, 77, 200, &plan.kept));
    assert_eq!(read.to_string(), plan.to_string());
}
