//! Transaction ids.

use std::fmt;

/// A transaction's id in internal byte order; displayed in reverse, as block explorers show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Txid(pub [u8; 32]);

impl fmt::Display for Txid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().rev().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::Hash as _;

    use super::*;

    #[test]
    fn a_txid_is_displayed_as_in_block_explorers() {
        let mut bytes = [0; 32];
        bytes[0] = 0xab;
        let text = Txid(bytes).to_string();
        assert_eq!(text, bitcoin::Txid::from_byte_array(bytes).to_string());
        assert!(text.ends_with("ab") && text.len() == 64);
    }
}
