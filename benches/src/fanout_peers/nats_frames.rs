//! The protocol of NATS as a subscriber reads it: lines, and messages with a payload.

/// The bytes that have arrived and are not read yet.
#[derive(Debug, Default)]
pub(super) struct NatsFrames {
    unread: Vec<u8>,
}

/// A frame of the server.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FromNats {
    /// A message of the subscription.
    Payload(Vec<u8>),
    /// A question whether the client is alive.
    Ping,
    /// The answer to a ping.
    Pong,
    /// An error, after which the server closes the connection.
    Error(String),
}

impl NatsFrames {
    /// Adds bytes, which may end within a line or a payload.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
    }

    /// Returns all that is complete.
    pub(super) fn take(&mut self) -> Vec<FromNats> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some((frame, end)) = next(&self.unread[at..]) {
            found.extend(frame);
            at += end;
        }
        self.unread.drain(..at);
        found
    }
}

/// The first frame, if it is one of interest, and its length; `None` if it is incomplete.
fn next(bytes: &[u8]) -> Option<(Option<FromNats>, usize)> {
    let line_end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    let line = String::from_utf8_lossy(&bytes[..line_end]);
    let mut words = line.split(' ');
    let after = line_end + 2;
    let frame = match words.next().unwrap_or_default() {
        "MSG" => {
            let length: usize = words.next_back().and_then(|text| text.parse().ok()).unwrap_or(0);
            let payload = bytes.get(after..after + length + 2)?;
            return Some((Some(FromNats::Payload(payload[..length].to_vec())), after + length + 2));
        }
        "PING" => Some(FromNats::Ping),
        "PONG" => Some(FromNats::Pong),
        "-ERR" => Some(FromNats::Error(line.clone().into_owned())),
        _ => None,
    };
    Some((frame, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_however_they_are_cut() {
        let sent = b"INFO {\"a\":1}\r\nPONG\r\nMSG book 1 5\r\nab\r\nc\r\nPING\r\nMSG book 1 0\r\n\r\n-ERR 'x y'\r\n";
        let expected = vec![
            FromNats::Pong,
            FromNats::Payload(b"ab\r\nc".to_vec()),
            FromNats::Ping,
            FromNats::Payload(Vec::new()),
            FromNats::Error("-ERR 'x y'".to_owned()),
        ];
        for length in 1..=sent.len() {
            let (mut frames, mut found) = (NatsFrames::default(), Vec::new());
            for part in sent.chunks(length) {
                frames.push(part);
                found.extend(frames.take());
            }
            assert_eq!(found, expected, "in parts of {length} bytes");
        }
    }
}
