//! The socket queue: the bounded queue between the publishers and one socket.

#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use bytestring::ByteString;
use futures_util::Stream;
use tokio::sync::OwnedSemaphorePermit;

use super::encoding::{Encoded, Encoding};
use crate::locks::MutexExt as _;

/// The limits on what one socket may leave unread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketQueueLimits {
    /// The maximum number of frames.
    pub frames_max: usize,
    /// The maximum number of bytes of deltas. Shared snapshots count as frames only, private ones have a limit of their
    /// own.
    pub bytes_max: usize,
    /// The maximum number of overflows without the queue having been empty in between; beyond it the queue is closed.
    pub lags_max: u32,
}

/// The maximum number of bytes of private snapshots, which no two sockets share, that one socket may leave unread; some
/// 4,000 offers.
pub(crate) const PRIVATE_BYTES_MAX: usize = 4 * 1_024 * 1_024;

impl Default for SocketQueueLimits {
    fn default() -> Self {
        Self { frames_max: 256, bytes_max: 512 * 1_024, lags_max: 3 }
    }
}

/// The reason why a socket must be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// It kept falling behind (close code 1013).
    TooSlow,
    /// The market is shutting down (close code 1001).
    Shutdown,
    /// The session behind it ended (close code 1008).
    SignedOut,
    /// No heartbeat arrived in the time that the client has set (close code 1008).
    NoHeartbeat,
}

/// The next action of a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outgoing {
    /// Send this text.
    Frame(ByteString),
    /// Send these bytes.
    Binary(Bytes),
    /// Everything queued but answers was dropped and every subscription has ended: subscribe again for fresh snapshots.
    Lagged,
    /// Close the socket.
    Closed(CloseReason),
}

/// The kind of a frame, which determines the limit that it counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Delta,
    SharedSnapshot,
    PrivateSnapshot,
    /// An answer to commands: never dropped while the socket is open, because nothing repeats it.
    Answer,
}

/// A frame that waits for its socket.
#[derive(Debug)]
struct QueuedFrame {
    frame: Encoded,
    kind: Kind,
    /// The permit of an answer, returned when the socket takes the frame.
    _permit: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
struct Queue {
    frames: VecDeque<QueuedFrame>,
    /// The bytes of queued deltas.
    bytes: usize,
    private_bytes: usize,
    /// The number of queued answers.
    answers: usize,
    /// The current generation; subscriptions of earlier generations have ended.
    generation: u64,
    has_lagged: bool,
    lags: u32,
    close: Option<CloseReason>,
    waker: Option<Waker>,
}

#[derive(Debug)]
struct Shared {
    limits: SocketQueueLimits,
    encoding: Encoding,
    queue: Mutex<Queue>,
    /// Read without the lock by publishers that remove closed subscribers.
    is_closed: AtomicBool,
}

/// The queue of one socket. Clones share it; the socket reads it as a stream, which ends after a close.
#[derive(Clone, Debug)]
pub struct SocketQueue(Arc<Shared>);

/// The right to push frames into a socket queue until it lags or closes.
#[derive(Clone, Debug)]
pub(crate) struct SubscriptionSender {
    socket_queue: SocketQueue,
    generation: u64,
}

/// The outcome of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PushOutcome {
    /// It is queued.
    Queued,
    /// The queue overflowed now; the subscription has ended.
    Lagged,
    /// The subscription had ended before.
    Ended,
}

impl SocketQueue {
    /// An empty queue of JSON frames.
    #[must_use]
    pub fn new(limits: SocketQueueLimits) -> Self {
        Self::with_encoding(limits, Encoding::Json)
    }

    /// An empty queue of frames in this encoding.
    #[must_use]
    pub fn with_encoding(limits: SocketQueueLimits, encoding: Encoding) -> Self {
        let queue = Queue {
            frames: VecDeque::new(),
            bytes: 0,
            private_bytes: 0,
            answers: 0,
            generation: 0,
            has_lagged: false,
            lags: 0,
            close: None,
            waker: None,
        };
        Self(Arc::new(Shared { limits, encoding, queue: Mutex::new(queue), is_closed: AtomicBool::new(false) }))
    }

    /// The encoding of its frames.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.0.encoding
    }

    /// Queues a frame outside any subscription, such as a pong or an error; it overflows like any other.
    pub fn push(&self, frame: Encoded) {
        let generation = self.queue().generation;
        self.push_as(generation, frame, Kind::Delta);
    }

    /// Queues an answer to commands. It counts against no limit: the sender has a permit of a limit of its own, which is
    /// returned once the socket takes the frame or closes. Dropped if the socket has closed.
    pub fn push_answer(&self, frame: Encoded, permit: OwnedSemaphorePermit) {
        let mut queue = self.queue();
        if !self.is_closed() {
            queue.answers += 1;
            queue.frames.push_back(QueuedFrame { frame, kind: Kind::Answer, _permit: Some(permit) });
            wake(queue);
        }
    }

    /// Drops everything queued and closes the socket.
    pub fn close(&self, reason: CloseReason) {
        let mut queue = self.queue();
        self.close_locked(&mut queue, reason);
        wake(queue);
    }

    /// Whether the socket has been closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.is_closed.load(Ordering::Acquire)
    }

    /// Takes the next action, waiting for it.
    pub fn poll_action(&self, context: &mut Context<'_>) -> Poll<Option<Outgoing>> {
        let mut queue = self.queue();
        if let Some(reason) = queue.close.take() {
            return Poll::Ready(Some(Outgoing::Closed(reason)));
        }
        if self.is_closed() {
            return Poll::Ready(None);
        }
        if queue.has_lagged {
            queue.has_lagged = false;
            return Poll::Ready(Some(Outgoing::Lagged));
        }
        if let Some(QueuedFrame { frame, kind, .. }) = queue.frames.pop_front() {
            match kind {
                Kind::Delta => queue.bytes -= frame.len(),
                Kind::PrivateSnapshot => queue.private_bytes -= frame.len(),
                Kind::SharedSnapshot => {}
                Kind::Answer => queue.answers -= 1,
            }
            if queue.frames.is_empty() {
                queue.lags = 0;
            }
            return Poll::Ready(Some(match frame {
                Encoded::Text(text) => Outgoing::Frame(text),
                Encoded::Binary(bytes) => Outgoing::Binary(bytes),
            }));
        }
        queue.waker = Some(context.waker().clone());
        Poll::Pending
    }

    /// Returns a sender for a new subscription.
    pub(crate) fn sender(&self) -> SubscriptionSender {
        let generation = self.queue().generation;
        SubscriptionSender { socket_queue: self.clone(), generation }
    }

    fn push_as(&self, generation: u64, frame: Encoded, kind: Kind) -> PushOutcome {
        let mut queue = self.queue();
        if queue.generation != generation || self.is_closed() {
            return PushOutcome::Ended;
        }
        let (bytes, private_bytes) = match kind {
            Kind::Delta => (frame.len(), 0),
            Kind::PrivateSnapshot => (0, frame.len()),
            Kind::SharedSnapshot | Kind::Answer => (0, 0),
        };
        let limits = &self.0.limits;
        // A new subscription would yield the same snapshot, so a lag cannot help: the socket is closed.
        if queue.private_bytes + private_bytes > PRIVATE_BYTES_MAX {
            self.close_locked(&mut queue, CloseReason::TooSlow);
            wake(queue);
            return PushOutcome::Lagged;
        }
        let counted = queue.frames.len() - queue.answers;
        if counted >= limits.frames_max || queue.bytes + bytes > limits.bytes_max {
            queue.end_subscriptions();
            queue.has_lagged = true;
            queue.lags += 1;
            if queue.lags > limits.lags_max {
                self.close_locked(&mut queue, CloseReason::TooSlow);
            }
            wake(queue);
            return PushOutcome::Lagged;
        }
        queue.bytes += bytes;
        queue.private_bytes += private_bytes;
        queue.frames.push_back(QueuedFrame { frame, kind, _permit: None });
        wake(queue);
        PushOutcome::Queued
    }

    fn close_locked(&self, queue: &mut Queue, reason: CloseReason) {
        if !self.0.is_closed.swap(true, Ordering::AcqRel) {
            queue.close = Some(reason);
        }
        queue.end_subscriptions();
        queue.frames.clear();
        queue.answers = 0;
        queue.frames.shrink_to_fit();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock_unpoisoned()
    }
}

impl Queue {
    /// Drops everything queued but answers, and ends the subscriptions of this generation.
    fn end_subscriptions(&mut self) {
        self.frames.retain(|queued| queued.kind == Kind::Answer);
        self.bytes = 0;
        self.private_bytes = 0;
        self.generation += 1;
    }
}

/// Wakes the socket after releasing the queue's lock, which the woken thread needs at once.
fn wake(mut queue: MutexGuard<'_, Queue>) {
    let waker = queue.waker.take();
    drop(queue);
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl SubscriptionSender {
    /// The encoding of the socket.
    pub(crate) fn encoding(&self) -> Encoding {
        self.socket_queue.encoding()
    }

    /// Queues a delta.
    pub(crate) fn push(&self, frame: &Encoded) -> PushOutcome {
        self.socket_queue.push_as(self.generation, frame.clone(), Kind::Delta)
    }

    /// Queues a snapshot that is shared with other sockets.
    pub(crate) fn push_snapshot(&self, frame: &Encoded) -> PushOutcome {
        self.socket_queue.push_as(self.generation, frame.clone(), Kind::SharedSnapshot)
    }

    /// Queues a snapshot for this socket only; one that does not fit closes the socket.
    pub(crate) fn push_private_snapshot(&self, frame: &Encoded) -> PushOutcome {
        self.socket_queue.push_as(self.generation, frame.clone(), Kind::PrivateSnapshot)
    }

    /// Closes the socket.
    pub(crate) fn close(&self, reason: CloseReason) {
        self.socket_queue.close(reason);
    }
}

impl Stream for SocketQueue {
    type Item = Outgoing;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Outgoing>> {
        self.poll_action(context)
    }
}
