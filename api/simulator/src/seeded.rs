//! Independent random number generators drawn from the one seed of the demo.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

/// The generator for one `purpose` of one `name`, such as the price walk of a group.
///
/// Every generator is independent: a lender who draws one number more moves no price, and a group added to the
/// catalogue changes no other group.
pub(crate) fn seeded_rng(seed: u64, purpose: &str, name: &str) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed ^ text_hash(purpose).rotate_left(17) ^ text_hash(name))
}

/// FNV-1a over 64 bits: stable across versions, unlike the standard library's hasher.
fn text_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;

    #[test]
    fn a_stream_depends_on_its_names_alone() {
        let draw = |seed, purpose, name| seeded_rng(seed, purpose, name).random::<u64>();
        assert_eq!(draw(1, "walk", "a"), draw(1, "walk", "a"));
        let others = [draw(2, "walk", "a"), draw(1, "picture", "a"), draw(1, "walk", "b"), draw(1, "a", "walk")];
        assert!(others.iter().all(|other| *other != draw(1, "walk", "a")));
    }
}
