//! A body adapter that passes frames to the connection in small pieces.
//!
//! The connection's write buffer accepts everything it is given as a whole. It grows to hold that and keeps its size,
//! so that every socket would occupy the memory of its largest snapshot for as long as it is open.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::body::{BodySize, MessageBody};
use actix_web::web::Bytes;

/// The longest piece, in bytes. actix-http begins with a write buffer of 8 KiB, into which two pieces fit. The buffer
/// is flushed as soon as it holds one, so it grows only for a client that receives a piece in part, and then once.
pub(crate) const CHUNK_LENGTH_MAX: usize = 4 * 1_024;

/// A body in pieces.
pub(super) struct ChunkedBody<B> {
    body: B,
    /// The part of the body that has not been passed on yet.
    rest: Bytes,
}

impl<B> ChunkedBody<B> {
    /// Splits the output of `body`.
    pub(super) fn new(body: B) -> Self {
        Self { body, rest: Bytes::new() }
    }
}

impl<B: MessageBody + Unpin> MessageBody for ChunkedBody<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, B::Error>>> {
        let chunks = self.get_mut();
        if chunks.rest.is_empty() {
            match ready!(Pin::new(&mut chunks.body).poll_next(context)) {
                Some(Ok(bytes)) => chunks.rest = bytes,
                end => return Poll::Ready(end),
            }
        }
        let length = chunks.rest.len().min(CHUNK_LENGTH_MAX);
        Poll::Ready(Some(Ok(chunks.rest.split_to(length))))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use actix_web::body::BodyStream;
    use futures_util::{StreamExt as _, stream};

    use super::*;

    async fn cut(given: Vec<io::Result<Bytes>>) -> Vec<Result<Bytes, String>> {
        let mut chunks = ChunkedBody::new(BodyStream::new(stream::iter(given)));
        assert_eq!(chunks.size(), BodySize::Stream);
        stream::poll_fn(|context| Pin::new(&mut chunks).poll_next(context))
            .map(|chunk| chunk.map_err(|error| error.to_string()))
            .collect()
            .await
    }

    #[actix_web::test]
    async fn all_bytes_are_passed_in_order_and_no_piece_is_too_long() {
        let max = CHUNK_LENGTH_MAX;
        let given: Vec<Bytes> = [1, max, max + 1, 3 * max, 7]
            .into_iter()
            .map(|length| (0..length).map(|place| u8::try_from(place % 251).unwrap()).collect())
            .collect();
        let chunks: Vec<_> =
            cut(given.iter().cloned().map(Ok).collect()).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(chunks.concat(), given.concat());
        let lengths: Vec<_> = chunks.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [1, max, max, 1, max, max, max, 7]);
    }

    #[actix_web::test]
    async fn an_error_follows_the_bytes_before_it() {
        let last = Bytes::from(vec![7; CHUNK_LENGTH_MAX + 1]);
        let chunks = cut(vec![Ok(last.clone()), Err(io::Error::other("gone"))]).await;
        let expected = [Ok(last.slice(..CHUNK_LENGTH_MAX)), Ok(last.slice(CHUNK_LENGTH_MAX..)), Err("gone".to_owned())];
        assert_eq!(chunks, expected);
    }
}
