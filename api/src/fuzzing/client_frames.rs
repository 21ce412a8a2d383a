//! The frames of a client of the feed, in both encodings, and the bytes of its connection.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use actix_web::web::Bytes;
use engine::feed::{ClientFrame, Encoded, Encoding};
use futures_util::{Stream as _, stream};
use serde_json::Value;

use crate::feed::frame_gate::FrameGate;
use crate::trading::client_frame::{TradingFrame, is_trading};

/// The largest frame that the gate passes, in bytes.
const FRAME_LENGTH_MAX: usize = 300;

/// The longest header of a frame, in bytes.
const HEADER_LENGTH_MAX: usize = 14;

/// A frame: the first byte selects a text, a binary value, or the bytes of a connection.
///
/// A frame has the same meaning in both encodings, and the bytes of a connection are split at the same places however they
/// arrive.
#[must_use]
pub fn client_frame(bytes: &[u8]) -> bool {
    let Some((&selector, rest)) = bytes.split_first() else { return false };
    match selector % 3 {
        0 => std::str::from_utf8(rest).is_ok_and(text_frame),
        1 => binary_frame(rest),
        _ => connection(rest),
    }
}

fn text_frame(text: &str) -> bool {
    if let Ok(frame) = TradingFrame::read(text) {
        assert!(is_trading(text));
        check_encodings(&frame);
        return true;
    }
    let Ok(frame) = ClientFrame::read(text) else { return false };
    assert!(!is_trading(text));
    let value: Value = serde_json::from_str(text).unwrap();
    // The id of a ping may be nested more deeply than a binary frame.
    if let Encoded::Binary(bytes) = Encoding::Binary.encode(&value)
        && let Ok(other) = Encoding::decode_binary::<ClientFrame>(&bytes)
    {
        assert_eq!(other, frame);
    }
    true
}

fn binary_frame(bytes: &[u8]) -> bool {
    if let Ok(frame) = Encoding::decode_binary::<TradingFrame>(bytes) {
        check_encodings(&frame);
        return true;
    }
    Encoding::decode_binary::<ClientFrame>(bytes).is_ok()
}

fn check_encodings(frame: &TradingFrame) {
    let decoded = match Encoding::Json.encode(frame) {
        Encoded::Text(text) => TradingFrame::read(&text).ok(),
        Encoded::Binary(_) => None,
    };
    assert_eq!(decoded.as_ref(), Some(frame));
    let decoded = match Encoding::Binary.encode(frame) {
        Encoded::Binary(bytes) => Encoding::decode_binary::<TradingFrame>(&bytes).ok(),
        Encoded::Text(_) => None,
    };
    assert_eq!(decoded.as_ref(), Some(frame));
}

fn connection(bytes: &[u8]) -> bool {
    let (frames, is_overlong) = frames_of(bytes, bytes.len());
    for length in [1, 7] {
        assert_eq!(frames_of(bytes, length), (frames.clone(), is_overlong), "in pieces of {length}");
    }
    assert!(bytes.starts_with(&frames.concat()));
    assert!(frames.iter().all(|frame| frame.len() <= HEADER_LENGTH_MAX + FRAME_LENGTH_MAX));
    !is_overlong
}

/// Returns the frames that the gate passes from bytes that arrive in pieces, the last one perhaps unfinished, and whether
/// one was too long.
fn frames_of(bytes: &[u8], piece_length: usize) -> (Vec<Vec<u8>>, bool) {
    let pieces: Vec<_> = bytes.chunks(piece_length.max(1)).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    let mut gate = FrameGate::new(stream::iter(pieces), FRAME_LENGTH_MAX);
    let overlong = gate.overlong();
    let (mut frames, mut frame) = (Vec::new(), Vec::new());
    loop {
        match Pin::new(&mut gate).poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(Ok(bytes))) => frame.extend(bytes),
            Poll::Ready(Some(Err(_))) => assert!(overlong.was_seen()),
            Poll::Ready(None) => break,
            Poll::Pending => frames.push(std::mem::take(&mut frame)),
        }
    }
    frames.extend((!frame.is_empty()).then_some(frame));
    (frames, overlong.was_seen())
}
