//! Frames that no WebSocket library sends.

use tokio::io::AsyncWriteExt as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::feed::Socket;
use super::rig::Rig;

impl Socket {
    /// Sends these bytes as they are.
    async fn send_raw(&mut self, bytes: &[u8]) {
        let stream = self.0.get_mut();
        stream.write_all(bytes).await.unwrap();
        stream.flush().await.unwrap();
    }
}

/// The header of a text frame whose body has this many bytes, with a mask of zeros.
fn header(length: u64) -> Vec<u8> {
    let mut bytes = vec![0x81, 0x80 | 127];
    bytes.extend(length.to_be_bytes());
    bytes.extend([0; 4]);
    bytes
}

/// Whoever waited for the whole frame would have to keep it meanwhile.
#[actix_web::test]
async fn a_frame_that_says_it_is_too_long_ends_the_socket_before_it_arrives() {
    let rig = Rig::start().await;
    for length in [4_097, 0x3fff_ffff_ffff_ffff, u64::MAX] {
        let bytes = header(length);
        for cut in 0..bytes.len() {
            let mut socket = Socket::open(&rig).await;
            let (left, right) = bytes.split_at(cut);
            socket.send_raw(left).await;
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            socket.send_raw(right).await;
            let (frames, code) = socket.hear_close().await;
            assert_eq!(frames[0]["code"], "bad_frame", "{length} cut at {cut}");
            assert_eq!(code, CloseCode::Size, "{length} cut at {cut}");
        }
    }
    rig.server.stop().await;
}
