//! Why a node refuses a transaction, in words that are the same whichever call was made.

use crate::text::excerpt;

/// Core's numbers for an error (its `RPCErrorCode`).
pub(crate) mod code {
    /// Nothing is known by this id.
    pub(crate) const NOT_FOUND: i64 = -5;
    /// No such height.
    pub(crate) const INVALID_PARAMETER: i64 = -8;
    /// The bytes are no transaction.
    pub(crate) const DESERIALIZATION: i64 = -22;
    /// Not taken: inputs that are missing, a fee beyond the node's own bound, a package of a wrong shape.
    pub(crate) const VERIFY: i64 = -25;
    /// Against consensus or policy.
    pub(crate) const REJECTED: i64 = -26;
    /// A block has it.
    pub(crate) const ALREADY_IN_CHAIN: i64 = -27;
}

/// Inputs that nobody knows, or that are spent. A call that only tests says `missing-inputs`.
pub(crate) const MISSING_INPUTS: &str = "bad-txns-inputs-missingorspent";
/// A block has the transaction.
pub(crate) const ALREADY_KNOWN: &str = "txn-already-known";
/// The parents of a refused transaction were not looked at.
pub(crate) const NOT_VALIDATED: &str = "package-not-validated";
/// More transactions than a package may have.
pub(crate) const TOO_MANY: &str = "package-too-many-transactions";

/// How Core begins to say that a fee is beyond what its owner lets it send.
const FEE_TOO_HIGH: &str = "Fee exceeds maximum configured by user";
/// How Core begins to say that a package is more than one child and its parents.
const WRONG_SHAPE: &str = "package topology disallowed";
/// How Core begins to say that money would be lost.
const BURN: &str = "Unspendable output exceeds maximum configured by user";

/// The reason in a text of Core, without the details that follow it: they name transactions.
pub(crate) fn reason(said: &str) -> String {
    let mut depth = 0_u32;
    let end = said.char_indices().find_map(|(at, character)| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
        None
    });
    let bare = excerpt(said[..end.unwrap_or(said.len())].trim());
    // One word for what the calls that test and the calls that send each say in their own way.
    match bare.as_str() {
        "max feerate exceeded" => "max-fee-exceeded".to_owned(),
        text if text.starts_with(FEE_TOO_HIGH) => "max-fee-exceeded".to_owned(),
        text if text.starts_with(WRONG_SHAPE) => "package-not-child-with-parents".to_owned(),
        _ => bare,
    }
}

/// The reason of an error that means "no, and nothing was sent"; `None` for errors that leave it open.
pub(crate) fn refusal(code: i64, message: &str) -> Option<String> {
    match code {
        code::REJECTED => Some(reason(message)),
        // The text goes on with the transaction.
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
    fn a_reason_names_no_transaction() {
        for (said, expected) in [
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
            assert_eq!(reason(said), expected, "{said}");
        }
        assert_eq!(reason(&"a\n".repeat(500)).len(), 200, "bounded, and on one line");
    }

    #[test]
    fn only_a_plain_no_is_a_refusal() {
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
