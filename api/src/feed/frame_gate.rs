//! A gate that passes a client's frames one at a time, and refuses one whose declared length is too large.
//!
//! The codec behind it checks a frame's length only when the whole frame has arrived, and buffers everything that has
//! arrived before it decodes one frame. A client could fill the memory with either.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::Stream;

/// The longest header: two bytes, eight of length, four of mask (RFC 6455, section 5.2).
const HEADER_LENGTH_MAX: usize = 14;

/// A client's byte stream, split at the ends of its frames.
pub(crate) struct FrameGate<S> {
    payload: S,
    limit: FrameLimit,
    /// The bytes that have arrived and belong to later frames.
    arrived: Bytes,
    /// The next frame's header, as far as it has arrived.
    header: Vec<u8>,
    /// The number of bytes of the current frame that are still to be passed.
    body_left: usize,
    is_at_end_of_frame: bool,
    is_over: bool,
    overlong: Overlong,
}

/// Whether a frame was too long; the codec between gate and socket passes on only the text of an error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlong(Rc<Cell<bool>>);

impl Overlong {
    /// Returns whether a frame was too long.
    pub(crate) fn was_seen(&self) -> bool {
        self.0.get()
    }
}

/// The length of the largest frame in bytes, which can be raised while the gate is in use.
#[derive(Clone, Debug)]
pub(crate) struct FrameLimit(Rc<Cell<usize>>);

impl FrameLimit {
    /// Sets the limit for the frames that follow.
    pub(crate) fn set(&self, body_length_max: usize) {
        self.0.set(body_length_max);
    }

    /// Returns the limit.
    pub(crate) fn get(&self) -> usize {
        self.0.get()
    }
}

impl<S> FrameGate<S> {
    /// Builds a gate for frames of up to `body_length_max` bytes.
    pub(crate) fn new(payload: S, body_length_max: usize) -> Self {
        Self {
            payload,
            limit: FrameLimit(Rc::new(Cell::new(body_length_max))),
            arrived: Bytes::new(),
            header: Vec::with_capacity(HEADER_LENGTH_MAX),
            body_left: 0,
            is_at_end_of_frame: false,
            is_over: false,
            overlong: Overlong::default(),
        }
    }

    /// Returns the flag for overlong frames, which remains readable after the gate has been moved.
    pub(crate) fn overlong(&self) -> Overlong {
        self.overlong.clone()
    }

    /// Returns the limit, which remains changeable after the gate has been moved.
    pub(crate) fn limit(&self) -> FrameLimit {
        self.limit.clone()
    }

    /// Returns the next bytes that may be passed on.
    fn next_piece(&mut self) -> Option<Result<Bytes, PayloadError>> {
        if self.body_left > 0 {
            let piece = self.arrived.split_to(self.body_left.min(self.arrived.len()));
            self.body_left -= piece.len();
            self.is_at_end_of_frame = self.body_left == 0;
            return (!piece.is_empty()).then_some(Ok(piece));
        }
        while !self.arrived.is_empty() {
            self.header.extend_from_slice(&self.arrived.split_to(1));
            let Some(length) = body_length(&self.header) else { continue };
            let Some(length) = usize::try_from(length).ok().filter(|length| *length <= self.limit.get()) else {
                self.overlong.0.set(true);
                return Some(Err(PayloadError::Overflow));
            };
            self.body_left = length;
            self.is_at_end_of_frame = length == 0;
            return Some(Ok(std::mem::take(&mut self.header).into()));
        }
        None
    }
}

/// Returns the length of the body, once the header is complete.
fn body_length(header: &[u8]) -> Option<u64> {
    let (&[_, second], rest) = header.split_first_chunk::<2>()?;
    let mask_length = if second & 0x80 == 0 { 0 } else { 4 };
    let (length, rest) = match second & 0x7f {
        126 => rest.split_first_chunk().map(|(length, rest)| (u64::from(u16::from_be_bytes(*length)), rest))?,
        127 => rest.split_first_chunk().map(|(length, rest)| (u64::from_be_bytes(*length), rest))?,
        length => (u64::from(length), rest),
    };
    (rest.len() >= mask_length).then_some(length)
}

impl<S: Stream<Item = Result<Bytes, PayloadError>> + Unpin> Stream for FrameGate<S> {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let gate = self.get_mut();
        if gate.is_over {
            return Poll::Ready(None);
        }
        // The reader has a complete frame now. It decodes that one and polls again by itself, so no waker is needed.
        if std::mem::take(&mut gate.is_at_end_of_frame) {
            return Poll::Pending;
        }
        loop {
            if let Some(piece) = gate.next_piece() {
                gate.is_over = piece.is_err();
                return Poll::Ready(Some(piece));
            }
            match ready!(Pin::new(&mut gate.payload).poll_next(context)) {
                Some(Ok(bytes)) => gate.arrived = bytes,
                end => {
                    gate.is_over = true;
                    return Poll::Ready(end);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use futures_util::stream;

    use super::*;

    const MAX: usize = 300;

    /// A client's frame with a mask of zeros.
    fn frame(length: u64, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x81];
        match length {
            0..126 => bytes.push(0x80 | u8::try_from(length).unwrap()),
            126..0x1_0000 => {
                bytes.push(0xfe);
                bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
            _ => {
                bytes.push(0xff);
                bytes.extend(length.to_be_bytes());
            }
        }
        bytes.extend([0; 4]);
        bytes.extend(body);
        bytes
    }

    /// The bytes that a greedy reader receives in each turn.
    fn turns(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, bool) {
        let chunks: Vec<_> = chunks.iter().map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let mut gate = FrameGate::new(stream::iter(chunks), MAX);
        let overlong = gate.overlong();
        let (mut turns, mut turn) = (Vec::new(), Vec::new());
        loop {
            match Pin::new(&mut gate).poll_next(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Some(Ok(bytes))) => turn.extend(bytes),
                Poll::Ready(Some(Err(_))) => assert!(overlong.was_seen()),
                Poll::Ready(None) => break,
                Poll::Pending => turns.push(std::mem::take(&mut turn)),
            }
        }
        turns.extend((!turn.is_empty()).then_some(turn));
        (turns, overlong.was_seen())
    }

    #[test]
    fn each_frame_has_a_turn_of_its_own_wherever_the_bytes_are_split() {
        let frames = [frame(0, b""), frame(3, b"abc"), frame(300, &[7; 300]), frame(125, &[8; 125]), frame(0, b"")];
        let all = frames.concat();
        for cut in 0..=all.len() {
            let (left, right) = all.split_at(cut);
            assert_eq!(turns(&[left, right]), (frames.to_vec(), false), "cut at {cut}");
        }
        let single: Vec<_> = all.chunks(1).collect();
        assert_eq!(turns(&single), (frames.to_vec(), false));
    }

    #[test]
    fn a_frame_with_an_excessive_declared_length_is_refused_at_its_header() {
        for length in [301, 0xffff, 0x1_0000, 0x3fff_ffff_ffff_ffff, u64::MAX] {
            let all = [frame(2, b"ab"), frame(length, b"")].concat();
            for cut in 0..=all.len() {
                let (left, right) = all.split_at(cut);
                assert_eq!(turns(&[left, right, b"more"]), (vec![frame(2, b"ab")], true), "{length} cut at {cut}");
            }
        }
    }
}
