//! A node's error as an explorer passes it on.

use bitcoin::Txid;
use engine::chain::TxRejection;

use crate::chain::acceptance::{code, refusal};

/// The text before the error, after the name of the RPC call.
const MARK: &str = "RPC error";

/// An error of the node behind an explorer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rejection {
    code: i64,
    /// Absent in errors of newer versions of mempool's server.
    message: Option<String>,
}

impl Rejection {
    /// Parses each of its forms: `sendrawtransaction RPC error: {"code":-26,"message":"dust"}`, the same without a
    /// message, `sendrawtransaction RPC error -26: dust`, and any of these inside JSON. It may be truncated. Returns
    /// `None` when it is not an error of the node.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let plain = text.replace('\\', "");
        let (_, rest) = plain.split_once(MARK)?;
        let rest = rest.trim_start_matches([':', ' ']);
        let rest = rest.strip_prefix("{\"code\":").unwrap_or(rest);
        let end = rest.find(|character: char| character != '-' && !character.is_ascii_digit()).unwrap_or(rest.len());
        let (code, rest) = rest.split_at(end);
        let message = rest.strip_prefix(",\"message\":\"").or_else(|| rest.strip_prefix(": "));
        let message = message.and_then(|message| message.split('"').next()).map(ToOwned::to_owned);
        Some(Self { code: code.parse().ok()?, message })
    }

    /// Returns whether the transaction is already in a block.
    pub(super) const fn is_of_known(&self) -> bool {
        self.code == code::ALREADY_IN_CHAIN
    }

    /// Returns whether it has no message.
    pub(super) const fn has_no_message(&self) -> bool {
        self.message.is_none()
    }

    /// Returns the refusal that it means, if it is one and has a message.
    pub(super) fn refusal(&self, txid: Txid) -> Option<TxRejection> {
        let reason = refusal(self.code, self.message.as_deref()?)?;
        Some(TxRejection { txid, reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_is_read_in_each_of_its_forms() {
        let dust = Rejection { code: -26, message: Some("dust, of 1".to_owned()) };
        for text in [
            r#"sendrawtransaction RPC error: {"code":-26,"message":"dust, of 1"}"#,
            r#"{"error":"sendrawtransaction RPC error: {\"code\":-26,\"message\":\"dust, of 1\"}"}"#,
            r#"sendrawtransaction RPC error: {"code":-26,"message":"dust, of 1"#,
            "sendrawtransaction RPC error -26: dust, of 1",
            r#"{"error":"sendrawtransaction RPC error -26: dust, of 1"}"#,
        ] {
            assert_eq!(Rejection::parse(text), Some(dust.clone()), "{text}");
        }
        let silent = Rejection { code: -25, message: None };
        for text in [r#"submitpackage RPC error: {"code":-25}"#, r#"{"error":"x RPC error: {\"code\":-25}"}"#] {
            assert_eq!(Rejection::parse(text), Some(silent.clone()), "{text}");
        }
        for text in ["Failed to send raw transaction", "", "x RPC error", "x RPC error: what", "x RPC error: -"] {
            assert_eq!(Rejection::parse(text), None, "{text}");
        }
    }
}
