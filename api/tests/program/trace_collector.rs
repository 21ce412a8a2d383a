//! A double of a collector of traces: takes OTLP over HTTP and keeps the spans.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value::Value};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

/// The longest that a test waits for spans.
const WAIT_MAX: Duration = Duration::from_secs(90);

#[derive(Default)]
struct Shared {
    spans: Mutex<Vec<Span>>,
    /// The attributes of the resources.
    resources: Mutex<Vec<KeyValue>>,
    is_stopped: AtomicBool,
}

/// A collector on this machine. It ends when it is dropped.
pub struct TraceCollectorDouble {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl TraceCollectorDouble {
    /// Starts a collector that answers.
    pub fn start() -> Self {
        Self::start_with(true)
    }

    /// Starts a collector that takes connections and never answers.
    pub fn start_silent() -> Self {
        Self::start_with(false)
    }

    fn start_with(answers: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, shared) = (listener.local_addr().unwrap(), Arc::<Shared>::default());
        let kept = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let mut connections = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                if kept.is_stopped.load(Ordering::Acquire) {
                    break;
                }
                connections.push(stream.try_clone().unwrap());
                if answers {
                    let kept = Arc::clone(&kept);
                    thread::spawn(move || serve(stream, &kept));
                }
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The spans so far.
    pub fn spans(&self) -> Vec<Span> {
        self.shared.spans.lock().unwrap().clone()
    }

    /// The attributes of the resources so far, as texts.
    pub fn resources(&self) -> Vec<(String, String)> {
        self.shared.resources.lock().unwrap().iter().map(attribute).collect()
    }

    /// Waits until `find` finds something in the spans so far.
    pub fn wait_for<T>(&self, what: &str, find: impl Fn(&[Span]) -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            let spans = self.spans();
            if let Some(found) = find(&spans) {
                return found;
            }
            assert!(began.elapsed() < WAIT_MAX, "{what} is not among {} spans: {:#?}", spans.len(), names(&spans));
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for TraceCollectorDouble {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::Release);
        // Wakes the thread, which then sees that it is to end.
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The name and the value of an attribute.
pub fn attribute(attribute: &KeyValue) -> (String, String) {
    let value = match &attribute.value {
        Some(AnyValue { value: Some(Value::StringValue(text)) }) => text.clone(),
        Some(AnyValue { value: Some(Value::IntValue(number)) }) => number.to_string(),
        other => format!("{other:?}"),
    };
    (attribute.key.clone(), value)
}

/// Answers the requests of a connection.
fn serve(stream: TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some(body) = read_request(&mut reader) {
        let request = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
        for of_resource in request.resource_spans {
            shared.resources.lock().unwrap().extend(of_resource.resource.into_iter().flat_map(|it| it.attributes));
            let spans = of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
            shared.spans.lock().unwrap().extend(spans);
        }
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
        if writer.write_all(answer.as_bytes()).is_err() {
            break;
        }
    }
}

/// The body of the next request; `None` at the end of the connection.
fn read_request(reader: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head.push(line.trim_end().to_lowercase());
    }
    assert_eq!(head[0], "post /v1/traces http/1.1");
    assert!(head.contains(&"content-type: application/x-protobuf".to_owned()), "{head:?}");
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(body)
}

/// The names of spans, and how often each occurs.
fn names(spans: &[Span]) -> BTreeMap<&str, usize> {
    let mut names = BTreeMap::new();
    for span in spans {
        *names.entry(span.name.as_str()).or_default() += 1;
    }
    names
}
