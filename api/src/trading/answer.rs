//! The answers to trading commands.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;

/// The result of a command that was executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum CommandResult {
    /// Offers were created.
    Placed(OfferChange),
    /// An offer was replaced by another one.
    Edited(OfferChange),
    /// An offer was cancelled.
    Cancelled(OfferChange),
    /// The outcomes of a batch.
    Batch(BatchResult),
    /// All manual offers were cancelled.
    CancelledAll(CancelledAll),
    /// The heartbeat was taken.
    Heartbeat(HeartbeatResult),
}

/// A durable change of offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferChange {
    /// The ids of the offers that were created, or of the one that was cancelled.
    pub offer_ids: Vec<String>,
    /// The position in the journal of the book: the `seq` that its channel has reached with this change.
    pub seq: u64,
}

/// The outcomes of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchResult {
    /// One outcome for each order.
    #[schema(no_recursion)]
    pub outcomes: Vec<OrderOutcome>,
}

/// The outcome of one order of a batch: a result or an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderOutcome {
    /// The result.
    #[schema(required)]
    pub result: Option<CommandResult>,
    /// The error.
    #[schema(required)]
    pub error: Option<AnswerError>,
}

/// The end of all manual offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelledAll {
    /// The number of cancelled offers.
    pub cancelled: usize,
}

/// The state of cancel-on-disconnect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeartbeatResult {
    /// The time in seconds after which the connection counts as lost without a heartbeat; `null` if it is not set.
    #[schema(required)]
    pub cancel_on_disconnect: Option<u16>,
}

/// The error of a command, with a code of the table of all error codes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerError {
    /// The code.
    #[schema(value_type = ErrorCode)]
    pub code: String,
    /// The HTTP status of the code.
    pub status: u16,
    /// A description of this occurrence, for humans.
    pub detail: String,
    /// The values on which the refusal is based.
    #[schema(value_type = Option<Object>, required)]
    pub values: Option<Value>,
}

/// The answer to one command: a result or an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The id of the command.
    #[schema(required)]
    pub id: Option<String>,
    /// The result.
    #[schema(required)]
    pub result: Option<CommandResult>,
    /// The error.
    #[schema(required)]
    pub error: Option<AnswerError>,
}

/// A frame of the server that answers commands, or the sign-in of the connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum AnswerFrame {
    /// The connection acts for a user from now on.
    Authenticated(Authenticated),
    /// Answers in the order of the commands.
    Answers(Answers),
    /// A receipt of commands that were answered before.
    Receipt(SocketReceipt),
}

/// A signed receipt of all commands that were answered since the receipt before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SocketReceipt {
    /// The receipt, as `lienbook audit` reads it: what was signed and its signature, in base64url, with a dot between them.
    pub receipt: String,
}

/// The user of a connection, and its limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Authenticated {
    /// The id of the user.
    pub user_id: String,
    /// The largest number of orders that are not answered.
    pub orders_max: usize,
}

/// Answers that leave together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answers {
    /// The answers.
    pub answers: Vec<Answer>,
    /// The position of the journal, as the header `lienbook-position` has it; `null` on a server by itself.
    #[schema(required)]
    pub position: Option<String>,
}

impl From<&ApiError> for AnswerError {
    fn from(refusal: &ApiError) -> Self {
        let code = refusal.code();
        let (detail, values) = (refusal.detail().to_owned(), refusal.values().cloned());
        Self { code: code.code().to_owned(), status: code.status(), detail, values }
    }
}

impl From<Result<CommandResult, ApiError>> for OrderOutcome {
    fn from(outcome: Result<CommandResult, ApiError>) -> Self {
        match outcome {
            Ok(result) => Self { result: Some(result), error: None },
            Err(refusal) => Self { result: None, error: Some((&refusal).into()) },
        }
    }
}

impl Answer {
    /// Returns the answer to a command.
    #[must_use]
    pub fn new(id: Option<String>, outcome: Result<CommandResult, ApiError>) -> Self {
        let OrderOutcome { result, error } = outcome.into();
        Self { id, result, error }
    }
}
