//! Equal batches are equal bytes in every form.

use domain::{AccountEvent, Event, Stream, UnixMs, UserId, WalletAddresses};
use engine::journal::{Append, Batch, Journal};
use persistence::{CommitLimits, export};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use crate::{
    form::{Form, PostgresForm, SledForm},
    numbered::{Numbered, streams},
};

const SEED: u64 = 0x1e_b00c;
const BATCHES: u64 = 60;

/// An event that sled has to cut into several records.
fn large() -> Batch {
    let addresses = WalletAddresses {
        payment_address: "x".repeat(30_000),
        payment_pubkey: String::new(),
        ordinal_address: String::new(),
        ordinal_pubkey: String::new(),
    };
    let event = Event::Account(AccountEvent::SignedIn { user: UserId(1), addresses });
    Batch { at: UnixMs(5), appends: vec![Append { stream: Stream::Accounts, after: 0, events: vec![event] }] }
}

/// Appends random batches, one commit each.
fn fill(journal: &impl Journal) {
    let mut random = StdRng::seed_from_u64(SEED);
    let mut ends = vec![0_u64; streams().len()];
    journal.append(large()).blocking_recv().unwrap().unwrap();
    for batch in 0..BATCHES {
        let total = random.random_range(1..300);
        let mut appends = Vec::new();
        for (stream, end) in streams().into_iter().zip(&mut ends) {
            if random.random_ratio(1, 3) {
                let events = (0..total).map(|index| Numbered { batch, index, total }.event(stream)).collect();
                appends.push(Append { stream, after: *end, events });
                *end += u64::from(total);
            }
        }
        journal.append(Batch { at: UnixMs(1_000 + batch), appends }).blocking_recv().unwrap().unwrap();
    }
}

#[test]
fn equal_batches_lead_to_equal_blocks_and_exports() {
    let (in_sled, in_postgres) = (SledForm::empty(), PostgresForm::empty());
    let (sled, postgres) =
        (in_sled.open(CommitLimits::default()).unwrap(), in_postgres.open(CommitLimits::default()).unwrap());
    fill(&sled);
    fill(&postgres);
    let mut texts = [Vec::new(), Vec::new()];
    let totals = (export(&sled, &mut texts[0]).unwrap(), export(&postgres, &mut texts[1]).unwrap());
    assert_eq!(totals.0, totals.1);
    assert!(texts[0] == texts[1], "the exports differ");
    drop((sled, postgres));

    let reports = (in_sled.verify().unwrap(), in_postgres.verify().unwrap());
    assert!(reports.0.is_sound() && reports.1.is_sound());
    assert_eq!(reports.0, reports.1, "streams, events, blocks, bytes and commits");
    assert_eq!(blocks_in_sled(&in_sled), blocks_in_postgres(&in_postgres));

    // Each form restores the other's export.
    let (sled_again, postgres_again) = (SledForm::empty(), PostgresForm::empty());
    sled_again.restore(&mut &texts[1][..], &mut |_| {}).unwrap();
    postgres_again.restore(&mut &texts[0][..], &mut |_| {}).unwrap();
    assert_eq!(blocks_in_sled(&sled_again), blocks_in_postgres(&postgres_again));
}

/// The key and the bytes of every block, in hexadecimal. The records of a block follow each other.
fn blocks_in_sled(place: &SledForm) -> Vec<String> {
    let open = || sled::Config::new().path(place.0.path().join("journal")).open();
    // sled's threads release the file shortly after it was closed.
    let db = (0..1_000).find_map(|_| open().map_err(|error| (pause(), error).1).ok()).unwrap();
    let mut blocks = Vec::<(Vec<u8>, Vec<u8>)>::new();
    for record in db.iter() {
        let (key, value) = record.unwrap();
        match blocks.last_mut() {
            Some((last, bytes)) if *last == key[..25] => bytes.extend_from_slice(&value),
            _ => blocks.push((key[..25].to_vec(), value.to_vec())),
        }
    }
    blocks.into_iter().map(|(key, bytes)| format!("{} {}", hexadecimal(&key), hexadecimal(&bytes))).collect()
}

fn blocks_in_postgres(place: &PostgresForm) -> Vec<String> {
    let rows = place.sql(
        "SELECT encode(stream, 'hex') || lpad(to_hex(first), 16, '0') || ' ' || encode(block, 'hex') \
         FROM lienbook_block ORDER BY stream, first",
    );
    rows.lines().map(str::to_owned).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(5));
}
