//! The frames of a socket queue, those in quick succession together: a write to the connection costs far more than a frame
//! in it.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use tokio::time::{Instant, Sleep, sleep_until};

use super::socket_queue::{Outgoing, SocketQueue};

/// The time for which deltas wait after a write, to be written together.
const DELTAS_WAIT: Duration = Duration::from_millis(20);

/// The interval of two writes below which deltas wait at all, so that a quiet channel's are sent at once.
const BUSY_INTERVAL: Duration = Duration::from_millis(40);

/// The frames of a socket queue as a stream, which ends after a close. Only deltas wait: any other frame, a lag and a close
/// are taken at once, after the deltas before them.
#[derive(Debug)]
pub struct CoalescedFrames {
    queue: SocketQueue,
    /// Whether frames were taken since the queue was last empty, which are one write.
    has_taken: bool,
    written_at: Option<Instant>,
    /// Whether deltas wait for the end of `wait`.
    is_waiting: bool,
    /// Created once the socket is busy, and used again for each wait.
    wait: Option<Pin<Box<Sleep>>>,
}

impl CoalescedFrames {
    /// Returns the frames of this queue.
    #[must_use]
    pub const fn new(queue: SocketQueue) -> Self {
        Self { queue, has_taken: false, written_at: None, is_waiting: false, wait: None }
    }

    /// Begins to wait, if the last write was shortly before this one. Returns whether it does.
    fn begin_wait(&mut self) -> bool {
        let now = Instant::now();
        self.is_waiting = self.written_at.replace(now).is_some_and(|before| now - before < BUSY_INTERVAL);
        if self.is_waiting {
            let end = now + DELTAS_WAIT;
            match &mut self.wait {
                Some(wait) => wait.as_mut().reset(end),
                None => self.wait = Some(Box::pin(sleep_until(end))),
            }
        }
        self.is_waiting
    }

    fn still_waits(&mut self, context: &mut Context<'_>) -> bool {
        self.is_waiting && self.wait.as_mut().is_some_and(|wait| wait.as_mut().poll(context).is_pending())
    }
}

impl Stream for CoalescedFrames {
    type Item = Outgoing;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Outgoing>> {
        let this = self.get_mut();
        let still_waits = this.still_waits(context);
        let action = if still_waits { this.queue.poll_unless_deltas(context) } else { this.queue.poll_action(context) };
        if action.is_ready() {
            this.is_waiting = false;
            this.has_taken = true;
        } else if !still_waits {
            this.is_waiting = false;
            if std::mem::take(&mut this.has_taken) && this.begin_wait() {
                // What was queued meanwhile waits, and the end of the wait wakes the task.
                return Pin::new(this).poll_next(context);
            }
        }
        action
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use bytestring::ByteString;
    use futures_util::{FutureExt as _, StreamExt as _};
    use tokio::sync::Semaphore;

    use super::*;
    use crate::feed::{CloseReason, Encoded, SocketQueueLimits};

    fn encoded(text: &'static str) -> Encoded {
        ByteString::from_static(text).into()
    }

    fn limits(frames_max: usize) -> SocketQueueLimits {
        SocketQueueLimits { frames_max, ..SocketQueueLimits::default() }
    }

    /// The frames that are taken now.
    fn taken(frames: &mut CoalescedFrames) -> Vec<String> {
        let frame = |outgoing| match outgoing {
            Outgoing::Frame(text) => text.to_string(),
            other => format!("{other:?}"),
        };
        std::iter::from_fn(|| frames.next().now_or_never().flatten()).map(frame).collect()
    }

    /// A queue whose frames wait: two writes were made within the interval.
    fn busy(frames_max: usize) -> (SocketQueue, CoalescedFrames) {
        let queue = SocketQueue::new(limits(frames_max));
        let mut frames = CoalescedFrames::new(queue.clone());
        for text in ["first", "second"] {
            queue.sender().push(&encoded(text));
            assert_eq!(taken(&mut frames), [text]);
        }
        (queue, frames)
    }

    #[tokio::test(start_paused = true)]
    async fn deltas_of_a_quiet_channel_are_taken_at_once() {
        let queue = SocketQueue::new(limits(99));
        let mut frames = CoalescedFrames::new(queue.clone());
        for _ in 0..5 {
            queue.sender().push(&encoded("a"));
            assert_eq!(taken(&mut frames), ["a"]);
            tokio::time::advance(BUSY_INTERVAL).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn deltas_in_quick_succession_are_taken_together_and_none_waits_longer_than_the_limit() {
        let (queue, mut frames) = busy(99);
        let start = Instant::now();
        let publish = async {
            for _ in 0..100 {
                queue.sender().push(&encoded("a"));
                tokio::time::sleep(Duration::from_millis(7)).await;
            }
            queue.close(CloseReason::Shutdown);
        };
        let read = async {
            let mut takes = Vec::new();
            while let Some(outgoing) = frames.next().await {
                takes.push((start.elapsed().as_millis() / 7, outgoing));
            }
            takes
        };
        let ((), takes) = tokio::join!(publish, read);
        let deltas = takes.iter().filter(|(_, outgoing)| matches!(outgoing, Outgoing::Frame(_)));
        let mut writes: Vec<u128> = deltas.clone().map(|(at, _)| *at).collect();
        // The close drops what waits.
        assert!((98..=100).contains(&writes.len()), "{takes:?}");
        for (number, at) in writes.iter().enumerate() {
            let waited = at - u128::try_from(number).unwrap();
            assert!(waited <= 3, "the delta {number} was taken {waited} intervals later");
        }
        writes.dedup();
        assert!(writes.len() <= 36, "{writes:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn all_other_frames_are_taken_at_once_with_the_deltas_before_them() {
        let (queue, mut frames) = busy(99);
        queue.sender().push(&encoded("delta"));
        assert!(taken(&mut frames).is_empty());
        let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        queue.push_answer(encoded("answer"), permit);
        assert_eq!(taken(&mut frames), ["delta", "answer"]);
        queue.sender().push(&encoded("delta"));
        queue.push(encoded("pong"));
        assert_eq!(taken(&mut frames), ["delta", "pong"]);
        queue.sender().push_snapshot(&encoded("snapshot"));
        assert_eq!(taken(&mut frames), ["snapshot"]);
        queue.sender().push(&encoded("delta"));
        assert!(taken(&mut frames).is_empty());
        queue.close(CloseReason::TooSlow);
        assert_eq!(taken(&mut frames), ["Closed(TooSlow)"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_queue_that_is_half_full_does_not_wait() {
        let (queue, mut frames) = busy(6);
        let wait = tokio::spawn(async move { frames.next().await.map(|first| (first, taken(&mut frames))) });
        tokio::task::yield_now().await;
        let start = Instant::now();
        for text in ["a", "b", "c"] {
            queue.sender().push(&encoded(text));
        }
        let (first, rest) = wait.await.unwrap().unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO);
        assert_eq!(
            (first, rest),
            (Outgoing::Frame(ByteString::from_static("a")), vec!["b".to_owned(), "c".to_owned()])
        );
    }

    #[tokio::test(start_paused = true)]
    async fn deltas_that_wait_wake_the_task_once_at_the_end() {
        let (queue, mut frames) = busy(99);
        let wakes = Arc::new(Wakes::default());
        let task = Arc::clone(&wakes).into();
        assert!(frames.poll_next_unpin(&mut Context::from_waker(&task)).is_pending());
        for text in ["a", "b", "c"] {
            queue.sender().push(&encoded(text));
        }
        assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
        tokio::time::sleep(DELTAS_WAIT).await;
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        assert_eq!(taken(&mut frames), ["a", "b", "c"]);
    }

    /// The number of times that a task was woken.
    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}
