//! The tagged hash of BIP-340.

use bitcoin::hashes::{Hash as _, HashEngine as _, sha256};

/// Returns SHA-256 of the tag's hash, twice, and of the parts one after the other.
#[must_use]
pub fn tagged_hash(tag: &str, parts: &[&[u8]]) -> [u8; 32] {
    let tag = sha256::Hash::hash(tag.as_bytes());
    let mut engine = sha256::Hash::engine();
    engine.input(tag.as_byte_array());
    engine.input(tag.as_byte_array());
    for part in parts {
        engine.input(part);
    }
    sha256::Hash::from_engine(engine).to_byte_array()
}

#[cfg(test)]
mod tests {
    use bitcoin::Script;
    use bitcoin::taproot::{LeafVersion, TapLeafHash};

    use super::*;

    #[test]
    fn it_is_the_hash_of_a_tapleaf_for_the_tag_of_a_tapleaf() {
        // OP_TRUE, with the leaf version and the length before it.
        let leaf = TapLeafHash::from_script(Script::from_bytes(&[0x51]), LeafVersion::TapScript);
        assert_eq!(tagged_hash("TapLeaf", &[&[0xc0], &[1, 0x51]]), leaf.to_byte_array());
        assert_eq!(tagged_hash("TapLeaf", &[&[0xc0, 1, 0x51]]), leaf.to_byte_array());
        assert_ne!(tagged_hash("TapBranch", &[&[0xc0, 1, 0x51]]), leaf.to_byte_array());
    }
}
