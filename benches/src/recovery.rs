//! The duration of a restart: open, verify, replay, apply.

use std::{
    collections::HashMap,
    io,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{Event, GroupId, OrderBook, Stream};
use engine::{Market, Settings, clock::ManualClock, journal::Journal as _};
use persistence::{Options, SledJournal};

use crate::{
    book_events::{GroupEvents, batches, book_events, listing},
    durable::{BATCH_EVENTS, folder_on_disk},
    machine::Watch,
    number::{count, median, per_second, spread, whole},
    planner::START,
    report::{Section, Table, print},
};

const GROUPS: u32 = 40;
/// The number of batches in flight while the journal is written.
const WINDOW: usize = 64;

/// The steps of a restart, by the wall clock.
struct Restart {
    /// Opening and finding the ends.
    open: Duration,
    /// Reading, verifying and decoding every event.
    replay: Duration,
    /// The same, with every event applied to its bare book.
    apply: Duration,
    /// The start of the whole market, until it is ready for commands.
    market: Duration,
}

/// Selects one of a restart's times.
type Step = fn(&Restart) -> Duration;

async fn write(folder: &Path, groups: &[GroupEvents]) -> io::Result<()> {
    let journal = SledJournal::open(folder, Options::default()).map_err(io::Error::other)?;
    let mut under_way = std::collections::VecDeque::new();
    for batch in std::iter::once(listing(groups)).chain(batches(groups, BATCH_EVENTS)) {
        if under_way.len() >= WINDOW
            && let Some(durable) = under_way.pop_front()
        {
            written(durable).await;
        }
        under_way.push_back(journal.append(batch));
    }
    for durable in under_way {
        written(durable).await;
    }
    journal.close();
    Ok(())
}

async fn written(durable: engine::journal::Durable) {
    durable.await.expect("the journal's writer is running").expect("the batch is appended");
}

fn replay_only(folder: &Path) -> io::Result<(Duration, Duration, u64)> {
    let start = Instant::now();
    let journal = SledJournal::open(folder, Options::default()).map_err(io::Error::other)?;
    let open = start.elapsed();
    let events = journal.replay_all(|_, recorded| drop(std::hint::black_box(recorded))).map_err(io::Error::other)?;
    Ok((open, start.elapsed(), events))
}

/// Applies everything to bare books, and asserts that they equal those of `groups`.
fn replay_and_apply(folder: &Path, groups: &[GroupEvents]) -> io::Result<Duration> {
    let empty = |group: &GroupEvents| (group.group.id, OrderBook::new(group.group.clone(), Arc::default()));
    let mut books: HashMap<GroupId, OrderBook> = groups.iter().map(empty).collect();
    let mut touched = Vec::new();
    let start = Instant::now();
    let journal = SledJournal::open(folder, Options::default()).map_err(io::Error::other)?;
    let mut apply = |stream, recorded: engine::journal::Recorded| {
        if let (Stream::Book(group), Event::Book(event)) = (stream, &recorded.event)
            && let Some(book) = books.get_mut(&group)
        {
            touched.clear();
            book.apply(event, recorded.at, &mut touched);
        }
    };
    journal.replay_all(&mut apply).map_err(io::Error::other)?;
    let elapsed = start.elapsed();
    for group in groups {
        let mut expected = OrderBook::new(group.group.clone(), Arc::default());
        for (at, event) in &group.events {
            expected.apply(event, *at, &mut touched);
        }
        crate::book::assert_same_book(&books[&group.group.id], &expected);
    }
    Ok(elapsed)
}

async fn start_market(folder: &Path, groups: usize) -> io::Result<Duration> {
    let start = Instant::now();
    let journal = Arc::new(SledJournal::open(folder, Options::default()).map_err(io::Error::other)?);
    // A clock that does not advance: reservations still open at the end must not expire and write.
    let clock = Arc::new(ManualClock::new(START));
    let market = Market::start(journal.clone(), clock, Settings::default()).map_err(io::Error::other)?;
    let elapsed = start.elapsed();
    assert_eq!(market.groups().len(), groups, "every group is back");
    market.stop().await;
    journal.close();
    Ok(elapsed)
}

fn restart(folder: &Path, groups: &[GroupEvents], expected: u64) -> io::Result<Restart> {
    let (open, replay, events) = replay_only(folder)?;
    assert_eq!(events, expected, "every event is back");
    let apply = replay_and_apply(folder, groups)?;
    let market = actix::System::new().block_on(start_market(folder, groups.len()))?;
    Ok(Restart { open, replay, apply, market })
}

/// Measures restarts of a journal with `events` events over 40 groups.
///
/// # Errors
/// If the disk fails or the results cannot be written.
pub fn run(seed: u64, events: usize, rounds: usize, chosen: Option<&Path>) -> io::Result<()> {
    print(&format!("recovery: seed {seed}"));
    let folder = folder_on_disk(chosen)?;
    let path = folder.path().join("journal");
    let groups = book_events(seed, GROUPS, events.div_ceil(40));
    actix::System::new().block_on(write(&path, &groups))?;
    let total = groups.iter().map(|group| group.events.len()).sum::<usize>();
    let expected = u64::try_from(total + groups.len()).expect("few events");
    let watch = Watch::start();
    let mut restarts = Vec::new();
    for round in 1..=rounds {
        restarts.push(restart(&path, &groups, expected)?);
        print(&format!("  round {round}: the market is back after {:.3} s", restarts[round - 1].market.as_secs_f64()));
    }
    let mut section = Section::new("recovery", &watch);
    let columns = ["what", "events/s", "least", "most", "s a million events"];
    let mut table =
        Table::new(&format!("Restart with {} events in 40 books: medians of the rounds", count(total)), &columns);
    let steps: [(&str, Step); 3] = [
        ("open, verify, decode", |restart| restart.replay),
        ("open, verify, decode, apply to bare books", |restart| restart.apply),
        ("the market, ready for commands", |restart| restart.market),
    ];
    for (name, of) in steps {
        let rates: Vec<f64> = restarts.iter().map(|restart| per_second(total, of(restart))).collect();
        let (least, most) = spread(&rates);
        let seconds = format!("{:.2}", 1e6 / median(&rates));
        table.row([name.to_owned(), whole(median(&rates)), whole(least), whole(most), seconds]);
        section.figure(format!("{name}, events/s"), median(&rates));
    }
    section.table(table);
    let opens: Vec<f64> = restarts.iter().map(|restart| restart.open.as_secs_f64() * 1e3).collect();
    section.note(format!(
        "Seed {seed}, {rounds} rounds; opening alone takes {:.1} ms. The files are in the page cache: a cold disk adds the time to read them.",
        median(&opens)
    ));
    section.note("After the replay every book equals the one that the same events were decided on.");
    section.publish()
}
