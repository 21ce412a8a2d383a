//! Logs of books that execute random commands: they rank as the books do, prove what happened, and refute what did not.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test stops at the first surprise and prints its seed")]

use std::{env, sync::Arc, time::SystemTime};

use domain::{
    BookEvent, Command, GroupId, Limits, LoanId, OfferDraft, OfferId, OrderBook, ProcessType, Reservation,
    ReservationId, Sats, SubCollectionId, UnitPrice, UnixMs, UserId,
};
use public_log::{
    AuditReport, BookHead, BookReceipt, HeadHash, LogEntry, LogHead, LogKey, Named, Pseudonyms, PublishedHeads,
    Receipt, Signed, Verdict, audit, entry_line, genesis_line, redact,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::oracle::{
    naive_book::NaiveBook,
    random_command::{groups, random_command},
};

#[path = "../../domain/tests/oracle/naive_book.rs"]
#[allow(dead_code, reason = "used as a source of commands only")]
mod naive_book;
#[path = "../../domain/tests/oracle/random_command.rs"]
mod random_command;

mod oracle {
    pub(crate) use super::{naive_book, random_command};
}

const SECRET: [u8; 32] = [9; 32];

/// The seed: `LIENBOOK_TEST_SEED` repeats a run; otherwise every run has another one.
fn rng() -> ChaCha8Rng {
    let chosen = env::var("LIENBOOK_TEST_SEED").ok().map(|text| text.parse().expect("LIENBOOK_TEST_SEED is a number"));
    let seed = chosen.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("the clock is past 1970");
        u64::from(now.subsec_nanos())
    });
    println!("LIENBOOK_TEST_SEED={seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// A book and its log.
struct Recorded {
    book: OrderBook,
    pseudonyms: Pseudonyms,
    lines: Vec<Vec<u8>>,
    heads: Vec<LogHead>,
    events: Vec<BookEvent>,
}

impl Recorded {
    /// A book that has executed random commands; `look` sees it after each of them.
    fn random(commands: u64, rng: &mut ChaCha8Rng, mut look: impl FnMut(&Self)) -> Self {
        let group = groups()[rng.random_range(0..3)].clone();
        let first = genesis_line(&group).unwrap();
        let mut recorded = Self {
            book: OrderBook::new(Arc::new(group.clone()), Arc::new(Limits::default())),
            pseudonyms: Pseudonyms::new(&SECRET, group.id),
            heads: vec![LogHead::genesis(&first)],
            lines: vec![first],
            events: Vec::new(),
        };
        let mut naive = NaiveBook::new(group, Limits::default());
        let mut now = UnixMs(1_000);
        for _ in 0..commands {
            let command = random_command(&naive, &mut now, 40, rng);
            for event in recorded.book.decide(&command, now).iter().flatten() {
                recorded.add(event, now);
            }
            let _ = naive.execute(&command, now);
            look(&recorded);
        }
        recorded
    }

    fn add(&mut self, event: &BookEvent, at: UnixMs) {
        let sequence = self.head().sequence + 1;
        let line = entry_line(&LogEntry { sequence, at, event: redact(event, &mut self.pseudonyms) }).unwrap();
        self.heads.push(self.head().after(&line));
        self.lines.push(line);
        self.events.push(event.clone());
        self.book.apply(event, at, &mut Vec::new());
    }

    fn head(&self) -> LogHead {
        *self.heads.last().unwrap()
    }

    fn id(&self) -> GroupId {
        self.book.group().id
    }

    fn published(&self, previous: Option<HeadHash>, head: LogHead) -> PublishedHeads {
        let book = BookHead { book: self.id(), slug: self.book.group().slug.to_string(), head };
        PublishedHeads { at: UnixMs(5), position: 9, previous, books: vec![book] }
    }

    /// Heads that the server signs over these lines, which need not be its own.
    fn signed_over(&self, lines: &[Vec<u8>]) -> Signed<PublishedHeads> {
        let first = LogHead::genesis(&lines[0]);
        let head = lines[1..].iter().fold(first, |head, line| head.after(line));
        key().sign(&self.published(None, head)).unwrap()
    }

    fn receipt(&self, user: UserId, seen: LogHead, head: LogHead, offer: Option<OfferId>) -> Receipt {
        let caller = Pseudonyms::new(&SECRET, self.id()).of(user);
        Receipt {
            at: UnixMs(5),
            position: 9,
            request: "POST /api/v1/offers".to_owned(),
            body: HeadHash::of(b"{}"),
            answer: Some(HeadHash::of(b"{}")),
            books: vec![BookReceipt { book: self.id(), caller, seen, head, offer }],
        }
    }
}

fn key() -> LogKey {
    LogKey::new(&[5; 32]).unwrap()
}

fn audit_of(lines: &[Vec<u8>], heads: &[Signed<PublishedHeads>], receipts: &[Signed<Receipt>]) -> AuditReport {
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    audit(&lines, &key().public(), &named("Publication", heads), &named("Receipt", receipts))
}

fn named<S: Clone>(kind: &str, statements: &[Signed<S>]) -> Vec<Named<S>> {
    let numbered = (1..).zip(statements.iter().cloned());
    numbered.map(|(number, signed)| Named { name: format!("{kind} {number}"), signed }).collect()
}

fn of_verdict(report: &AuditReport, verdict: Verdict) -> Vec<&str> {
    let found = report.findings.iter().filter(|finding| finding.verdict == verdict);
    found.map(|finding| finding.text.as_str()).collect()
}

fn refuted(report: &AuditReport) -> Vec<&str> {
    of_verdict(report, Verdict::Refuted)
}

/// The rankings of a book: ids and principals, in order.
fn rankings(book: &OrderBook) -> Vec<Vec<(OfferId, u64)>> {
    let subs = (0..book.group().sub_collections.len()).map(|sub| SubCollectionId(u16::try_from(sub).unwrap()));
    subs.flat_map(|sub| [ProcessType::Manual, ProcessType::Instant].map(|process| (sub, process)))
        .map(|(sub, process)| book.ranked(sub, process).map(|offer| (offer.id, offer.takeable().get())).collect())
        .collect()
}

#[test]
fn a_book_that_is_rebuilt_from_its_log_ranks_as_the_original_after_every_command() {
    let mut rng = rng();
    for _ in 0..12 {
        let group = groups();
        let mut rebuilt: Option<OrderBook> = None;
        let mut read = 0;
        let recorded = Recorded::random(1_500, &mut rng, |recorded| {
            let rebuilt = rebuilt.get_or_insert_with(|| {
                let group = group.iter().find(|group| group.id == recorded.id()).unwrap();
                OrderBook::new(Arc::new(group.clone()), Arc::new(Limits::default()))
            });
            for line in recorded.lines.iter().skip(1 + read) {
                let entry: LogEntry = serde_json::from_slice(line).unwrap();
                rebuilt.apply(&entry.event, entry.at, &mut Vec::new());
                read += 1;
            }
            assert_eq!(rankings(rebuilt), rankings(&recorded.book));
        });
        assert!(recorded.events.len() > 200, "{} events", recorded.events.len());
    }
}

#[test]
fn a_log_names_no_user_no_address_and_no_terms_of_a_negotiation() {
    let mut rng = rng();
    let mut proposals = 0;
    for _ in 0..6 {
        let recorded = Recorded::random(1_500, &mut rng, |_| {});
        for (event, line) in recorded.events.iter().zip(recorded.lines.iter().skip(1)) {
            let text = String::from_utf8(line.clone()).unwrap();
            // Random users have numbers below 8, whatever the kind of their part in an event.
            for field in ["lender", "borrower", "user"] {
                for user in 0..8 {
                    assert!(!text.contains(&format!(r#""{field}":{user},"#)), "{text}");
                    assert!(!text.contains(&format!(r#""{field}":{user}}}"#)), "{text}");
                }
            }
            assert!(!text.contains(r#""payment_address":"b"#) && !text.contains("bc1"), "{text}");
            if let BookEvent::ProposalMade { proposal, .. } = event {
                proposals += 1;
                assert!(!text.contains(&format!(r#""principal":{}"#, proposal.terms.principal.get())), "{text}");
            }
        }
    }
    assert!(proposals > 0);
}

#[test]
fn an_honest_log_proves_its_heads_receipts_and_ranks() {
    let mut rng = rng();
    let recorded = Recorded::random(2_000, &mut rng, |_| {});
    let key = key();
    let middle = recorded.heads[recorded.heads.len() / 2];
    let first = key.sign(&recorded.published(None, middle)).unwrap();
    let second = key.sign(&recorded.published(Some(first.digest()), recorded.head())).unwrap();
    let placed = recorded.events.iter().zip(recorded.heads.windows(2)).filter_map(|(event, heads)| match event {
        BookEvent::OfferCreated { lender, .. } => Some(recorded.receipt(*lender, heads[0], heads[1], None)),
        _ => None,
    });
    let receipts: Vec<_> = placed.map(|receipt| key.sign(&receipt).unwrap()).collect();
    assert!(receipts.len() > 20, "{} offers", receipts.len());
    let report = audit_of(&recorded.lines, &[first, second], &receipts);
    assert_eq!(refuted(&report), Vec::<&str>::new());
    assert!(report.is_sound());
    assert_eq!((report.entries, report.head), (recorded.head().sequence, Some(recorded.head())));
    let proved = |part: &str| report.findings.iter().filter(|finding| finding.text.contains(part)).count();
    assert_eq!(proved("1 of 2 publications of heads name one before them"), 1);
    assert_eq!(proved("2 published heads lie on this log"), 1);
    let compared = u64::try_from(receipts.len()).unwrap();
    assert_eq!((report.compared_heads, report.compared_receipts), (2, compared));
    assert_eq!(report.signed_to, Some(recorded.head().sequence));
    assert_eq!(proved("when it was placed") + proved("was not ranked then"), receipts.len());
}

#[test]
fn an_offer_with_another_number_than_the_next_is_refuted() {
    let recorded = Recorded::random(400, &mut rng(), |_| {});
    let created = |line: &[u8]| match serde_json::from_slice::<LogEntry>(line) {
        Ok(entry) => matches!(entry.event, BookEvent::OfferCreated { .. }),
        Err(_) => false,
    };
    let at = recorded.lines.iter().rposition(|line| created(line)).unwrap();
    for number in [1, (1 << 40) - 1] {
        let mut lines = recorded.lines.clone();
        let mut entry: LogEntry = serde_json::from_slice(&lines[at]).unwrap();
        let BookEvent::OfferCreated { offer, .. } = &mut entry.event else { panic!("an offer") };
        *offer = OfferId::new(offer.group(), number).unwrap();
        lines[at] = entry_line(&entry).unwrap();
        let fault = format!("Line {} adds", at + 1);
        let unsigned = audit_of(&lines, &[], &[]);
        assert!(of_verdict(&unsigned, Verdict::Unusable).concat().starts_with(&fault), "{:?}", unsigned.findings);
        let report = audit_of(&lines, &[recorded.signed_over(&lines)], &[]);
        assert!(refuted(&report).concat().starts_with(&fault), "{:?}", report.findings);
    }
}

#[test]
fn every_alteration_before_a_published_head_is_refuted() {
    let mut rng = rng();
    let key = key();
    let (mut tried, mut kinds) = (0, [0_u32; 5]);
    while tried < 400 {
        let recorded = Recorded::random(400, &mut rng, |_| {});
        let heads = [key.sign(&recorded.published(None, recorded.head())).unwrap()];
        assert!(audit_of(&recorded.lines, &heads, &[]).is_sound());
        for _ in 0..50 {
            let mut lines = recorded.lines.clone();
            let (at, other) = (rng.random_range(1..lines.len()), rng.random_range(1..lines.len()));
            let kind = rng.random_range(0..5);
            match kind {
                0 => drop(lines.remove(at)),
                1 => lines.swap(at, other),
                2 => {
                    let copy = lines[at].clone();
                    lines.insert(other, copy);
                }
                3 => {
                    let byte = rng.random_range(0..lines[at].len());
                    lines[at][byte] ^= 1 << rng.random_range(0..7);
                }
                _ => {
                    // Left out, and all later events numbered again.
                    lines.remove(at);
                    for (sequence, line) in (1..).zip(lines.iter_mut().skip(1)) {
                        let entry: LogEntry = serde_json::from_slice(line).unwrap();
                        *line = entry_line(&LogEntry { sequence, ..entry }).unwrap();
                    }
                }
            }
            if lines == recorded.lines {
                continue;
            }
            let report = audit_of(&lines, &heads, &[]);
            let is_cut = report.findings.iter().any(|finding| finding.verdict == Verdict::Unknown);
            assert!(!report.is_sound() || is_cut || !report.is_usable(), "kind {kind} at {at} and {other}");
            assert!(!report.findings.iter().any(|finding| finding.text.contains("published head lies on this log")));
            (tried, kinds[usize::try_from(kind).unwrap()]) = (tried + 1, kinds[usize::try_from(kind).unwrap()] + 1);
        }
    }
    assert!(kinds.iter().all(|count| *count > 20), "{kinds:?}");
}

#[test]
fn receipts_refute_a_log_that_was_forked() {
    let mut rng = rng();
    let key = key();
    let recorded = Recorded::random(800, &mut rng, |_| {});
    let at = recorded.events.len() / 2;
    let lender = UserId(3);
    let receipt = key.sign(&recorded.receipt(lender, recorded.heads[at], recorded.heads[at + 1], None)).unwrap();
    assert!(audit_of(&recorded.lines, &[], std::slice::from_ref(&receipt)).is_sound());
    let mut forked = recorded.lines.clone();
    let entry: LogEntry = serde_json::from_slice(&forked[at]).unwrap();
    forked[at] = entry_line(&LogEntry { at: UnixMs(entry.at.0 + 1), ..entry }).unwrap();
    let report = audit_of(&forked, &[], std::slice::from_ref(&receipt));
    assert_eq!(refuted(&report).len(), 2, "{:?}", report.findings);
    let by_another =
        LogKey::new(&[6; 32]).unwrap().sign(&recorded.receipt(lender, recorded.head(), recorded.head(), None));
    let report = audit_of(&recorded.lines, &[], &[by_another.unwrap()]);
    let unusable = of_verdict(&report, Verdict::Unusable).concat();
    assert!(unusable.contains("Receipt 1 says nothing: its signature is not of the server's key"), "{unusable}");
    assert!(report.is_sound());
}

#[test]
fn two_continuations_of_one_publication_are_refuted() {
    let mut rng = rng();
    let key = key();
    let recorded = Recorded::random(300, &mut rng, |_| {});
    let one = key.sign(&recorded.published(None, recorded.heads[3])).unwrap();
    let next = key.sign(&recorded.published(Some(one.digest()), recorded.heads[4])).unwrap();
    let other = key.sign(&recorded.published(Some(one.digest()), recorded.heads[5])).unwrap();
    let sound = audit_of(&recorded.lines, &[one.clone(), next.clone()], &[]);
    assert!(sound.is_sound(), "{:?}", sound.findings);
    let forked = audit_of(&recorded.lines, &[one.clone(), next, other], &[]);
    let expected = format!("Two publications of heads continue the same one, {}.", one.digest());
    assert_eq!(refuted(&forked), [expected.as_str()]);
}

/// A book of inscriptions in which these principals were offered by lender 1, one after the other.
fn with_offers(principals: [u64; 2]) -> Recorded {
    let group = groups()[0].clone();
    let first = genesis_line(&group).unwrap();
    let mut recorded = Recorded {
        book: OrderBook::new(Arc::new(group.clone()), Arc::new(Limits::default())),
        pseudonyms: Pseudonyms::new(&SECRET, group.id),
        heads: vec![LogHead::genesis(&first)],
        lines: vec![first],
        events: Vec::new(),
    };
    let price = UnitPrice::from_scaled(1_000_000 * 100_000_000);
    recorded.add(&BookEvent::PriceMoved { price, observed_at: UnixMs(1) }, UnixMs(1));
    for (number, principal) in (1..).zip(principals) {
        let draft = OfferDraft::plain(SubCollectionId(0), ProcessType::Manual, Sats::new(principal));
        let command = Command::Create { lender: UserId(1), draft, count: 1, usable: None };
        for event in recorded.book.decide(&command, UnixMs(number)).unwrap() {
            recorded.add(&event, UnixMs(number));
        }
    }
    recorded
}

fn reservation_of(offer: OfferId) -> BookEvent {
    BookEvent::OfferReserved(Reservation {
        id: ReservationId(7),
        offer,
        borrower: UserId(2),
        principal: Sats::new(400_000),
        pledged_raw: 1,
        expires_at: UnixMs(9_000),
    })
}

#[test]
fn a_loan_that_passes_over_a_better_offer_is_named() {
    let mut recorded = with_offers([400_000, 500_000]);
    let [worse, better] = [1, 2].map(|sequence| OfferId::new(recorded.id(), sequence).unwrap());
    let seen = recorded.head();
    recorded.add(&reservation_of(worse), UnixMs(10));
    recorded.add(&BookEvent::ReservationConfirmed { reservation: ReservationId(7), loan: LoanId(8) }, UnixMs(11));
    let receipts =
        [worse, better].map(|offer| key().sign(&recorded.receipt(UserId(2), seen, seen, Some(offer))).unwrap());
    let report = audit_of(&recorded.lines, &[], &receipts);
    assert_eq!(refuted(&report), Vec::<&str>::new());
    let [skipped] = &report.skipped[..] else { panic!("{:?}", report.skipped) };
    assert_eq!((skipped.offer, skipped.best, skipped.rank, skipped.loan), (worse, better, 2, Some(LoanId(8))));
    let texts: Vec<&str> = report.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert!(texts.contains(&format!(
        "Receipt 1: {worse}, from which a loan was prepared, was ranked 2; the best offer of its kind was {better}."
    ).as_str()), "{texts:?}");
    assert!(texts.contains(
        &format!("Receipt 2: {better}, from which a loan was prepared, was the best offer of its kind.").as_str()
    ));
}

#[test]
fn a_reservation_that_the_rules_forbid_is_refuted() {
    let recorded = || with_offers([400_000, 500_000]);
    let offer = OfferId::new(recorded().id(), 1).unwrap();
    let mut paused = recorded();
    paused.add(&BookEvent::OfferPaused { offer }, UnixMs(5));
    paused.add(&reservation_of(offer), UnixMs(10));
    let mut taken = recorded();
    taken.add(&reservation_of(offer), UnixMs(10));
    taken.add(&reservation_of(offer), UnixMs(11));
    let mut absent = recorded();
    absent.add(&reservation_of(OfferId::new(absent.id(), 77).unwrap()), UnixMs(10));
    for (recorded, reason) in
        [(paused, "could not be taken then"), (taken, "could not be taken then"), (absent, "was not in the book")]
    {
        let unsigned = audit_of(&recorded.lines, &[], &[]);
        assert!(unsigned.is_sound() && !unsigned.is_usable(), "{:?}", unsigned.findings);
        let report = audit_of(&recorded.lines, &[recorded.signed_over(&recorded.lines)], &[]);
        assert!(refuted(&report).concat().contains(reason), "{:?}", report.findings);
    }
}

#[test]
fn a_log_proves_nothing_without_a_signed_head_of_its_book() {
    let recorded = with_offers([400_000, 500_000]);
    let heads = [key().sign(&recorded.published(None, recorded.head())).unwrap()];
    let receipt = key().sign(&recorded.receipt(UserId(1), recorded.heads[1], recorded.head(), None)).unwrap();
    let proved = |report: &AuditReport| of_verdict(report, Verdict::Proved).len();
    let alone = audit_of(&recorded.lines, &[], &[]);
    assert_eq!((proved(&alone), alone.compared_heads, alone.compared_receipts), (0, 0, 0));
    assert!(of_verdict(&alone, Verdict::Unknown).contains(&"No published head of this book was given."));
    // Renumbered, so that no statement seems to be about it, and with another amount.
    let renumbered = |text: String| text.replace("\"id\":1,", "\"id\":99,").replace("400000", "390000");
    let other: Vec<Vec<u8>> =
        recorded.lines.iter().map(|line| renumbered(String::from_utf8(line.clone()).unwrap()).into_bytes()).collect();
    assert_ne!(other[0], recorded.lines[0]);
    let report = audit_of(&other, &heads, std::slice::from_ref(&receipt));
    assert!(refuted(&report).concat().contains("names group-1 as book 1."), "{:?}", report.findings);
    assert_eq!(proved(&report), 0, "{:?}", report.findings);
    // With another name as well it is of a book that nothing given is about.
    let unknown: Vec<Vec<u8>> = other
        .iter()
        .map(|line| String::from_utf8(line.clone()).unwrap().replace("\"group-1\"", "\"group-9\"").into_bytes())
        .collect();
    let report = audit_of(&unknown, &heads, &[receipt]);
    assert_eq!((proved(&report), report.compared_heads, report.compared_receipts), (0, 0, 0), "{:?}", report.findings);
    assert!(of_verdict(&report, Verdict::Unknown).contains(&"1 of 1 receipts are about other books, or about none."));
}

#[test]
fn a_receipt_that_is_refuted_proves_no_rank() {
    let recorded = with_offers([400_000, 500_000]);
    let receipt = |head| key().sign(&recorded.receipt(UserId(1), recorded.heads[1], head, None)).unwrap();
    let another = LogHead { hash: HeadHash::of(b"another"), ..recorded.heads[2] };
    let report = audit_of(&recorded.lines, &[], &[receipt(recorded.heads[2]), receipt(another)]);
    let ranks: Vec<&str> =
        report.findings.iter().map(|finding| finding.text.as_str()).filter(|text| text.contains("at rank")).collect();
    let [rank] = ranks[..] else { panic!("{ranks:?}") };
    assert!(rank.starts_with("Receipt 1: "), "{rank}");
    assert!(refuted(&report).concat().starts_with("Receipt 2 was signed with head"), "{:?}", report.findings);
}
