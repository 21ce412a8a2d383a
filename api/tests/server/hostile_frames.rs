//! Tests with frames that no WebSocket library sends.

use futures_util::SinkExt as _;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::feed::Socket;
use super::rig::Rig;

impl Socket {
    /// Sends these raw bytes.
    async fn send_raw(&mut self, bytes: &[u8]) {
        let stream = self.0.get_mut();
        stream.write_all(bytes).await.unwrap();
        stream.flush().await.unwrap();
    }
}

/// The header of a text frame with a body of this many bytes and a mask of zeros.
fn header(length: u64) -> Vec<u8> {
    let mut bytes = vec![0x81, 0xff];
    bytes.extend(length.to_be_bytes());
    bytes.extend([0; 4]);
    bytes
}

/// A server that waited for the whole frame would have to buffer it.
#[actix_web::test]
async fn an_oversized_frame_closes_the_socket_by_its_header() {
    let rig = Rig::start().await;
    for length in [4_097, 0x3fff_ffff_ffff_ffff, u64::MAX] {
        let bytes = header(length);
        for cut in 0..bytes.len() {
            let mut socket = Socket::open(&rig).await;
            let (left, right) = bytes.split_at(cut);
            socket.send_raw(left).await;
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            socket.send_raw(right).await;
            let (frames, code) = socket.read_until_close().await;
            assert_eq!(frames[0]["code"], "bad_frame", "{length} cut at {cut}");
            assert_eq!(code, CloseCode::Size, "{length} cut at {cut}");
        }
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn each_invalid_frame_is_reported_and_closed_with_the_code_of_the_rfc() {
    let rig = Rig::start().await;
    let masked = |first: u8, body: &[u8]| {
        let mut bytes = vec![first, 0x80 | u8::try_from(body.len()).unwrap(), 0, 0, 0, 0];
        bytes.extend(body);
        bytes
    };
    let cases = [
        (masked(0x81, b"\xff\xfe"), CloseCode::Invalid, "UTF-8"),
        (vec![0x81, 0x02, b'{', b'}'], CloseCode::Protocol, "unmasked"),
        (masked(0xc1, b"{}"), CloseCode::Protocol, "reserved bits"),
        (masked(0x83, b"{}"), CloseCode::Protocol, "opcode"),
        (masked(0x82, b"{}"), CloseCode::Unsupported, "whole texts"),
        (masked(0x01, b"{}"), CloseCode::Unsupported, "whole texts"),
        (masked(0x80, b"{}"), CloseCode::Protocol, "ontinuation"),
        (masked(0x88, b"\x03"), CloseCode::Protocol, "length"),
        (masked(0x88, b"\x00\x01"), CloseCode::Protocol, "close frame"),
        ([vec![0x89, 0xfe, 0, 126, 0, 0, 0, 0], vec![b'x'; 126]].concat(), CloseCode::Protocol, "length"),
    ];
    for (bytes, expected, named) in cases {
        let mut socket = Socket::open(&rig).await;
        socket.send_raw(&bytes).await;
        let (frames, code) = socket.read_until_close().await;
        assert_eq!((frames[0]["code"].as_str(), code), (Some("bad_frame"), expected), "{bytes:x?}: {frames:?}");
        assert!(frames[0]["detail"].as_str().unwrap().contains(named), "{bytes:x?}: {frames:?}");
    }
    rig.server.stop().await;
}

#[actix_web::test]
async fn unsolicited_pongs_are_counted() {
    // So few that none comes back while they are sent.
    let rig = Rig::start_with(|settings| settings.quotas.socket_frames_per_minute = 10).await;
    let mut socket = Socket::open(&rig).await;
    for _ in 0..11 {
        socket.0.send(Message::Pong(vec![].into())).await.unwrap();
    }
    let (frames, code) = socket.read_until_close().await;
    assert_eq!((frames[0]["code"].as_str(), code), (Some("rate_limited"), CloseCode::Policy));
    rig.server.stop().await;
}

#[actix_web::test]
async fn the_same_snapshot_again_costs_more_than_the_first_time() {
    let rig = Rig::start().await;
    let mut socket = Socket::open(&rig).await;
    for _ in 0..30 {
        socket.send_frame(&json!({"op": "subscribe", "channel": "market"})).await;
        socket.send_frame(&json!({"op": "unsubscribe", "channel": "market"})).await;
    }
    let (frames, code) = socket.read_until_close().await;
    let snapshots = frames.iter().filter(|frame| frame["type"] == "snapshot").count();
    assert!((15..=22).contains(&snapshots), "{snapshots} snapshots");
    assert_eq!((frames.last().unwrap()["code"].as_str(), code), (Some("rate_limited"), CloseCode::Policy));
    rig.server.stop().await;
}
