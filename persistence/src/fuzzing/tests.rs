//! The corpora, replayed against the subjects.

use domain::{AccountEvent, Event, GroupId, Nonce, Sats, Stream, UnixMs, UserId, VaultEvent};
use engine::journal::{Append, Batch};
use fuzz_testkit::{Corpus, Subject};

use super::*;
use crate::{
    backup::PieceBuilder,
    commit_builder::{Commit, CommitBuilder},
    heads::Heads,
    journal_point::StateDigest,
    line::EventLine,
    options::CommitLimits,
    raw_commit::RawCommit,
};

/// The blocks of every kind of event, in hexadecimal.
const GOLDEN: &str = include_str!("../../tests/golden/v1.txt");

fn replay(name: &str, subject: Subject, seeds: &[Vec<u8>]) {
    Corpus::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus"), name).replay(subject, seeds);
}

fn selected(selector: u8, bytes: &[u8]) -> Vec<u8> {
    [&[selector], bytes].concat()
}

fn golden_blocks() -> Vec<Vec<u8>> {
    let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let block = |line: &str| line.split_once(' ').unwrap().1.as_bytes().chunks(2).map(digits).collect();
    GOLDEN.lines().map(block).collect()
}

fn events() -> [(Stream, Event); 3] {
    [
        (Stream::Vault(UserId(7)), Event::Vault(VaultEvent::Credited { amount: Sats::new(300) })),
        (Stream::Accounts, Event::Account(AccountEvent::NonceUsed { nonce: Nonce(9), expires_at: UnixMs(5_000) })),
        (Stream::Vault(UserId(8)), Event::Vault(VaultEvent::Credited { amount: Sats::new(u64::MAX >> 12) })),
    ]
}

fn commit(heads: &Heads) -> Commit {
    let appends = events().map(|(stream, event)| Append { stream, after: 0, events: vec![event] });
    let mut builder = CommitBuilder::new(heads, CommitLimits::default());
    builder.accept(&Batch { at: UnixMs(1_700_000_000_000), appends: appends.into() }).unwrap().unwrap();
    builder.seal().unwrap().unwrap()
}

#[test]
fn blocks_are_refused_or_written_as_the_same_events() {
    let mut seeds = Vec::new();
    for block in golden_blocks() {
        let (checked, _) = block.split_last_chunk::<4>().unwrap();
        seeds.push(selected(1, checked));
        // One event after the header.
        seeds.push(selected(2, &selected(1, &checked[107..])));
    }
    seeds.push(selected(0, &golden_blocks()[0]));
    replay("journal_block", journal_block, &seeds);
}

#[test]
fn exports_are_refused_or_restored_as_their_events() {
    let line = |(stream, event)| serde_json::to_string(&EventLine { stream, sequence: 1, at: UnixMs(1_000), event });
    let mut events = events();
    events.sort_by_key(|(stream, _)| *stream);
    let lines = events.map(|event| line(event).unwrap()).join("\n");
    let book = Stream::Book(GroupId(9));
    replay("export_lines", export_lines, &[selected(1, lines.as_bytes()), selected(1, b"")]);
    assert!(!export_lines(&selected(
        1,
        format!("{{\"stream\":{}}}", serde_json::to_string(&book).unwrap()).as_bytes()
    )));
}

#[test]
fn pieces_are_refused_or_have_the_blocks_that_they_describe() {
    let blocks = commit(&Heads::default()).blocks.into_iter().flat_map(|block| block.bytes).collect::<Vec<_>>();
    let mut builder = PieceBuilder::new(None, StateDigest::default());
    builder.push(&RawCommit::received(1, blocks.clone())).unwrap();
    let piece = builder.seal().unwrap().unwrap();
    let mut file = Vec::new();
    piece.write_to(&mut file).unwrap();
    let header = serde_json::to_vec(piece.header()).unwrap();
    let seeds = [selected(0, &file), selected(1, &[&header, &[0][..], &blocks].concat())];
    replay("backup_piece", backup_piece, &seeds);
}

#[test]
fn markers_names_and_digests_are_refused_or_written_identically() {
    let marker = selected(0, &AckMarker::encode(42));
    let name = PieceName::new(1, 42, UnixMs(1_795_773_600_999)).to_string();
    let digest = HexDigest([0xa5; 32]).to_string();
    replay("journal_file", journal_file, &[marker, selected(1, name.as_bytes()), selected(2, digest.as_bytes())]);
}
