//! Tests of the log after crashes and after tampering.

use std::fs;

use signer::master_seed::MasterSeed;
use signer::policy::Policy;
use signer::request::{Answer, LoanRequest, Request, SpentOutput};
use signer::signer::Signer;
use signer::signing_log::{LineFault, LogError, Opened};
use signer::term_sheet::TermSheet;

use crate::rig::{Rig, VAULT_SATS, outpoint, seed, signing};

fn open(rig: &Rig, bytes: &[u8]) -> Result<(Signer, Opened), LogError> {
    let path = rig.folder.path().join("copy.jsonl");
    fs::write(&path, bytes).unwrap();
    let policy = Policy::new(rig.draft.clone(), &seed()).unwrap();
    Signer::open(seed(), policy, TermSheet::new(rig.sheet.clone()), &path)
}

/// An acknowledged loan.
struct Lent {
    rig: Rig,
    /// The entries for policy, vault, offer and loan.
    log: Vec<u8>,
    /// A request for the same loan again.
    same: Request,
    /// A request for another loan by the same offer, which the first has used up.
    second: Request,
}

fn lent() -> Lent {
    let (mut rig, offer) = Rig::lending(None);
    let loan = rig.loan(offer);
    let prepared = rig.prepare(&loan);
    rig.sign_loan(&loan, &prepared);
    let log = fs::read(rig.log()).unwrap();
    let vault_outputs = vec![SpentOutput { outpoint: outpoint(51), sats: VAULT_SATS }];
    let second = Request::PrepareLoan(Box::new(LoanRequest { loan_id: 78, vault_outputs, ..loan.clone() }));
    Lent { rig, log, same: signing(&loan, &prepared), second }
}

#[test]
fn a_crash_at_any_byte_loses_no_acknowledged_entry() {
    let Lent { rig, log, same, second } = lent();
    let ends: Vec<usize> = (0..log.len()).filter(|place| log[*place] == b'\n').map(|place| place + 1).collect();
    assert_eq!(ends.len(), 4, "policy, vault, offer, loan");
    for length in 0..=log.len() {
        let (mut signer, opened) = open(&rig, &log[..length]).unwrap();
        let whole = ends.iter().filter(|end| **end <= length).count();
        let whole_bytes = if whole == 0 { 0 } else { ends[whole - 1] };
        let cut_bytes = u64::try_from(length - whole_bytes).unwrap();
        assert_eq!(opened, Opened { lines: u64::try_from(whole).unwrap(), cut_bytes }, "cut at {length}");
        // Later decisions and writes depend only on which lines are complete.
        if length != whole_bytes && length != log.len() - 1 {
            continue;
        }
        let answer = signer.answer(second.clone(), rig.now_ms);
        let expected = match whole {
            0 | 1 => "no vault",
            2 => "no such offer",
            3 => "",
            _ => "is used",
        };
        match answer {
            Answer::Refused(refusal) => {
                assert!(!expected.is_empty() && refusal.to_string().contains(expected), "cut at {length}: {refusal}");
            }
            other => assert!(expected.is_empty(), "cut at {length}: {other:?}"),
        }
        if whole >= 3 {
            // Lost or not, the signed loan is signed again, and new lines follow the complete ones.
            assert!(matches!(signer.answer(same.clone(), rig.now_ms), Answer::Signed(_)), "cut at {length}");
        }
        drop(signer);
        let copy = fs::read(rig.folder.path().join("copy.jsonl")).unwrap();
        assert_eq!(copy[..whole_bytes], log[..whole_bytes]);
        assert_eq!(open(&rig, &copy).unwrap().1.cut_bytes, 0);
    }
}

#[test]
fn a_log_that_was_tampered_with_is_refused() {
    let Lent { rig, log, .. } = lent();
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let fault = |bytes: &[u8]| match open(&rig, bytes) {
        Err(LogError::Damaged { line, fault, .. }) => (line, fault),
        other => panic!("{other:?}"),
    };
    let replaced = |line: usize, from: &str, to: &str| {
        let text = String::from_utf8(lines[line].to_vec()).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        text.replace(from, to).into_bytes()
    };
    assert_eq!(fault(&[lines[0], lines[2]].concat()), (2, LineFault::Number { expected: 1, found: 2 }));
    assert_eq!(fault(&[lines[0], lines[0]].concat()), (2, LineFault::Number { expected: 1, found: 0 }));
    assert_eq!(fault(&[&b"\n"[..], &log].concat()), (1, LineFault::Unreadable));
    let first = replaced(0, "\"time_ms\":0", "\"time_ms\":9");
    assert_eq!(fault(&[&first, lines[1]].concat()), (2, LineFault::Chain));
    let later = replaced(1, "1800000000000", "1800000000001");
    assert_eq!(fault(&[lines[0], &later, lines[2]].concat()), (3, LineFault::Chain));
    let earlier = replaced(3, "1800000000000", "1799999999999");
    assert_eq!(fault(&[lines[0], lines[1], lines[2], &earlier].concat()), (4, LineFault::Time));
    let renamed = replaced(2, "ninjas", "pirates");
    assert_eq!(fault(&[lines[0], lines[1], &renamed, lines[3]].concat()), (4, LineFault::Chain));
    let trouble = replaced(2, "create offer", "create trouble");
    let (line, nonsense) = fault(&[lines[0], lines[1], &trouble].concat());
    assert!(line == 3 && matches!(nonsense, LineFault::Nonsense { .. }), "{nonsense:?}");
    assert_eq!(fault(&vec![b'x'; 300_000]), (1, LineFault::TooLong));
}

#[test]
fn every_flipped_bit_before_the_last_line_is_detected() {
    let Lent { rig, log, .. } = lent();
    // The last line is not covered by a later hash; every byte before it is.
    let last = log[..log.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    for place in 0..last {
        let mut altered = log.clone();
        altered[place] ^= 1 << (place % 8);
        assert!(open(&rig, &altered).is_err(), "byte {place}");
    }
}

#[test]
fn two_signers_never_share_a_log() {
    let rig = Rig::new();
    let policy = Policy::new(rig.draft.clone(), &seed()).unwrap();
    let second = Signer::open(seed(), policy, TermSheet::default(), &rig.log());
    assert!(matches!(second, Err(LogError::InUse { .. })));
}

#[test]
fn the_end_of_a_signer_is_awaited_by_the_next_one() {
    let Rig { folder, signer, draft, .. } = Rig::new();
    let log = folder.path().join("signed.jsonl");
    std::thread::scope(|scope| {
        let next =
            scope.spawn(|| Signer::open(seed(), Policy::new(draft, &seed()).unwrap(), TermSheet::default(), &log));
        std::thread::sleep(std::time::Duration::from_millis(50));
        drop(signer);
        assert!(next.join().unwrap().is_ok());
    });
}

#[test]
fn a_log_that_cannot_be_opened_is_an_error_of_the_file() {
    let rig = Rig::new();
    let policy = Policy::new(rig.draft.clone(), &seed()).unwrap();
    let nowhere = rig.folder.path().join("none").join("log");
    let refused = Signer::open(MasterSeed::random(), policy, TermSheet::default(), &nowhere);
    assert!(matches!(refused, Err(LogError::File { .. })));
}

#[test]
fn no_key_is_in_the_log_or_in_debug_output() {
    let Lent { mut rig, log, same, second } = lent();
    let key = seed().vault_key(bitcoin::Network::Regtest, crate::rig::LENDER_ID).unwrap();
    let answers = [rig.ask(same.clone()), rig.ask(second.clone())];
    let log = String::from_utf8(log).unwrap();
    let shown = format!("{:?} {answers:?} {same:?} {second:?} {key:?} {:?} {log}", rig.signer, seed());
    // The seed of these tests is one byte repeated: in hexadecimal, in decimal, and as text.
    for secret in ["5a5a5a5a", "90, 90, 90, 90", "ZZZZZZZZ"] {
        assert!(!shown.contains(secret), "{secret}");
    }
}
