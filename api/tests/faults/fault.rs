//! The faults, and the plan of a run: drawn from one seed.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    KillWriter,
    KillFollower,
    FreezeWriter,
    FreezeFollower,
    StopWriter,
    StopFollower,
    KillNats,
    FreezeNats,
    KillSigner,
    KillPrimary,
    FreezePrimary,
    PromoteStandby,
    KillStandby,
    FreezeStandby,
    CutWriterFromDatabases,
    CutFollowerFromDatabases,
    CutNodeFromNats,
    CutNodes,
    CutDatabases,
    SlowHost,
    LossyLink,
}

/// All kinds, in the order of the table.
pub const KINDS: [Kind; 21] = [
    Kind::KillWriter,
    Kind::KillFollower,
    Kind::FreezeWriter,
    Kind::FreezeFollower,
    Kind::StopWriter,
    Kind::StopFollower,
    Kind::KillNats,
    Kind::FreezeNats,
    Kind::KillSigner,
    Kind::KillPrimary,
    Kind::FreezePrimary,
    Kind::PromoteStandby,
    Kind::KillStandby,
    Kind::FreezeStandby,
    Kind::CutWriterFromDatabases,
    Kind::CutFollowerFromDatabases,
    Kind::CutNodeFromNats,
    Kind::CutNodes,
    Kind::CutDatabases,
    Kind::SlowHost,
    Kind::LossyLink,
];

impl Kind {
    /// Its name in the log and in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::KillWriter => "kill the writer",
            Self::KillFollower => "kill a follower",
            Self::FreezeWriter => "freeze the writer",
            Self::FreezeFollower => "freeze a follower",
            Self::StopWriter => "stop the writer (handover)",
            Self::StopFollower => "stop a follower",
            Self::KillNats => "kill NATS",
            Self::FreezeNats => "freeze NATS",
            Self::KillSigner => "kill the vault signer",
            Self::KillPrimary => "kill the primary",
            Self::FreezePrimary => "freeze the primary",
            Self::PromoteStandby => "promote the standby of a dead primary",
            Self::KillStandby => "kill the standby",
            Self::FreezeStandby => "freeze the standby",
            Self::CutWriterFromDatabases => "cut the writer from the databases",
            Self::CutFollowerFromDatabases => "cut a follower from the databases",
            Self::CutNodeFromNats => "cut a node from NATS",
            Self::CutNodes => "cut two nodes from each other",
            Self::CutDatabases => "cut the databases from each other",
            Self::SlowHost => "slow a host down",
            Self::LossyLink => "lose packets between a node and the primary",
        }
    }

    /// Whether it can prevent or delay a takeover after another fault.
    pub const fn hinders_takeovers(self) -> bool {
        !matches!(self, Self::KillNats | Self::FreezeNats | Self::KillSigner | Self::CutNodeFromNats)
    }

    /// Whether the writer is lost by it.
    pub const fn loses_writer(self) -> bool {
        matches!(self, Self::KillWriter | Self::FreezeWriter | Self::StopWriter | Self::CutWriterFromDatabases)
    }
}

/// The directions of a cut link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Both,
    There,
    Back,
}

/// A fault of the plan.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub kind: Kind,
    /// The pause before it, from the beginning of its round.
    pub after: Duration,
    /// The time for which it lasts.
    pub lasts: Duration,
    pub direction: Direction,
    /// Chooses among the hosts that it can concern.
    pub choice: u64,
}

/// The rounds of a run: in each, one to three faults at once.
pub struct Plan {
    rng: StdRng,
    /// The kinds that are still to come, if every kind is to come once; an endless plan has none.
    queue: Vec<Kind>,
    is_endless: bool,
}

impl Plan {
    /// A plan without an end. Each kind comes equally often.
    pub fn endless(seed: u64) -> Self {
        Self { rng: StdRng::seed_from_u64(seed), queue: Vec::new(), is_endless: true }
    }

    /// A plan in which each of these kinds comes once.
    pub fn once(seed: u64, kinds: &[Kind]) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut queue = kinds.to_vec();
        queue.shuffle(&mut rng);
        Self { rng, queue, is_endless: false }
    }

    /// The kinds that are still to come, each once.
    pub fn kinds_to_come(&self) -> Vec<Kind> {
        self.queue.clone()
    }

    fn kind(&mut self) -> Option<Kind> {
        if self.queue.is_empty() && self.is_endless {
            self.queue.extend(KINDS);
            self.queue.shuffle(&mut self.rng);
        }
        self.queue.pop()
    }

    fn fault(&mut self, kind: Kind) -> Fault {
        let mut millis = |from, to| Duration::from_millis(self.rng.random_range(from..to));
        let after = millis(0, 1_500);
        let lasts = match kind {
            // Within the lease, and longer than it.
            Kind::FreezeWriter | Kind::FreezeFollower | Kind::CutWriterFromDatabases => millis(500, 9_000),
            Kind::FreezePrimary | Kind::FreezeStandby | Kind::CutDatabases => millis(500, 8_000),
            Kind::PromoteStandby => millis(100, 2_000),
            Kind::CutFollowerFromDatabases | Kind::CutNodes | Kind::SlowHost | Kind::LossyLink => millis(1_000, 12_000),
            _ => millis(100, 5_000),
        };
        let direction = match self.rng.random_range(0..4) {
            0 => Direction::There,
            1 => Direction::Back,
            _ => Direction::Both,
        };
        Fault { kind, after, lasts, direction, choice: self.rng.next_u64() }
    }

    /// The pause before the next round.
    pub fn pause(&mut self) -> Duration {
        Duration::from_millis(self.rng.random_range(500..8_000))
    }
}

impl Iterator for Plan {
    type Item = Vec<Fault>;

    fn next(&mut self) -> Option<Vec<Fault>> {
        // A fault alone every other time.
        let count = [1, 1, 2, 3][self.rng.random_range(0..4)];
        let mut round = Vec::new();
        while round.len() < count {
            let Some(kind) = self.kind() else { break };
            round.push(self.fault(kind));
        }
        (!round.is_empty()).then_some(round)
    }
}
