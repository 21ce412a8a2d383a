//! Timestamps of published heads, with the headers of blocks.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeMap;

use bitcoin::block::{Header, Version};
use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::{BlockHash, CompactTarget, TxMerkleNode};
use domain::UnixMs;
use public_log::{AuditReport, LogKey, Named, PublishedHeads, Signed, Timestamp, Verdict, audit_timestamps};

const HEIGHT: u32 = 120;

fn heads(position: u64) -> Signed<PublishedHeads> {
    let heads = PublishedHeads { at: UnixMs(5), position, previous: None, books: Vec::new() };
    LogKey::new(&[5; 32]).unwrap().sign(&heads).unwrap()
}

/// The proof that a digest, hashed with two bytes, is the Merkle root of the block.
fn proof(heads: &Signed<PublishedHeads>) -> Timestamp {
    let answer = [&[0xf0, 2, 7, 7, 0x08, 0x00][..], b"\x05\x88\x96\x0d\x73\xd7\x19\x01", &[1, 120]].concat();
    Timestamp::from_calendar(heads.digest(), &answer).unwrap()
}

fn header(heads: &Signed<PublishedHeads>) -> Header {
    let root = sha256::Hash::hash(&[&heads.digest().to_bytes()[..], &[7, 7]].concat());
    Header {
        version: Version::TWO,
        prev_blockhash: BlockHash::all_zeros(),
        merkle_root: TxMerkleNode::from_byte_array(root.to_byte_array()),
        time: 1_800_000_000,
        bits: CompactTarget::from_consensus(0x207f_ffff),
        nonce: 0,
    }
}

fn audited(proofs: &[Timestamp], headers: &[(u32, Header)]) -> Vec<(Verdict, String)> {
    let mut report = AuditReport::default();
    let headers: BTreeMap<u32, Header> = headers.iter().copied().collect();
    let given = Named { name: "Publication 1".to_owned(), signed: heads(9) };
    audit_timestamps(&mut report, &[given], proofs, &headers);
    report.findings.into_iter().map(|finding| (finding.verdict, finding.text)).collect()
}

#[test]
fn heads_existed_before_the_block_that_their_timestamp_leads_to() {
    let (own, other) = (heads(9), heads(10));
    let digest = own.digest();
    let text = format!("The heads {digest}, and all before them, existed before block 120 of 2027-01-15 08:00 UTC.");
    assert_eq!(audited(&[proof(&own)], &[(HEIGHT, header(&own))]), [(Verdict::Proved, text)]);
    let text = format!("The timestamp of {digest} does not lead to block 120.");
    assert_eq!(audited(&[proof(&own)], &[(HEIGHT, header(&other))]), [(Verdict::Refuted, text)]);
    let text = format!("The heads {digest} are in block 120, whose header was not given.");
    assert_eq!(audited(&[proof(&own)], &[(HEIGHT + 1, header(&own))]), [(Verdict::Unknown, text)]);
    let text = format!("A timestamp is of {}, which is no statement that was given.", other.digest());
    assert_eq!(audited(&[proof(&other)], &[(HEIGHT, header(&other))]), [(Verdict::Unknown, text)]);
}

#[test]
fn a_promise_of_a_calendar_proves_nothing_yet() {
    let own = heads(9);
    let answer = [&[0x00][..], b"\x83\xdf\xe3\x0d\x2e\xf9\x0c\x8e", &[9, 8], b"https://"].concat();
    let pending = Timestamp::from_calendar(own.digest(), &answer).unwrap();
    let text = format!("The timestamp of {} waits for a block; fetch it again after some hours.", own.digest());
    assert_eq!(audited(&[pending], &[]), [(Verdict::Unknown, text)]);
}
