//! A local HTTP server that stands in for an upstream, and can be made unavailable.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The maximum size of a request: a package of transactions in hexadecimal.
const REQUEST_BYTES_MAX: usize = 8_000_000;

/// A running server; it stops on drop.
pub struct FakeServer {
    url: String,
    is_unavailable: Arc<AtomicBool>,
    serving: JoinHandle<()>,
}

/// A request to it.
pub struct Request {
    pub method: String,
    /// With its query.
    pub path: String,
    pub body: String,
}

/// Its response.
pub struct Response {
    status: u16,
    body: Vec<u8>,
}

impl Response {
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, body: body.into() }
    }

    pub fn refusal(why: &str) -> Self {
        Self { status: 400, body: why.as_bytes().to_vec() }
    }

    pub fn not_found() -> Self {
        Self { status: 404, body: b"not found".to_vec() }
    }
}

impl FakeServer {
    /// Starts a server that answers each request with `answer`.
    pub async fn start<F>(answer: impl Fn(Request) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Response> + Send,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::start_on(listener, answer)
    }

    /// The same on a listener, which may be on another host of a test's network.
    pub fn start_on<F>(listener: TcpListener, answer: impl Fn(Request) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Response> + Send,
    {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (is_unavailable, answer) = (Arc::new(AtomicBool::new(false)), Arc::new(answer));
        let away = Arc::clone(&is_unavailable);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // While it is unavailable, connections are closed.
                if !away.load(Ordering::Relaxed) {
                    let answer = Arc::clone(&answer);
                    tokio::spawn(async move { serve(stream, answer.as_ref()).await });
                }
            }
        });
        Self { url, is_unavailable, serving }
    }

    /// Returns its URL.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Makes it unavailable, or available again.
    pub fn set_unavailable(&self, is_unavailable: bool) {
        self.is_unavailable.store(is_unavailable, Ordering::Relaxed);
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve<F: Future<Output = Response>>(mut stream: TcpStream, answer: &impl Fn(Request) -> F) {
    let Some(request) = read(&mut stream).await else { return };
    let Response { status, body } = answer(request).await;
    let head = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    // The client may have disconnected.
    let _ = stream.write_all(&[head.as_bytes(), &body].concat()).await;
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    while bytes.len() <= REQUEST_BYTES_MAX {
        if let Some(request) = whole(&bytes) {
            return Some(request);
        }
        let mut chunk = [0; 4_096];
        match stream.read(&mut chunk).await.ok()? {
            0 => return None,
            length => bytes.extend_from_slice(&chunk[..length]),
        }
    }
    None
}

/// Parses a request, once it is complete.
fn whole(bytes: &[u8]) -> Option<Request> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers = lines.filter_map(|line| line.split_once(": "));
    let length = headers.filter(|(name, _)| name.eq_ignore_ascii_case("content-length")).find_map(|(_, length)| {
        let length: usize = length.parse().ok()?;
        Some(length)
    });
    (body.len() >= length.unwrap_or(0)).then(|| Request { method, path, body: body.to_owned() })
}
