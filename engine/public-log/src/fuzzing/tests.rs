//! The corpora, replayed against the subjects.

use domain::{
    Bundle, CollateralType, CollectionGroup, Command, GroupId, InterestRate, Limits, OfferDraft, OrderBook,
    ProcessType, Quantity, Sats, SubCollection, SubCollectionId, TermDays, UnitPrice, UnixMs, UserId,
};
use fuzz_testkit::{Corpus, Subject};

use super::*;
use crate::{BookHead, BookReceipt, HeadHash, LogEntry, LogHead, Pseudonyms, entry_line, genesis_line, redact};

fn replay(name: &str, subject: Subject, seeds: &[Vec<u8>]) {
    Corpus::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus"), name).replay(subject, seeds);
}

fn group() -> CollectionGroup {
    let week = SubCollection {
        id: SubCollectionId(0),
        slug: "frogs-7d".parse().unwrap(),
        term: TermDays(7),
        interest: InterestRate::from_basis_points(250),
        bundle: Bundle::Fixed(Quantity::tokens(1, 0)),
        manual: true,
        instant: false,
    };
    CollectionGroup {
        id: GroupId(1),
        slug: "frogs".parse().unwrap(),
        name: "Frogs".into(),
        symbol: "FROG".into(),
        image: "".into(),
        external_link: None,
        collateral: CollateralType::Inscription,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: vec![week],
    }
}

/// A short log, with published heads and a receipt about it.
fn files() -> (Vec<Vec<u8>>, PublishedHeads, Receipt) {
    let group = group();
    let (id, slug) = (group.id, group.slug.to_string());
    let first = genesis_line(&group).unwrap();
    let mut book = OrderBook::new(group.into(), Limits::default().into());
    let mut pseudonyms = Pseudonyms::new(&[9; 32], id);
    let (mut log, mut heads) = (vec![first.clone()], vec![LogHead::genesis(&first)]);
    let lender = UserId(7);
    let create = |principal| {
        let draft = OfferDraft::plain(SubCollectionId(0), ProcessType::Manual, Sats::new(principal));
        Command::Create { lender, draft, count: 1, usable: None }
    };
    let price = UnitPrice::from_sats(Sats::new(1_000_000)).unwrap();
    let commands = [Command::SetPrice { price, observed_at: UnixMs(1_000) }, create(300_000), create(350_000)];
    for (at, command) in (1_000..).zip(commands).map(|(at, command)| (UnixMs(at), command)) {
        for event in book.decide(&command, at).unwrap() {
            let sequence = heads.last().unwrap().sequence + 1;
            let line = entry_line(&LogEntry { sequence, at, event: redact(&event, &mut pseudonyms) }).unwrap();
            heads.push(heads.last().unwrap().after(&line));
            log.push(line);
            book.apply(&event, at, &mut Vec::new());
        }
    }
    let (seen, head) = (heads[0], *heads.last().unwrap());
    let published = PublishedHeads {
        at: UnixMs(3_000),
        position: 4,
        previous: None,
        books: vec![BookHead { book: id, slug, head }],
    };
    let caller = pseudonyms.of(lender);
    let receipt = Receipt {
        at: UnixMs(2_000),
        position: 4,
        request: "POST /api/v1/offers".to_owned(),
        body: HeadHash::of(b"{}"),
        answer: Some(HeadHash::of(b"{}")),
        books: vec![BookReceipt { book: id, caller, seen, head, offer: None }],
    };
    (log, published, receipt)
}

fn of_files(selector: u8, log: &[Vec<u8>], heads: &str, receipts: &str) -> Vec<u8> {
    let separator = [SEPARATOR];
    [&[selector], &log.join(&b'\n')[..], &separator, heads.as_bytes(), &separator, receipts.as_bytes()].concat()
}

#[test]
fn the_files_of_an_audit_are_refuted_or_prove_something() {
    let (log, heads, receipt) = files();
    let (text, of_receipt) = (serde_json::to_string(&heads).unwrap(), serde_json::to_string(&receipt).unwrap());
    let key = LogKey::new(&[5; 32]).unwrap();
    let (signed, of_caller) = (key.sign(&heads).unwrap().to_string(), key.sign(&receipt).unwrap().to_string());
    replay(
        "audit_files",
        audit_files,
        &[of_files(0, &log, &signed, &of_caller), of_files(1, &log, &text, &of_receipt)],
    );
    let later = text.replace("\"sequence\":3", "\"sequence\":18446744073709551615");
    assert!(later != text && audit_files(&of_files(1, &log, &later, "")), "a head beyond the log leaves its end open");
    assert!(!audit_files(&of_files(1, &log[1..], &text, &of_receipt)), "a log without its first line");
}

#[test]
fn proofs_are_refused_or_written_identically() {
    // A digest, two bytes appended, a hash, and the promise of a calendar.
    let promise = b"\x00\x83\xdf\xe3\x0d\x2e\xf9\x0c\x8e\x14\x13https://one.example";
    let head =
        Timestamp::from_calendar(HeadHash::of(b"a statement"), &[&b"\xf0\x02\x01\x02\x08"[..], promise].concat());
    let file = head.unwrap().write();
    let in_block = b"\xf1\x01\x09\x08\x00\x05\x88\x96\x0d\x73\xd7\x19\x01\x01\x07";
    replay("timestamp_file", timestamp_file, std::slice::from_ref(&file));
    // With a later answer the whole is no file any more; the first part is one.
    assert!(!timestamp_file(&[&file[..], &[SEPARATOR], in_block].concat()));
}
