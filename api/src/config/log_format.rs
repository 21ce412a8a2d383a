//! The format of the log.

use serde::{Deserialize, Serialize};

/// The format of a line of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// A JSON object, for programs.
    Json,
}
