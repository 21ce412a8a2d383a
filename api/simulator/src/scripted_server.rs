//! An HTTP server for tests with scripted responses.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    /// The method and the path.
    pub(crate) line: String,
    /// The headers, with names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body, `null` if there is none.
    pub(crate) body: Value,
}

impl ReceivedRequest {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A response: status, further header lines, and the body.
pub(crate) type ScriptedResponse = (u16, &'static str, Value);

/// Starts a server that calls `respond` for every response. Returns its address and the requests that it receives.
pub(crate) async fn start(
    respond: impl Fn(&ReceivedRequest) -> ScriptedResponse + Send + Sync + 'static,
) -> (String, Arc<Mutex<Vec<ReceivedRequest>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let (received, respond) = (Arc::new(Mutex::new(Vec::new())), Arc::new(respond));
    let requests = Arc::clone(&received);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(&respond), Arc::clone(&requests)));
        }
    });
    (base, received)
}

async fn serve(
    stream: TcpStream,
    respond: Arc<impl Fn(&ReceivedRequest) -> ScriptedResponse>,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await {
        let (status, headers, body) = respond(&request);
        requests.lock().unwrap().push(request);
        let body = body.to_string();
        let answer = format!(
            "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<ReceivedRequest> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            text => lines.push(text.to_owned()),
        }
    }
    let first = lines.first()?.trim_end_matches(" HTTP/1.1").to_owned();
    let pair = |line: &String| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    let headers: Vec<_> = lines.iter().skip(1).filter_map(pair).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some(ReceivedRequest { line: first, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}
