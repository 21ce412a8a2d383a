//! A seeded mutator of bytes, for text as for binary formats.

/// The longest mutated input.
const LENGTH_MAX: usize = 64 * 1_024;

/// The integers that parsers most often mistake, in decimal and as bytes of either order.
const EXTREMES: [i128; 12] = [
    0,
    1,
    -1,
    127,
    255,
    65_535,
    2_147_483_647,
    4_294_967_295,
    9_007_199_254_740_993,
    9_223_372_036_854_775_807,
    18_446_744_073_709_551_615,
    i128::MAX,
];

/// Bytes that have a meaning in the formats that are parsed.
const TOKENS: [&[u8]; 16] = [
    b"{}",
    b"[]",
    b"null",
    b"\"",
    b"\\u0000",
    b"\n",
    b"\0",
    b",",
    b":",
    b"1e400",
    b"-0.0",
    b"\xff\xff\xff\xff",
    b"\xf0\x9f\x94\x92",
    b"true",
    b"[[[[[[[[[[[[[[[[",
    b"\x80\x80\x80\x80",
];

/// A source of mutations that are the same for the same seed.
#[derive(Debug)]
pub struct Mutator {
    state: u64,
}

impl Mutator {
    /// A mutator whose mutations follow from the seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns one of the inputs with one to four changes: flipped bits, other bytes, removed, repeated or foreign parts,
    /// extreme integers, tokens, or an early end.
    pub fn mutate(&mut self, bases: &[&[u8]]) -> Vec<u8> {
        let base = self.below(bases.len());
        let mut bytes = bases.get(base).map(|base| base.to_vec()).unwrap_or_default();
        for _ in 0..=self.below(4) {
            self.change(&mut bytes, bases);
        }
        bytes.truncate(LENGTH_MAX);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, bases: &[&[u8]]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + 1 + self.below(16)).min(bytes.len());
        match self.below(9) {
            0 => {
                let flipped = 1 << self.below(8);
                bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= flipped);
            }
            1 => {
                let [other, ..] = self.next().to_le_bytes();
                bytes.get_mut(at).into_iter().for_each(|byte| *byte = other);
            }
            2 => bytes.truncate(at),
            3 => drop(bytes.splice(at.min(end)..end, [])),
            4 => {
                let length = self.below(bytes.len().min(256) + 1);
                let part = bytes.get(at..bytes.len().min(at + length)).unwrap_or_default().to_vec();
                bytes.splice(at..at, part);
            }
            5 => {
                let other = self.below(bases.len());
                let other = bases.get(other).copied().unwrap_or_default();
                let from = self.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend(other.get(from..).unwrap_or_default());
            }
            6 => self.replace_number(bytes, at),
            7 => {
                let extreme = self.extreme();
                let width = 1 << self.below(4);
                let little = extreme.to_le_bytes();
                let mut integer = little.get(..width).unwrap_or_default().to_vec();
                if self.below(2) == 0 {
                    integer.reverse();
                }
                let end = bytes.len().min(at + width);
                bytes.splice(at..end, integer);
            }
            _ => {
                let token = self.below(TOKENS.len());
                let token = TOKENS.get(token).copied().unwrap_or_default();
                bytes.splice(at..at, token.iter().copied());
            }
        }
    }

    /// Replaces the decimal number at or after a position by an extreme one.
    fn replace_number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let digit = |byte: &u8| byte.is_ascii_digit();
        let Some(start) = bytes.iter().skip(at).position(digit).map(|found| found + at) else { return };
        let count = bytes.iter().skip(start).take_while(|byte| digit(byte)).count();
        let extreme = self.extreme().to_string();
        bytes.splice(start..start + count, extreme.into_bytes());
    }

    fn extreme(&mut self) -> i128 {
        let place = self.below(EXTREMES.len());
        EXTREMES.get(place).copied().unwrap_or_default()
    }

    /// Returns a number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        self.next().checked_rem(end).and_then(|number| usize::try_from(number).ok()).unwrap_or(0)
    }

    /// The next number of `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const BASES: [&[u8]; 2] = [br#"{"amount":1000,"name":"paper-frogs"}"#, b"\x01\x02\x03\x04"];

    fn mutations(seed: u64) -> Vec<Vec<u8>> {
        let mut mutator = Mutator::new(seed);
        (0..2_000).map(|_| mutator.mutate(&BASES)).collect()
    }

    #[test]
    fn a_seed_repeats_its_mutations_and_another_has_others() {
        assert_eq!(mutations(1), mutations(1));
        assert_ne!(mutations(1), mutations(2));
        let distinct: HashSet<_> = mutations(1).into_iter().collect();
        assert!(distinct.len() > 1_000, "{} of 2,000 are distinct", distinct.len());
    }

    #[test]
    fn mutations_are_bounded_and_need_no_base() {
        let long = vec![7; 2 * LENGTH_MAX];
        let mut mutator = Mutator::new(3);
        assert!((0..50).all(|_| mutator.mutate(&[&long[..]]).len() <= LENGTH_MAX));
        (0..50).for_each(|_| drop(mutator.mutate(&[])));
        (0..50).for_each(|_| drop(mutator.mutate(&[b""])));
    }

    #[test]
    fn numbers_become_extreme_ones() {
        let extreme = br#"{"amount":9223372036854775807,"#;
        let found = mutations(5).iter().any(|bytes| bytes.starts_with(extreme));
        assert!(found, "no mutation has an extreme amount");
    }
}
