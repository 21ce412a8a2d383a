//! A node's part in the cluster: it follows the journal, claims the lease when it is free, and renews it.
//!
//! A node that has lost the lease ends its process, and follows when it is started again: nothing that it decided since
//! can be written, because every append carries the epoch that the database checks.

use std::sync::Arc;
use std::time::Duration;

use engine::journal::{CommittedBatch, Position, ReplayError, SharedJournal as _};
use lending::lookups::signer_router::SignerRouter;
use persistence::{Claim, LeaseError, LeaseState, WriterLease};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout, timeout_at};

use super::announcements::{Announcement, Announcements};
use super::{Cluster, Role, WriterNode};
use crate::failure::Failure;
use crate::signer_handle::SignerHandle;

/// The times of the lease.
#[derive(Clone, Copy, Debug)]
pub struct LeaseTimes {
    /// The time after which a writer that does not renew is replaced.
    pub ttl: Duration,
    /// The interval at which the writer renews.
    pub renewal: Duration,
    /// The interval at which the others look at the lease, and at the journal in case an announcement was lost.
    pub poll: Duration,
}

impl Default for LeaseTimes {
    fn default() -> Self {
        Self { ttl: Duration::from_secs(3), renewal: Duration::from_millis(750), poll: Duration::from_millis(250) }
    }
}

/// The number of commits that are read ahead of their application.
const READ_AHEAD: usize = 256;

/// The reason why a node leaves the cluster by itself: it must start anew.
#[derive(Debug, thiserror::Error)]
pub enum LeaveReason {
    /// Another node has claimed the lease, or this one could not renew it in time.
    #[error("this node no longer holds the lease of epoch {epoch}: {reason}")]
    Deposed {
        /// The epoch of the lost lease.
        epoch: u64,
        /// The way in which that was found.
        reason: String,
    },
    /// The journal does not follow from what this node has applied, or is damaged.
    #[error("the journal cannot be followed: {0}")]
    Journal(#[from] ReplayError),
    /// The journal cannot be written.
    #[error("the journal cannot be written: {0}")]
    Begin(String),
}

/// This node's membership.
pub struct Membership {
    /// The node's view of the cluster.
    pub cluster: Arc<Cluster>,
    /// The lease.
    pub lease: Arc<WriterLease>,
    /// Its times.
    pub times: LeaseTimes,
    /// The vault signer, which refuses the servers that this one replaces.
    pub signer: SignerRouter<SignerHandle>,
}

/// Runs a statement on the lease; `None` if the database does not answer.
async fn on_lease<T: Send + 'static>(
    lease: &Arc<WriterLease>,
    run: impl FnOnce(&WriterLease) -> Result<T, LeaseError> + Send + 'static,
) -> Option<T> {
    let lease = Arc::clone(lease);
    match tokio::task::spawn_blocking(move || run(&lease)).await {
        Ok(Ok(result)) => Some(result),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the lease cannot be read at the moment");
            None
        }
        Err(error) => {
            tracing::error!(%error, "a statement on the lease has panicked");
            None
        }
    }
}

impl Membership {
    /// Follows, and later decides, until this node must start anew. `promoted` is run when it begins to decide.
    pub async fn run(&self, promoted: impl AsyncFnOnce()) -> LeaveReason {
        match self.follow_until_claimed().await {
            Ok(claim) => {
                promoted().await;
                self.hold(claim.epoch).await
            }
            Err(reason) => reason,
        }
    }

    /// Follows until this node holds the lease and decides.
    ///
    /// # Errors
    /// [`LeaveReason`].
    async fn follow_until_claimed(&self) -> Result<Claim, LeaveReason> {
        let mut announcements = None;
        let mut looked_at = None;
        loop {
            self.catch_up().await?;
            if looked_at.is_none_or(|at: Instant| at.elapsed() >= self.times.poll) {
                if let Some(claim) = self.look_at_lease().await? {
                    return Ok(claim);
                }
                looked_at = Some(Instant::now());
            }
            if announcements.is_none() {
                announcements = self.listen().await;
            }
            let until = Instant::now() + self.times.poll;
            loop {
                match next_until(&mut announcements, until).await {
                    // One that was announced before this node read the journal is old news.
                    Some(Announcement::Committed(position)) if position <= self.cluster.position() => continue,
                    Some(Announcement::Released) => looked_at = None,
                    Some(Announcement::Committed(_)) | None => {}
                }
                break;
            }
        }
    }

    async fn listen(&self) -> Option<Announcements> {
        let listening = self.cluster.announcer.as_ref()?.listen().await;
        listening.inspect_err(|failure| tracing::debug!(%failure, "announcements are not heard")).ok()
    }

    /// Applies everything that was committed meanwhile.
    async fn catch_up(&self) -> Result<(), LeaveReason> {
        let (sender, mut commits) = mpsc::channel::<CommittedBatch>(READ_AHEAD);
        let asked_at = Instant::now();
        let journal = Arc::clone(&self.cluster.journal);
        let reading = tokio::task::spawn_blocking(move || {
            // The receiver lives until the reading ends.
            journal.read_commits(&mut |commit| drop(sender.blocking_send(commit)))
        });
        while let Some(commit) = commits.recv().await {
            self.cluster.market.apply(commit).await?;
        }
        match reading.await {
            Ok(Ok(_)) => {
                self.cluster.observations().see_complete(asked_at);
                Ok(())
            }
            // The database is away: what this node has applied stays, and it reads on when it is back.
            Ok(Err(ReplayError::Storage(reason))) => {
                tracing::warn!(reason, "the journal cannot be read at the moment");
                Ok(())
            }
            Ok(Err(damaged)) => Err(damaged.into()),
            Err(panicked) => Err(ReplayError::Storage(panicked.to_string()).into()),
        }
    }

    /// Looks at the lease, and claims it if it is free; returns the claim once this node decides.
    async fn look_at_lease(&self) -> Result<Option<Claim>, LeaveReason> {
        let asked_at = Instant::now();
        let Some(state) = on_lease(&self.lease, WriterLease::observe).await else { return Ok(None) };
        self.cluster.observations().see_lease(state.epoch, state.remaining, asked_at);
        self.note_writer(&state);
        if !state.is_expired() {
            return Ok(None);
        }
        let (name, url, ttl) = (self.cluster.name.clone(), self.cluster.url.clone(), self.times.ttl);
        let asked_at = Instant::now();
        let claimed = on_lease(&self.lease, move |lease| lease.claim(&name, &url, ttl)).await;
        let Some(claim) = claimed.flatten() else { return Ok(None) };
        self.cluster.observations().see_lease(claim.epoch, ttl, asked_at);
        self.begin(claim).await?;
        Ok(Some(claim))
    }

    fn note_writer(&self, state: &LeaseState) {
        let writer = match (&state.holder, &state.address) {
            (Some(name), Some(url)) => Some(WriterNode { name: name.clone(), url: url.clone(), epoch: state.epoch }),
            _ => None,
        };
        self.cluster.writer.send_if_modified(|known| {
            let is_new = *known != writer;
            *known = writer;
            is_new
        });
    }

    /// Reads the journal to its end and begins to decide.
    async fn begin(&self, claim: Claim) -> Result<(), LeaveReason> {
        tracing::info!(epoch = claim.epoch, position = claim.position, "this node has the lease");
        let claimed_at = Instant::now();
        while self.cluster.journal.position() < Position(claim.position) {
            self.catch_up().await?;
            self.renew_or_leave(claim.epoch, claimed_at).await?;
        }
        let journal = Arc::clone(&self.cluster.journal);
        let begun = tokio::task::spawn_blocking(move || journal.begin_writing(claim.epoch)).await;
        begun
            .map_err(|error| LeaveReason::Begin(error.to_string()))?
            .map_err(|error| LeaveReason::Begin(error.to_string()))?;
        self.signer.ports().for_each(|signer| signer.set_epoch(claim.epoch));
        self.cluster.market.begin_deciding().await;
        self.cluster.role.send_replace(Role::Writer { epoch: claim.epoch });
        let (name, url) = (self.cluster.name.clone(), self.cluster.url.clone());
        self.cluster.writer.send_replace(Some(WriterNode { name, url, epoch: claim.epoch }));
        Ok(())
    }

    /// Renews the lease until it is lost.
    async fn hold(&self, epoch: u64) -> LeaveReason {
        let announcing = self.announce_commits();
        tokio::pin!(announcing);
        let mut renewals = interval(self.times.renewal);
        renewals.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut renewed_at = Instant::now();
        loop {
            tokio::select! {
                () = &mut announcing => {}
                _ = renewals.tick() => {}
            }
            let renewed = self.renew_or_leave(epoch, renewed_at).await;
            if self.cluster.role() == Role::Leaving {
                // The lease is given back by the stop of the server.
                std::future::pending::<()>().await;
            }
            match renewed {
                Ok(true) => renewed_at = Instant::now(),
                Ok(false) => {}
                Err(reason) => return reason,
            }
        }
    }

    /// Renews the lease; returns whether it is renewed, and fails if it is lost.
    async fn renew_or_leave(&self, epoch: u64, renewed_at: Instant) -> Result<bool, LeaveReason> {
        let ttl = self.times.ttl;
        let deposed = |reason: String| Err(LeaveReason::Deposed { epoch, reason });
        let asked_at = Instant::now();
        match on_lease(&self.lease, move |lease| lease.renew(epoch, ttl)).await {
            Some(true) => {
                self.cluster.observations().see_lease(epoch, ttl, asked_at);
                Ok(true)
            }
            Some(false) => deposed("another node has claimed it".to_owned()),
            None if renewed_at.elapsed() > ttl => deposed(format!("it was not renewed for {} s", ttl.as_secs_f32())),
            None => Ok(false),
        }
    }

    /// Announces every commit; several at once if they are faster.
    async fn announce_commits(&self) {
        let Some(announcer) = &self.cluster.announcer else { return std::future::pending().await };
        let mut committed = self.cluster.journal.stats().committed_position();
        while committed.changed().await.is_ok() {
            let position = Position(*committed.borrow_and_update());
            announcer.announce(Announcement::Committed(position)).await;
        }
        std::future::pending::<()>().await;
    }

    /// Hands the lease over: this node decides no more, and everything that it decided is durable and answered.
    ///
    /// # Errors
    /// If the lease could not be given back; it lapses then.
    pub async fn hand_over(&self) -> Result<(), Failure> {
        let Role::Writer { epoch } = self.cluster.role() else { return Ok(()) };
        let journal = Arc::clone(&self.cluster.journal);
        self.cluster.market.stop_deciding(|| journal.position()).await;
        self.cluster.role.send_replace(Role::Leaving);
        self.cluster.writer.send_replace(None);
        let closing = Arc::clone(&self.cluster.journal);
        tokio::task::spawn_blocking(move || closing.close()).await.map_err(Failure::new)?;
        let released = on_lease(&self.lease, move |lease| lease.release(epoch, None)).await;
        if let Some(announcer) = &self.cluster.announcer {
            announcer.announce_last(Announcement::Released).await;
        }
        if released == Some(true) { Ok(()) } else { Err(Failure::new("the lease could not be given back")) }
    }

    /// Resolves once another node holds the lease, or after a time.
    pub async fn wait_for_successor(&self, time: Duration) {
        let found = async {
            loop {
                if let Some(state) = on_lease(&self.lease, WriterLease::observe).await {
                    self.note_writer(&state);
                    if state.holder.is_some_and(|holder| holder != self.cluster.name) {
                        // Until every other node has found it, too, and sends nothing here any more.
                        return sleep(self.times.poll * 2).await;
                    }
                }
                sleep(self.times.poll / 2).await;
            }
        };
        let _ = timeout(time, found).await;
    }
}

/// The next announcement, if there is one in time.
async fn next_until(announcements: &mut Option<Announcements>, until: Instant) -> Option<Announcement> {
    let Some(open) = announcements else {
        sleep_until(until).await;
        return None;
    };
    match timeout_at(until, open.next()).await {
        Ok(None) => {
            *announcements = None;
            None
        }
        Ok(announcement) => announcement,
        Err(_) => None,
    }
}
