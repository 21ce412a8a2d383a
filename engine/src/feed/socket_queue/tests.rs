//! Tests of the queue of a socket.

use super::*;

fn socket_queue(frames_max: usize, bytes_max: usize) -> SocketQueue {
    SocketQueue::new(SocketQueueLimits { frames_max, bytes_max, lags_max: 2 })
}

fn take(socket_queue: &SocketQueue) -> Option<Outgoing> {
    match socket_queue.poll_action(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outgoing) => outgoing,
        Poll::Pending => None,
    }
}

fn frame(text: &'static str) -> ByteString {
    ByteString::from_static(text)
}

fn encoded(text: &'static str) -> Encoded {
    frame(text).into()
}

#[test]
fn frames_leave_in_the_order_in_which_they_came() {
    let socket_queue = socket_queue(2, 100);
    let sender = socket_queue.sender();
    assert_eq!((sender.push(&encoded("a")), sender.push(&encoded("b"))), (PushOutcome::Queued, PushOutcome::Queued));
    assert_eq!(take(&socket_queue), Some(Outgoing::Frame(frame("a"))));
    assert_eq!(take(&socket_queue), Some(Outgoing::Frame(frame("b"))));
    assert_eq!(take(&socket_queue), None);
}

#[test]
fn a_queue_full_of_frames_or_bytes_is_dropped_and_its_subscriptions_end() {
    for (socket_queue, extra) in [(socket_queue(2, 100), "c"), (socket_queue(9, 3), "too long")] {
        let sender = socket_queue.sender();
        sender.push(&encoded("a"));
        sender.push(&encoded("b"));
        assert_eq!(sender.push(&encoded(extra)), PushOutcome::Lagged);
        assert_eq!(sender.push(&encoded("d")), PushOutcome::Ended);
        assert_eq!(take(&socket_queue), Some(Outgoing::Lagged));
        assert_eq!(take(&socket_queue), None);
        assert_eq!(socket_queue.sender().push(&encoded("e")), PushOutcome::Queued);
        assert_eq!(sender.push(&encoded("f")), PushOutcome::Ended);
    }
}

#[test]
fn answers_outlast_a_lag_and_return_their_permits_when_they_are_taken() {
    let socket_queue = socket_queue(2, 100);
    let permits = Arc::new(tokio::sync::Semaphore::new(2));
    let answer = |text| socket_queue.push_answer(encoded(text), Arc::clone(&permits).try_acquire_owned().unwrap());
    let sender = socket_queue.sender();
    answer("first");
    sender.push(&encoded("a"));
    assert_eq!(sender.push(&encoded("b")), PushOutcome::Queued);
    assert_eq!(sender.push(&encoded("c")), PushOutcome::Lagged);
    answer("second");
    assert_eq!(permits.available_permits(), 0);
    assert_eq!(take(&socket_queue), Some(Outgoing::Lagged));
    assert_eq!(take(&socket_queue), Some(Outgoing::Frame(frame("first"))));
    assert_eq!(permits.available_permits(), 1);
    answer("third");
    socket_queue.close(CloseReason::NoHeartbeat);
    assert_eq!(permits.available_permits(), 2);
    answer("fourth");
    assert_eq!(take(&socket_queue), Some(Outgoing::Closed(CloseReason::NoHeartbeat)));
    assert_eq!((take(&socket_queue), permits.available_permits()), (None, 2));
}

#[test]
fn snapshots_count_as_frames_but_not_as_bytes() {
    let socket_queue = socket_queue(3, 4);
    let sender = socket_queue.sender();
    assert_eq!(sender.push_snapshot(&encoded("a long snapshot")), PushOutcome::Queued);
    assert_eq!(sender.push(&encoded("four")), PushOutcome::Queued);
    assert_eq!(sender.push_snapshot(&encoded("another snapshot")), PushOutcome::Queued);
    assert_eq!(sender.push_snapshot(&encoded("one too many")), PushOutcome::Lagged);
}

#[test]
fn a_private_snapshot_beyond_the_unread_limit_closes_the_socket() {
    let half = Encoded::from(ByteString::from("x".repeat(PRIVATE_BYTES_MAX / 2)));
    let socket_queue = socket_queue(9, 4);
    let sender = socket_queue.sender();
    for _ in 0..5 {
        assert_eq!(sender.push_private_snapshot(&half), PushOutcome::Queued);
        assert!(matches!(take(&socket_queue), Some(Outgoing::Frame(_))));
    }
    assert_eq!(
        (sender.push_private_snapshot(&half), sender.push_private_snapshot(&half)),
        (PushOutcome::Queued, PushOutcome::Queued)
    );
    assert_eq!(sender.push_private_snapshot(&encoded("x")), PushOutcome::Lagged);
    assert_eq!(take(&socket_queue), Some(Outgoing::Closed(CloseReason::TooSlow)));
    assert_eq!(take(&socket_queue), None);
}

#[test]
fn only_lagging_without_ever_catching_up_closes_the_socket() {
    let socket_queue = socket_queue(1, 100);
    let lag = || {
        let sender = socket_queue.sender();
        sender.push(&encoded("a"));
        assert_eq!(sender.push(&encoded("b")), PushOutcome::Lagged);
    };
    for _ in 0..5 {
        lag();
        assert_eq!(take(&socket_queue), Some(Outgoing::Lagged));
        socket_queue.push(encoded("read in time"));
        assert!(matches!(take(&socket_queue), Some(Outgoing::Frame(_))));
    }
    lag();
    lag();
    lag();
    assert!(socket_queue.is_closed());
    assert_eq!(take(&socket_queue), Some(Outgoing::Closed(CloseReason::TooSlow)));
    assert_eq!(take(&socket_queue), None);
    assert_eq!(socket_queue.sender().push(&encoded("z")), PushOutcome::Ended);
}

#[tokio::test]
async fn a_waiting_socket_is_woken_by_a_frame_and_by_the_end() {
    use futures_util::StreamExt;
    let socket_queue = socket_queue(9, 100);
    let mut socket = socket_queue.clone();
    let reading = tokio::spawn(async move { (socket.next().await, socket.next().await, socket.next().await) });
    tokio::task::yield_now().await;
    socket_queue.push(encoded("a"));
    tokio::task::yield_now().await;
    socket_queue.close(CloseReason::Shutdown);
    socket_queue.close(CloseReason::TooSlow);
    let read = reading.await.unwrap();
    assert_eq!(read, (Some(Outgoing::Frame(frame("a"))), Some(Outgoing::Closed(CloseReason::Shutdown)), None));
}
