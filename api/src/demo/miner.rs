//! The block producer of the demo's chain.

use std::time::Duration;

use actix_web::rt::task::JoinHandle;
use devchain::{ControlError, EmbeddedChain};
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use crate::clock;

/// The block producer.
pub struct Miner {
    shutdown: watch::Sender<bool>,
    mining: JoinHandle<()>,
}

impl Miner {
    /// Mines a block at the given interval.
    #[must_use]
    pub fn start(chain: EmbeddedChain, every: Duration) -> Self {
        let (shutdown, mut stopping) = watch::channel(false);
        let mining = actix_web::rt::spawn(async move {
            loop {
                tokio::select! {
                    // A dropped sender stops it, too.
                    _ = stopping.wait_for(|stop| *stop) => return,
                    () = tokio::time::sleep(every) => {}
                }
                if let Err(error) = mine_one(&chain).await {
                    tracing::error!(%error, "no more blocks are mined");
                    return;
                }
            }
        });
        Self { shutdown, mining }
    }

    /// Waits until the current block is on disk. No further block is mined.
    pub async fn stop(self) {
        // A miner that has failed no longer listens.
        let _ = self.shutdown.send(true);
        let _ = self.mining.await;
    }
}

/// Mines a block of the mempool, with the current time, and stores it.
///
/// # Errors
/// [`ControlError::Storage`] when the block cannot be written.
pub async fn mine_one(chain: &EmbeddedChain) -> Result<(), ControlError> {
    let chain = chain.clone();
    let mined = spawn_blocking(move || {
        // The 32-bit time of a block ends in the year 2106.
        chain.set_time(u32::try_from(clock::now().seconds()).unwrap_or(u32::MAX));
        chain.mine(1)?;
        chain.sync()
    });
    mined.await.unwrap_or(Err(ControlError::Storage(std::io::ErrorKind::Interrupted)))
}
