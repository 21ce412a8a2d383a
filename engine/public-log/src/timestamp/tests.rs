use bitcoin::hashes::{Hash as _, sha256};

use super::proof::*;
use super::*;

fn digest() -> HeadHash {
    HeadHash::of(b"a statement")
}

fn pending(calendar: &str) -> Vec<u8> {
    let mut bytes = vec![ATTESTATION];
    bytes.extend(PENDING);
    write_number(calendar.len() + 1, &mut bytes);
    write_number(calendar.len(), &mut bytes);
    bytes.extend(calendar.as_bytes());
    bytes
}

fn in_block(height: u8) -> Vec<u8> {
    [&[ATTESTATION][..], &BITCOIN, &[1, height]].concat()
}

/// An answer of a calendar: a nonce is appended, the result hashed, and a promise given.
fn answer(calendar: &str, nonce: u8) -> Vec<u8> {
    [&[APPEND, 2, nonce, nonce, SHA256][..], &pending(calendar)].concat()
}

fn commitment(nonce: u8) -> Vec<u8> {
    sha256::Hash::hash(&[&digest().to_bytes()[..], &[nonce, nonce]].concat()).to_byte_array().to_vec()
}

#[test]
fn promises_of_two_calendars_become_blocks_one_after_the_other() {
    let (one, other) = ("https://one.example", "https://two.example");
    let first = Timestamp::from_calendar(digest(), &answer(one, 1)).unwrap();
    let second = Timestamp::from_calendar(digest(), &answer(other, 2)).unwrap();
    let mut both = Timestamp::read(&first.merged(second).write()).unwrap();
    let promise =
        |calendar: &str, nonce| Attestation::Pending { calendar: calendar.to_owned(), commitment: commitment(nonce) };
    assert_eq!(both.attestations(), [promise(one, 1), promise(other, 2)]);
    let later = [&[PREPEND, 1, 9, SHA256][..], &in_block(7)].concat();
    assert_eq!(both.upgrade(one, &commitment(2), &later), Ok(false), "of the other calendar");
    assert_eq!(both.upgrade(other, &commitment(2), &later), Ok(true));
    let merkle_root = sha256::Hash::hash(&[&[9][..], &commitment(2)].concat()).to_byte_array();
    assert_eq!(both.attestations(), [promise(one, 1), Attestation::Block { height: 7, merkle_root }]);
    assert_eq!(Timestamp::read(&both.write()).unwrap(), both);
    assert_eq!(both.upgrade(one, &commitment(1), b"no proof"), Err(TimestampError::Operation));
}

#[test]
fn every_prefix_and_every_flipped_bit_is_read_or_refused_within_bounds() {
    let proof = Timestamp::from_calendar(digest(), &answer("https://one.example", 1)).unwrap().write();
    for length in 0..proof.len() {
        assert!(Timestamp::read(&proof[..length]).is_err(), "cut to {length} bytes");
    }
    for bit in 0..proof.len() * 8 {
        let mut altered = proof.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        if let Ok(read) = Timestamp::read(&altered) {
            assert_eq!(read.write(), altered, "bit {bit}");
            assert!(read.attestations().len() <= 1, "bit {bit}");
        }
    }
    assert_eq!(Timestamp::read(&[&proof[..], &[0]].concat()), Err(TimestampError::Length));
}

#[test]
fn proofs_beyond_the_bounds_are_refused() {
    let refused = |proof: &[u8]| Timestamp::from_calendar(digest(), proof).unwrap_err();
    assert_eq!(refused(&[SHA256; 1_000]), TimestampError::TooLarge, "too deep");
    assert_eq!(refused(&vec![FORK; 70_000]), TimestampError::TooLarge, "too long");
    let mut long = Vec::new();
    for _ in 0..3 {
        long.push(APPEND);
        write_number(2_000, &mut long);
        long.extend([7; 2_000]);
    }
    assert_eq!(refused(&[long, in_block(1)].concat()), TimestampError::TooLarge, "a long message");
    assert_eq!(refused(&[APPEND, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), TimestampError::TooLarge);
    let unknown = [&[ATTESTATION][..], b"12345678", &[2, 0, 0]].concat();
    assert_eq!(Timestamp::from_calendar(digest(), &unknown).unwrap().attestations(), []);
    assert_eq!(Timestamp::from_calendar(digest(), &pending("https://a?b")).unwrap().attestations(), []);
}
