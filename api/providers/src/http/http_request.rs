//! A request to one server, whose address and time limit belong to the endpoint.

use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};

/// The timeout class of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeoutClass {
    /// The usual timeout.
    Normal,
    /// The timeout for data that is known immediately, such as the height of the tip.
    Short,
    /// The timeout for aggregated data, such as markets and sales.
    Long,
}

/// A request to a server.
#[derive(Clone, Debug)]
pub(crate) struct HttpRequest {
    pub(crate) timeout_class: TimeoutClass,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) content_type: &'static str,
    pub(super) header: Option<(HeaderName, HeaderValue)>,
    pub(super) body: Bytes,
}

impl HttpRequest {
    /// Creates a GET request for a path with its query.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        let path = path.into();
        Self {
            timeout_class: TimeoutClass::Normal,
            method: Method::GET,
            path,
            content_type: "",
            header: None,
            body: Bytes::new(),
        }
    }

    /// Creates a POST request with a JSON body.
    pub(crate) fn json(path: impl Into<String>, json: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, content_type: "application/json", body: json.into(), ..Self::get(path) }
    }

    /// Creates a POST request with a text body.
    pub(crate) fn text(path: impl Into<String>, text: impl Into<Bytes>) -> Self {
        Self { content_type: "text/plain", ..Self::json(path, text) }
    }

    /// Creates a POST request with a body of plain bytes.
    pub(crate) fn binary(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self { content_type: "application/octet-stream", ..Self::json(path, body) }
    }

    /// Creates a POST request with a body in the binary encoding of protocol buffers.
    pub(crate) fn protobuf(path: impl Into<String>, body: Bytes) -> Self {
        Self { content_type: "application/x-protobuf", ..Self::json(path, body) }
    }

    /// Returns the same request with another timeout class.
    pub(crate) fn with_timeout(self, class: TimeoutClass) -> Self {
        Self { timeout_class: class, ..self }
    }

    /// Returns the same request with the header that identifies us.
    pub(crate) fn with_header(self, header: Option<(HeaderName, HeaderValue)>) -> Self {
        Self { header, ..self }
    }
}
