//! A server on a local socket that answers posts by a script, and remembers them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::message_servers::wait_until;

/// A post, as it arrived.
#[derive(Clone, Debug)]
pub struct Posted {
    pub path: String,
    headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Posted {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    /// Parses a request, once it is complete.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let (head, body) = (std::str::from_utf8(&bytes[..end]).unwrap(), &bytes[end + 4..]);
        let (line, fields) = head.split_once("\r\n").unwrap();
        let path = line.strip_prefix("POST ").unwrap().strip_suffix(" HTTP/1.1").unwrap();
        let fields = fields.lines().filter_map(|line| line.split_once(": "));
        let headers: HashMap<_, _> = fields.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        let length: usize = headers["content-length"].parse().unwrap();
        (body.len() >= length).then(|| Self { path: path.to_owned(), headers, body: body.to_vec() })
    }
}

/// The status and the body of the answer to a request; without an answer the connection is lost.
type Script<T> = dyn Fn(&T) -> Option<(u16, String)> + Send + Sync;

/// A running server of requests that are read from posts; it stops on drop.
pub struct ScriptedServer<T> {
    pub origin: String,
    received: Arc<Mutex<Vec<T>>>,
    serving: JoinHandle<()>,
}

impl<T: From<Posted> + Clone + Send + 'static> ScriptedServer<T> {
    pub async fn start(script: impl Fn(&T) -> Option<(u16, String)> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let (received, script): (Arc<Mutex<Vec<T>>>, Arc<Script<T>>) = (Arc::default(), Arc::new(script));
        let known = Arc::clone(&received);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&known)));
            }
        });
        Self { origin, received, serving }
    }

    pub fn received(&self) -> Vec<T> {
        self.received.lock().unwrap().clone()
    }

    /// Waits for `count` requests.
    pub async fn received_when(&self, count: usize) -> Vec<T> {
        wait_until(|| self.received.lock().unwrap().len() >= count).await;
        self.received()
    }
}

impl<T> Drop for ScriptedServer<T> {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve<T: From<Posted>>(mut stream: TcpStream, script: Arc<Script<T>>, received: Arc<Mutex<Vec<T>>>) {
    let mut bytes = Vec::new();
    let posted = loop {
        if let Some(posted) = Posted::parse(&bytes) {
            break posted;
        }
        let mut chunk = [0; 4_096];
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(length) => bytes.extend_from_slice(&chunk[..length]),
        }
    };
    let request = T::from(posted);
    let answer = script(&request);
    received.lock().unwrap().push(request);
    if let Some((status, body)) = answer {
        let head = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await;
    }
}
