//! The local copy of the borrow requests.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::types::RequestView;

use super::copy::ChannelData;

/// The largest number of requests that a copy holds.
const REQUESTS_MAX: usize = 1_000_000;

/// The borrow requests of all collections, by id.
#[derive(Clone, Debug)]
pub struct Requests {
    requests: BTreeMap<String, RequestView>,
}

impl Requests {
    /// The requests, by id.
    pub fn requests(&self) -> impl Iterator<Item = &RequestView> {
        self.requests.values()
    }

    /// A request by its id.
    #[must_use]
    pub fn request(&self, id: &str) -> Option<&RequestView> {
        self.requests.get(id)
    }

    fn insert(&mut self, request: RequestView) -> Result<(), String> {
        self.requests.insert(request.request_id.clone(), request);
        if self.requests.len() > REQUESTS_MAX { Err(format!("more than {REQUESTS_MAX} requests")) } else { Ok(()) }
    }
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Operation {
    Request {
        request: Box<RequestView>,
    },
    RequestGone {
        #[serde(rename = "requestId")]
        request_id: String,
    },
    #[serde(other)]
    Other,
}

impl ChannelData for Requests {
    fn read(data: Value) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Snapshot {
            requests: Vec<RequestView>,
        }
        let Snapshot { requests } = serde_json::from_value(data).map_err(|error| error.to_string())?;
        let mut copy = Self { requests: BTreeMap::new() };
        requests.into_iter().try_for_each(|request| copy.insert(request))?;
        Ok(copy)
    }

    fn apply(&mut self, operation: Value) -> Result<(), String> {
        match serde_json::from_value(operation).map_err(|error| error.to_string())? {
            Operation::Request { request } => return self.insert(*request),
            Operation::RequestGone { request_id } => drop(self.requests.remove(&request_id)),
            Operation::Other => {}
        }
        Ok(())
    }

    fn checksum(&self) -> Option<u32> {
        None
    }
}
