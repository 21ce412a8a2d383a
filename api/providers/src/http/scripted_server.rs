//! A scripted HTTP server for tests, with full control over each response byte.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    /// The method and path.
    pub(crate) line: String,
    /// The header lines, in lower case.
    pub(crate) headers: String,
    /// The body.
    pub(crate) body: String,
}

/// A scripted response.
#[derive(Clone, Debug)]
pub(crate) enum ScriptedResponse {
    /// A status and a whole body.
    Body(u16, String),
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// An endless body.
    Endless,
    /// No response.
    NoResponse,
}

impl ScriptedResponse {
    /// Creates a response with status 200.
    pub(crate) fn ok(body: &(impl ToString + ?Sized)) -> Self {
        Self::Body(200, body.to_string())
    }

    /// Creates a response with status 200 that is cut short.
    pub(crate) fn truncated(body: &str) -> Self {
        Self::Bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len() + 1).into_bytes())
    }
}

/// Starts a server that answers each request with `respond`. Returns its address and the requests it receives.
pub(crate) async fn start(
    respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static,
) -> (String, Arc<Mutex<Vec<ReceivedRequest>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let (asked, respond) = (Arc::new(Mutex::new(Vec::new())), Arc::new(respond));
    let known = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(&respond), Arc::clone(&known)));
        }
    });
    (base, asked)
}

async fn serve(
    mut stream: TcpStream,
    respond: Arc<impl Fn(&ReceivedRequest) -> ScriptedResponse>,
    known: Arc<Mutex<Vec<ReceivedRequest>>>,
) {
    let Some(asked) = read(&mut stream).await else { return };
    let response = respond(&asked);
    known.lock().unwrap().push(asked);
    let head = |status, length: usize| {
        format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n").into_bytes()
    };
    // The client may have disconnected.
    let _ = match response {
        ScriptedResponse::Body(status, body) => {
            stream.write_all(&[head(status, body.len()), body.into_bytes()].concat()).await
        }
        ScriptedResponse::Bytes(bytes) => stream.write_all(&bytes).await,
        ScriptedResponse::NoResponse => std::future::pending().await,
        ScriptedResponse::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await;
            while stream.write_all(&[b' '; 4_096]).await.is_ok() {}
            Ok(())
        }
    };
}

async fn read(stream: &mut TcpStream) -> Option<ReceivedRequest> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let (line, headers) = head.split_once("\r\n")?;
            let headers = headers.to_lowercase();
            let length = headers.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                let line = line.trim_end_matches(" HTTP/1.1").to_owned();
                return Some(ReceivedRequest { line, headers, body: body.to_owned() });
            }
        }
        let mut chunk = [0; 4_096];
        match stream.read(&mut chunk).await.ok()? {
            0 => return None,
            length => bytes.extend_from_slice(&chunk[..length]),
        }
    }
}
