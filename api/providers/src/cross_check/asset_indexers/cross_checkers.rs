//! Independent indexers that cross-check collateral before it is pledged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::sync::Mutex;

use crate::capability::{HasHeight, UpstreamFuture};
use crate::resilience::FallbackList;

/// The time for which an indexer that lags is not waited for again: long enough to check everything that is pledged
/// together.
const SYNC_CHECK_TTL: Duration = Duration::from_secs(10);

/// Whether an indexer had read a block, and when that was found out.
#[derive(Clone, Copy, Debug)]
struct SyncCheck {
    tip: u32,
    at: Instant,
    is_synced: bool,
}

/// Cross-check indexers, and whether each has read the node's tip.
pub(super) struct CrossCheckers<C: ?Sized> {
    pub(super) upstreams: FallbackList<C>,
    sync_checks: Vec<Mutex<Option<SyncCheck>>>,
}

impl<C: HasHeight + ?Sized> CrossCheckers<C> {
    pub(super) fn of(upstreams: FallbackList<C>) -> Self {
        let sync_checks = upstreams.members().iter().map(|_| Mutex::default()).collect();
        Self { upstreams, sync_checks }
    }

    /// Returns the answer of each indexer that has read the node's tip (which is waited for) and answers.
    pub(super) async fn responses<'a, T>(
        &'a self,
        tip: u32,
        ask: impl Fn(&'a C) -> UpstreamFuture<'a, T> + Send + Sync,
    ) -> Vec<(&'a str, T)> {
        let asked = self.upstreams.members().iter().zip(&self.sync_checks).map(|(member, sync_check)| {
            let ask = &ask;
            async move {
                if !self.is_synced(member, sync_check, tip).await {
                    return None;
                }
                match ask(member).await {
                    Ok(answer) => Some((member.name(), answer)),
                    Err(error) => {
                        self.upstreams.count_fallback(member, &error);
                        None
                    }
                }
            }
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Returns whether an indexer has read a block. One that lags is waited for once, however many callers ask.
    async fn is_synced(&self, member: &Arc<C>, sync_check: &Mutex<Option<SyncCheck>>, tip: u32) -> bool {
        let mut sync_check = sync_check.lock().await;
        if let Some(known) = *sync_check
            && known.tip == tip
            && (known.is_synced || known.at.elapsed() < SYNC_CHECK_TTL)
        {
            return known.is_synced;
        }
        let synced = self.upstreams.wait_until_synced(member, tip, tip).await;
        if let Err(error) = &synced {
            self.upstreams.count_fallback(member, error);
        }
        *sync_check = Some(SyncCheck { tip, at: Instant::now(), is_synced: synced.is_ok() });
        synced.is_ok()
    }
}
