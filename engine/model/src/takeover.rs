//! Nodes of a cluster that take the writer's place from each other: lease, epochs, the writer's row, delayed messages, lost
//! answers, and a writer that was frozen and wakes.
//!
//! Time is not counted: the lease can expire whenever a node holds it, and a node can do nothing for any time.

pub mod commit;
pub mod database;
pub mod faults;
pub mod node;
pub mod signer_epoch;

use stateright::{Model, Property};

use self::commit::{Acknowledged, Append, Commit};
use self::database::{Database, Fence};
use self::faults::Fault;
use self::node::{Node, Role};
use self::signer_epoch::SignerEpoch;

/// A cluster, and what is explored of it.
#[derive(Clone, Debug)]
pub struct Takeover {
    /// The number of nodes.
    pub nodes: usize,
    /// The highest epoch.
    pub epochs_max: u8,
    /// The number of commits that are sent.
    pub commits_max: u8,
    /// Whether answers of the database are lost, messages are delivered twice, and the standby is promoted.
    pub is_lossy: bool,
    /// Whether nodes crash and hand over.
    pub crashes: bool,
    /// Whether writers ask the signer.
    pub signs: bool,
    /// The rule that is not kept.
    pub fault: Option<Fault>,
}

/// The state of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TakeoverState {
    /// The database.
    pub database: Database,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The appends that were sent and may still arrive, in order of their numbers.
    pub messages: Vec<Append>,
    /// The commits that were acknowledged to clients, in order of their numbers.
    pub acknowledged: Vec<Acknowledged>,
    /// The number of commits sent so far.
    pub sent: u8,
    /// The epoch by which the signer refuses.
    pub signer: SignerEpoch,
    /// The highest epoch that asked the signer, and the epoch of the latest signature.
    pub signed: (u8, u8),
}

/// A step. Nodes are meant by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeoverAction {
    /// The lease expires by the database's clock.
    Expire,
    /// A node claims the lease.
    Claim {
        /// The node.
        node: usize,
        /// Whether the answer arrives.
        is_answered: bool,
    },
    /// A writer renews its lease.
    Renew(usize),
    /// A node reads the journal to its end.
    Read(usize),
    /// A node that has claimed begins to write.
    Begin(usize),
    /// A writer decides a commit and sends it.
    Send(usize),
    /// The append of a commit arrives at the database.
    Arrive {
        /// The number of the commit.
        number: u8,
        /// Whether the answer arrives.
        is_answered: bool,
    },
    /// The synchronous standby has the commit that waits for it.
    Replicate,
    /// The primary fails, and its standby takes its place.
    Promote,
    /// A writer that has no answer asks for the outcome.
    Resolve(usize),
    /// A writer hands over.
    Release(usize),
    /// A node's process ends and starts again.
    Crash(usize),
    /// A node asks the signer for a signature.
    AskSigner(usize),
}

/// The names of the properties.
pub mod property {
    /// The order of epochs.
    pub const EPOCHS_RISE: &str = "the epochs of commits never fall";
    /// One writer an epoch.
    pub const ONE_WRITER: &str = "the commits of an epoch are of one node";
    /// The fence.
    pub const FENCED: &str = "after a claim no commit of an earlier epoch is appended";
    /// Nothing acknowledged is lost.
    pub const KEPT: &str = "an acknowledged commit is in the journal, at its place";
    /// Nothing is doubled.
    pub const ONCE: &str = "no commit is appended twice";
    /// A writer knows everything.
    pub const HAS_READ: &str = "a writer of the latest epoch has read all commits of earlier ones";
    /// The signer's fence.
    pub const SIGNS_FOR_LATEST: &str = "the signer signs for no server after it has heard of a later one";
    /// The model takes over.
    pub const TAKES_OVER: &str = "a second node appends after the first one's commit was acknowledged";
}

impl TakeoverState {
    fn send(&mut self, append: Append) {
        if let Err(place) = self.messages.binary_search(&append) {
            self.messages.insert(place, append);
        }
    }

    fn acknowledge(&mut self, commit: Commit, position: u8) {
        let acknowledged = Acknowledged { commit, position };
        if let Err(place) = self.acknowledged.binary_search(&acknowledged) {
            self.acknowledged.insert(place, acknowledged);
        }
    }
}

impl Takeover {
    fn after(&self, mut state: TakeoverState, action: TakeoverAction) -> Option<TakeoverState> {
        let fault = self.fault;
        match action {
            TakeoverAction::Expire => state.database.expire()?,
            TakeoverAction::Claim { node, is_answered } => {
                if state.nodes[node].role != Role::Following || state.database.lease_epoch >= self.epochs_max {
                    return None;
                }
                let claim = state.database.claim(node, fault)?;
                if is_answered {
                    state.nodes[node].role = Role::Claimed { epoch: claim.epoch, position: claim.position };
                }
            }
            TakeoverAction::Renew(node) => {
                let epoch = state.nodes[node].epoch()?;
                if !state.database.renew(epoch) {
                    state.nodes[node].restart();
                }
            }
            TakeoverAction::Read(node) => {
                let end = state.database.position();
                let node = &mut state.nodes[node];
                if !node.reads() || node.read == end {
                    return None;
                }
                node.read = end;
            }
            TakeoverAction::Begin(node) => {
                let Role::Claimed { epoch, position } = state.nodes[node].role else { return None };
                let fence = state.database.fence(epoch)?;
                match state.nodes[node].begin(epoch, position, fence, fault) {
                    Ok(()) => {}
                    Err(()) if fence == Fence::Lost => state.nodes[node].restart(),
                    Err(()) => return None,
                }
            }
            TakeoverAction::Send(node) => {
                let Role::Writing { epoch } = state.nodes[node].role else { return None };
                if state.sent >= self.commits_max || state.nodes[node].waiting.is_some() {
                    return None;
                }
                let commit = Commit { number: state.sent, epoch, node };
                let append = Append { commit, after: state.nodes[node].read };
                state.sent += 1;
                state.nodes[node].waiting = Some(append);
                state.send(append);
            }
            TakeoverAction::Arrive { number, is_answered } => return self.arrive(state, number, is_answered),
            TakeoverAction::Replicate => {
                let (append, is_connected) = state.database.replicate()?;
                if is_connected {
                    state.answer(append);
                }
            }
            TakeoverAction::Promote => {
                state.database.promote()?;
            }
            TakeoverAction::Resolve(node) => {
                let append = state.nodes[node].waiting.filter(|_| state.nodes[node].is_writing())?;
                let fence = state.database.fence(append.commit.epoch)?;
                state = state.resolved(node, append, fence);
            }
            TakeoverAction::Release(node) => {
                let Role::Writing { epoch } = state.nodes[node].role else { return None };
                if state.nodes[node].waiting.is_some() {
                    return None;
                }
                state.database.release(epoch);
                state.nodes[node].restart();
            }
            TakeoverAction::Crash(node) => {
                if state.nodes[node] == Node::default() {
                    return None;
                }
                state.nodes[node].restart();
            }
            TakeoverAction::AskSigner(node) => {
                let Role::Writing { epoch } = state.nodes[node].role else { return None };
                let heard = state.signed.0.max(epoch);
                match state.signer.after(Some(epoch), false) {
                    Some(signer) => (state.signer, state.signed) = (signer, (heard, epoch)),
                    None if fault == Some(Fault::SignerIgnoresEpochs) => state.signed = (heard, epoch),
                    None => return None,
                }
            }
        }
        Some(state)
    }

    fn arrive(&self, mut state: TakeoverState, number: u8, is_answered: bool) -> Option<TakeoverState> {
        let place = state.messages.iter().position(|append| append.commit.number == number)?;
        let append = state.messages[place];
        if state.database.is_locked() {
            return None;
        }
        // A message that may arrive twice stays; its answer is that of the first.
        if is_answered || !self.is_lossy {
            state.messages.remove(place);
        }
        let is_appended = state.database.append(append, self.is_lossy, self.fault);
        if is_appended && is_answered && (!self.is_lossy || self.fault == Some(Fault::AnswersBeforeReplication)) {
            state.answer(append);
        }
        if is_appended && !is_answered {
            state.database.forget_answer();
        }
        Some(state)
    }

    fn is_possible(&self, action: TakeoverAction) -> bool {
        match action {
            TakeoverAction::Claim { is_answered, .. } | TakeoverAction::Arrive { is_answered, .. } => {
                is_answered || self.is_lossy
            }
            TakeoverAction::Replicate | TakeoverAction::Promote => self.is_lossy,
            TakeoverAction::Crash(_) | TakeoverAction::Release(_) => self.crashes,
            TakeoverAction::AskSigner(_) => self.signs,
            _ => true,
        }
    }

    /// Every step that some state allows.
    #[must_use]
    pub fn all_actions(&self) -> Vec<TakeoverAction> {
        let mut all = vec![TakeoverAction::Expire, TakeoverAction::Replicate, TakeoverAction::Promote];
        for node in 0..self.nodes {
            all.extend([true, false].map(|is_answered| TakeoverAction::Claim { node, is_answered }));
            all.extend(
                [
                    TakeoverAction::Renew,
                    TakeoverAction::Read,
                    TakeoverAction::Begin,
                    TakeoverAction::Send,
                    TakeoverAction::Resolve,
                    TakeoverAction::Release,
                    TakeoverAction::Crash,
                    TakeoverAction::AskSigner,
                ]
                .map(|of| of(node)),
            );
        }
        for number in 0..self.commits_max {
            all.extend([true, false].map(|is_answered| TakeoverAction::Arrive { number, is_answered }));
        }
        all.retain(|action| self.is_possible(*action));
        all
    }
}

impl TakeoverState {
    /// Gives the database's answer to the writer that waits for it: the commit is durable, and its client gets an answer.
    fn answer(&mut self, append: Append) {
        let node = &mut self.nodes[append.commit.node];
        if node.is_writing() && node.waiting == Some(append) {
            node.waiting = None;
            node.read = append.after + 1;
            self.acknowledge(append.commit, append.after);
        }
    }

    /// The state once a writer knows the writer's row.
    fn resolved(mut self, node: usize, append: Append, fence: Fence) -> Self {
        match fence {
            Fence::Held(position) if position == append.after + 1 => {
                let is_own = self.database.commits.get(usize::from(append.after)) == Some(&append.commit);
                if is_own {
                    self.answer(append);
                } else {
                    self.nodes[node].restart();
                }
            }
            Fence::Held(position) if position == append.after => self.send(append),
            Fence::Held(_) | Fence::Lost => self.nodes[node].restart(),
        }
        self
    }
}

impl Model for Takeover {
    type State = TakeoverState;
    type Action = TakeoverAction;

    fn init_states(&self) -> Vec<TakeoverState> {
        vec![TakeoverState {
            database: Database::default(),
            nodes: vec![Node::default(); self.nodes],
            messages: Vec::new(),
            acknowledged: Vec::new(),
            sent: 0,
            signer: SignerEpoch::default(),
            signed: (0, 0),
        }]
    }

    fn actions(&self, state: &TakeoverState, actions: &mut Vec<TakeoverAction>) {
        let leads_on = |action: &TakeoverAction| self.after(state.clone(), *action).is_some_and(|next| next != *state);
        actions.extend(self.all_actions().into_iter().filter(leads_on));
    }

    fn next_state(&self, state: &TakeoverState, action: TakeoverAction) -> Option<TakeoverState> {
        self.after(state.clone(), action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(property::EPOCHS_RISE, |_, state: &TakeoverState| {
                state.database.commits.is_sorted_by_key(|commit| commit.epoch)
            }),
            Property::always(property::ONE_WRITER, |_, state: &TakeoverState| {
                let commits = &state.database.commits;
                commits.windows(2).all(|pair| pair[0].epoch != pair[1].epoch || pair[0].node == pair[1].node)
            }),
            Property::always(property::FENCED, |_, state: &TakeoverState| {
                let mut commits = (0_u8..).zip(&state.database.commits);
                commits.all(|(place, commit)| {
                    let later = state.database.claims.iter().filter(|claim| claim.epoch > commit.epoch);
                    later.into_iter().all(|claim| place < claim.position)
                })
            }),
            Property::always(property::KEPT, |_, state: &TakeoverState| {
                let at = |position: u8| state.database.commits.get(usize::from(position));
                state.acknowledged.iter().all(|one| at(one.position) == Some(&one.commit))
            }),
            Property::always(property::ONCE, |_, state: &TakeoverState| {
                let commits = &state.database.commits;
                commits.iter().all(|one| commits.iter().filter(|other| one.number == other.number).count() == 1)
            }),
            Property::always(property::HAS_READ, |_, state: &TakeoverState| {
                let commits = &state.database.commits;
                state.nodes.iter().all(|node| match node.role {
                    Role::Writing { epoch } if epoch == state.database.writer_epoch => {
                        commits.iter().filter(|commit| commit.epoch < epoch).count() <= usize::from(node.read)
                    }
                    _ => true,
                })
            }),
            Property::always(property::SIGNS_FOR_LATEST, |_, state: &TakeoverState| state.signed.0 == state.signed.1),
            Property::sometimes(property::TAKES_OVER, |_, state: &TakeoverState| {
                let appended = |node: usize| state.database.commits.iter().any(|commit| commit.node == node);
                state.acknowledged.iter().any(|one| one.commit.node == 0) && appended(1)
            }),
        ]
    }
}
