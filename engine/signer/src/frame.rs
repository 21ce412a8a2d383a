//! The framing of messages on a socket: a length of four bytes, big-endian, followed by that many bytes of JSON.

use std::io;

use serde::Serialize;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The maximum length of a message, in bytes: twice the largest transaction that is signed.
pub(crate) const FRAME_LENGTH_MAX: usize = 262_144;

/// The reason why there is no message.
#[derive(Debug, Error)]
pub(crate) enum FrameError {
    /// The announced length exceeds the maximum.
    #[error("a message has at most {FRAME_LENGTH_MAX} bytes, this one has {length}")]
    TooLong {
        /// The announced length.
        length: usize,
    },
    /// The peer disconnected, or the socket failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads a message. Memory is allocated only after its length was checked.
pub(crate) async fn read(reader: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>, FrameError> {
    let length = usize::try_from(reader.read_u32().await?).unwrap_or(usize::MAX);
    if length > FRAME_LENGTH_MAX {
        return Err(FrameError::TooLong { length });
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// Encodes a message with its length.
pub(crate) fn encode(message: &impl Serialize) -> Result<Vec<u8>, FrameError> {
    let body = serde_json::to_vec(message).map_err(io::Error::from)?;
    let length = body.len();
    let prefix = u32::try_from(length).ok().filter(|_| length <= FRAME_LENGTH_MAX);
    let prefix = prefix.ok_or(FrameError::TooLong { length })?;
    Ok([&prefix.to_be_bytes()[..], &body].concat())
}

/// Writes an encoded message.
pub(crate) async fn write(writer: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> Result<(), FrameError> {
    writer.write_all(frame).await?;
    Ok(writer.flush().await?)
}
