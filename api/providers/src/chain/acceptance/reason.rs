//! Reject reasons of a node, normalized to one wording for all RPC calls.

use crate::parsing::text::excerpt;

/// Core's error codes (`RPCErrorCode`).
pub(crate) mod code {
    /// No transaction or block with this id.
    pub(crate) const NOT_FOUND: i64 = -5;
    /// No block at this height.
    pub(crate) const INVALID_PARAMETER: i64 = -8;
    /// The bytes do not decode as a transaction.
    pub(crate) const DESERIALIZATION: i64 = -22;
    /// Not accepted: missing inputs, a fee above the node's own limit, or a package of the wrong shape.
    pub(crate) const VERIFY: i64 = -25;
    /// Rejected by consensus or policy.
    pub(crate) const REJECTED: i64 = -26;
    /// Already in a block.
    pub(crate) const ALREADY_IN_CHAIN: i64 = -27;
}

/// Inputs that are unknown or spent. A call that only tests says `missing-inputs`.
pub(crate) const MISSING_INPUTS: &str = "bad-txns-inputs-missingorspent";
/// The transaction is already in a block.
pub(crate) const ALREADY_KNOWN: &str = "txn-already-known";
/// The transaction was not validated, as another one of the package was refused.
pub(crate) const NOT_VALIDATED: &str = "package-not-validated";
/// More transactions than a package may have.
pub(crate) const TOO_MANY: &str = "package-too-many-transactions";

/// The beginning of Core's message for a fee above the limit that its operator set.
const FEE_TOO_HIGH: &str = "Fee exceeds maximum configured by user";
/// The beginning of Core's message for a package that is not one child with its parents.
const WRONG_SHAPE: &str = "package topology disallowed";
/// The beginning of Core's message for an unspendable output that would burn money.
const BURN: &str = "Unspendable output exceeds maximum configured by user";

/// Returns the reason in a message of Core, without the details after it, which name transactions.
pub(crate) fn reason(message: &str) -> String {
    let mut depth = 0_u32;
    let end = message.char_indices().find_map(|(at, character)| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
        None
    });
    let bare = excerpt(message[..end.unwrap_or(message.len())].trim());
    // The calls that test and the calls that send word some reasons differently: they are mapped to one.
    match bare.as_str() {
        "max feerate exceeded" => "max-fee-exceeded".to_owned(),
        text if text.starts_with(FEE_TOO_HIGH) => "max-fee-exceeded".to_owned(),
        text if text.starts_with(WRONG_SHAPE) => "package-not-child-with-parents".to_owned(),
        _ => bare,
    }
}

/// Returns the reason of an error that means a definite refusal with nothing sent; `None` for errors that leave the
/// outcome open.
pub(crate) fn refusal(code: i64, message: &str) -> Option<String> {
    match code {
        code::REJECTED => Some(reason(message)),
        // The message continues with the transaction itself.
        code::DESERIALIZATION => Some("TX decode failed".to_owned()),
        code::VERIFY => {
            const KNOWN: [&str; 4] = [MISSING_INPUTS, FEE_TOO_HIGH, WRONG_SHAPE, BURN];
            KNOWN.iter().any(|known| message.starts_with(known)).then(|| reason(message))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_contains_no_transaction_details() {
        for (message, expected) in [
            ("dust, tx with dust output must be 0-fee", "dust"),
            ("min relay fee not met, 0 < 110", "min relay fee not met"),
            ("non-BIP68-final", "non-BIP68-final"),
            (
                "mempool-script-verify-flag-failed (Invalid, of a kind), input 0 of 12ab (wtxid 34cd), spending 56ef:0",
                "mempool-script-verify-flag-failed (Invalid, of a kind)",
            ),
            ("Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)", "max-fee-exceeded"),
            ("package topology disallowed. not child-with-parents or", "package-not-child-with-parents"),
            ("", ""),
            (")),x", "))"),
        ] {
            assert_eq!(reason(message), expected, "{message}");
        }
        assert_eq!(reason(&"a\n".repeat(500)).len(), 200, "bounded, and on one line");
    }

    #[test]
    fn only_a_definite_rejection_is_a_refusal() {
        for (code, message, expected) in [
            (-26, "txn-mempool-conflict", Some("txn-mempool-conflict")),
            (-25, "bad-txns-inputs-missingorspent", Some(MISSING_INPUTS)),
            (-25, "Mempool internal error", None),
            (-22, "TX decode failed: 00 Make sure the tx has at least one input.", Some("TX decode failed")),
            (-28, "Loading block index...", None),
            (-1, "std::bad_alloc", None),
            (-27, "Transaction outputs already in utxo set", None),
        ] {
            assert_eq!(refusal(code, message).as_deref(), expected, "{code} {message}");
        }
    }
}
