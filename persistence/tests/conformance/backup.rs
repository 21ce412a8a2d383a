//! Backups: every prefix of the commits restores as it was, and what is not sound is refused.

use std::{
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use domain::{Event, Stream, UnixMs};
use engine::journal::{Append, Batch, Journal, Recorded};
use persistence::{
    BackupError, BackupFolder, ChainEnd, CommitFeed, CommitLimits, CommitSource, Piece, PieceBuilder, Pieces,
    RestoreError, RestoredBackup, StateDigest, Until, WholeJournal as _,
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tempfile::TempDir;

use crate::{
    form::{Form, SledForm},
    numbered::{Numbered, streams},
    on_every_form,
};

on_every_form! {
    every_prefix_of_a_backup_restores_as_it_was,
    a_restored_backup_is_the_same_journal,
    a_backup_continues_while_the_journal_grows,
    a_journal_of_another_history_is_not_added,
    a_backup_is_restored_into_an_empty_place_alone,
}

/// An event with its place and time.
type Stored = (Stream, u64, UnixMs, Event);

/// A commit, as the test has made it.
pub(crate) struct Made {
    position: u64,
    /// The latest time of its events.
    at: u64,
    events: Vec<Stored>,
}

/// Appends random batches, each a commit, with a clock that sometimes steps back. Returns the commits in their order.
pub(crate) fn fill(journal: &impl Journal, commits: u64, random: &mut StdRng) -> Vec<Made> {
    let mut ends: Vec<u64> = streams().iter().map(|stream| journal.replay(*stream, 0, &mut |_| {}).unwrap()).collect();
    let mut made = Vec::new();
    let mut clock = 1_000_000;
    for batch in 0..commits {
        clock = if random.random_ratio(1, 5) { clock - 3_000 } else { clock + random.random_range(0..5_000) };
        let total = if random.random_ratio(1, 8) { 400 } else { random.random_range(1..8) };
        let (mut appends, mut events) = (Vec::new(), Vec::new());
        let always = random.random_range(0..streams().len());
        for (index, (stream, end)) in streams().into_iter().zip(&mut ends).enumerate() {
            if index != always && random.random_ratio(2, 3) {
                continue;
            }
            let of_stream: Vec<_> = (0..total).map(|index| Numbered { batch, index, total }.event(stream)).collect();
            for event in &of_stream {
                *end += 1;
                events.push((stream, *end, UnixMs(clock), event.clone()));
            }
            appends.push(Append { stream, after: *end - u64::from(total), events: of_stream });
        }
        let position = journal.append(Batch { at: UnixMs(clock), appends }).blocking_recv().unwrap().unwrap();
        made.push(Made { position: position.0, at: clock, events });
    }
    made
}

pub(crate) fn limits() -> CommitLimits {
    CommitLimits { block_bytes: 700, ..CommitLimits::default() }
}

/// All events of a place, in the order of an export.
fn stored<F: Form>(place: &F) -> Vec<Stored> {
    let journal = place.open(limits()).unwrap();
    let mut events = Vec::new();
    journal
        .replay_whole(&mut |stream, Recorded { sequence, at, event }| {
            events.push((stream, sequence, at, event));
            ControlFlow::Continue(())
        })
        .unwrap();
    events
}

/// The events of the commits up to a number of them, in the order of an export.
fn expected(made: &[Made], commits: usize) -> Vec<Stored> {
    let mut events: Vec<_> = made[..commits].iter().flat_map(|commit| commit.events.clone()).collect();
    events.sort_by_key(|(stream, sequence, ..)| (*stream, *sequence));
    events
}

/// Returns the next piece of at most about `bytes_max` bytes; `None` if there is nothing more.
pub(crate) fn next_piece(
    journal: &impl CommitSource,
    feed: &mut CommitFeed,
    end: Option<&ChainEnd>,
    identity: StateDigest,
    bytes_max: usize,
) -> Option<Piece> {
    let mut builder = PieceBuilder::new(end, identity);
    journal.read_feed(feed, bytes_max, &mut |commit| builder.push(&commit)).unwrap();
    assert_eq!(builder.point(), feed.point(), "both follow the digest");
    builder.seal().unwrap()
}

/// Adds what a journal has to the backup in a folder: three pieces of a commit each, then pieces of random sizes.
fn ship(journal: &impl CommitSource, folder: &Path, random: &mut StdRng) -> Result<(), BackupError> {
    let mut backup = BackupFolder::open(folder)?;
    let position = backup.end().map_or(0, |end| end.point.position);
    let (start, mut feed) = journal.start_feed(position).unwrap();
    let Some(identity) = ChainEnd::check_journal(backup.end(), &start)? else { return Ok(()) };
    let mut sizes = [1; 3].into_iter().chain(std::iter::repeat_with(|| random.random_range(1..20_000)));
    while let Some(bytes_max) = sizes.next()
        && let Some(piece) = next_piece(journal, &mut feed, backup.end(), identity, bytes_max)
    {
        backup.put(&piece)?;
    }
    assert_eq!(feed.point().position, start.end);
    Ok(())
}

fn restored<F: Form>(folder: &Path, until: Until) -> (F, Result<RestoredBackup, RestoreError>) {
    let place = F::empty();
    let restored = place.restore_backup(&mut Pieces::of_folder(folder).unwrap(), until);
    (place, restored)
}

#[expect(clippy::print_stdout, reason = "the seed is what it takes to run a failure again")]
fn print_seed(seed: u64) {
    println!("seed {seed}");
}

/// A filled place, its backup, and what was made.
fn backed_up<F: Form>(commits: u64, seed: u64) -> (F, TempDir, Vec<Made>) {
    print_seed(seed);
    let mut random = StdRng::seed_from_u64(seed);
    let (place, folder) = (F::empty(), tempfile::tempdir().unwrap());
    let journal = place.open(limits()).unwrap();
    let made = fill(&journal, commits, &mut random);
    ship(&journal, folder.path(), &mut random).unwrap();
    F::close(&journal);
    (place, folder, made)
}

fn every_prefix_of_a_backup_restores_as_it_was<F: Form>() {
    let seed = rand::random();
    let (_original, folder, made) = backed_up::<F>(24, seed);
    for (commits, commit) in (1..).zip(&made) {
        let (place, restored) = restored::<F>(folder.path(), Until::Position(commit.position));
        let restored = restored.unwrap();
        assert_eq!((restored.point.position, restored.at.0), (commit.position, commit.at), "seed {seed}");
        assert_eq!(restored.is_whole, commits == made.len(), "seed {seed}");
        assert!(stored(&place) == expected(&made, commits), "seed {seed}, up to commit {commits}");
    }
    // A moment excludes the first commit after it, and all later ones.
    let random = &mut StdRng::seed_from_u64(seed);
    for _ in 0..12 {
        let commit = &made[random.random_range(0..made.len())];
        let moment = commit.at - random.random_range(0..2);
        let commits = made.iter().take_while(|commit| commit.at <= moment).count();
        let (place, restored) = restored::<F>(folder.path(), Until::Time(UnixMs(moment)));
        match restored {
            Err(error) => {
                assert!(matches!(error, RestoreError::Backup(BackupError::BeginsLater)) && commits == 0, "{error}");
            }
            Ok(restored) => {
                assert_eq!(restored.point.position, made[commits - 1].position, "seed {seed}, moment {moment}");
                assert!(stored(&place) == expected(&made, commits), "seed {seed}, moment {moment}");
            }
        }
    }
}

fn a_restored_backup_is_the_same_journal<F: Form>() {
    let (original, folder, made) = backed_up::<F>(40, rand::random());
    let (copy, restored) = restored::<F>(folder.path(), Until::End);
    let restored = restored.unwrap();
    assert_eq!(copy.verify().unwrap(), original.verify().unwrap(), "streams, events, blocks, bytes and commits");
    assert!(stored(&copy) == expected(&made, made.len()));
    let (one, other) = (original.open(limits()).unwrap(), copy.open(limits()).unwrap());
    let (start, _) = one.start_feed(restored.point.position).unwrap();
    assert_eq!(start, other.start_feed(restored.point.position).unwrap().0);
    assert_eq!((start.journal, start.digest), (Some(restored.journal), Some(restored.point.digest)));
    // The pieces in a stream are the same backup.
    let files = piece_files(folder.path());
    assert!(files.len() > 2, "{files:?}");
    let stream: Vec<u8> = files.iter().flat_map(|path| fs::read(path).unwrap()).collect();
    let streamed = F::empty();
    assert_eq!(streamed.restore_backup(&mut Pieces::of_stream(&stream[..]), Until::End).unwrap(), restored);
    // It continues where the original is, and a later backup of it follows.
    fill(&other, 3, &mut StdRng::seed_from_u64(1));
    ship(&other, folder.path(), &mut StdRng::seed_from_u64(2)).unwrap();
}

fn a_backup_continues_while_the_journal_grows<F: Form>() {
    let seed = rand::random();
    print_seed(seed);
    let mut random = StdRng::seed_from_u64(seed);
    let (place, folder) = (F::empty(), tempfile::tempdir().unwrap());
    let journal = place.open(limits()).unwrap();
    ship(&journal, folder.path(), &mut random).unwrap();
    assert!(Pieces::of_folder(folder.path()).is_err(), "a journal without commits has no pieces");
    let mut made = Vec::new();
    for _ in 0..6 {
        let commits = random.random_range(0..6);
        let more = fill(&journal, commits, &mut random);
        made.extend(more);
        ship(&journal, folder.path(), &mut random).unwrap();
    }
    // While a writer appends, a feed has whole commits only, each once.
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| fill(&journal, 60, &mut StdRng::seed_from_u64(seed)));
        while !writing.is_finished() {
            ship_some(&journal, folder.path());
        }
        made.extend(writing.join().unwrap());
    });
    ship(&journal, folder.path(), &mut random).unwrap();
    F::close(&journal);
    let (copy, restored) = restored::<F>(folder.path(), Until::End);
    assert_eq!(restored.unwrap().point.position, made.last().unwrap().position);
    assert!(stored(&copy) == expected(&made, made.len()), "seed {seed}");
}

/// Adds what there is now, if anything, as one piece.
fn ship_some(journal: &impl CommitSource, folder: &Path) {
    let mut backup = BackupFolder::open(folder).unwrap();
    let position = backup.end().map_or(0, |end| end.point.position);
    let (start, mut feed) = journal.start_feed(position).unwrap();
    let identity = ChainEnd::check_journal(backup.end(), &start).unwrap();
    let piece = identity.and_then(|identity| next_piece(journal, &mut feed, backup.end(), identity, usize::MAX));
    if let Some(piece) = piece {
        backup.put(&piece).unwrap();
    }
}

fn a_journal_of_another_history_is_not_added<F: Form>() {
    let random = &mut StdRng::seed_from_u64(3);
    let (_original, folder, made) = backed_up::<F>(10, 4);
    let refusal = |place: &F| ship(&place.open(limits()).unwrap(), folder.path(), &mut StdRng::seed_from_u64(5));

    let (behind, _) = restored::<F>(folder.path(), Until::Position(7));
    let error = refusal(&behind).unwrap_err();
    assert!(matches!(error, BackupError::JournalBehind { backup: 10, journal: 7 }), "{error}");
    fill(&behind.open(limits()).unwrap(), 5, random);
    let error = refusal(&behind).unwrap_err();
    assert!(matches!(error, BackupError::OtherHistory { position: 10, .. }), "{error}");

    let other = F::empty();
    let error = refusal(&other).unwrap_err();
    assert!(matches!(error, BackupError::JournalBehind { journal: 0, .. }), "{error}");
    fill(&other.open(limits()).unwrap(), 20, random);
    let error = refusal(&other).unwrap_err();
    assert!(matches!(error, BackupError::ForeignJournal { .. }), "{error}");
    let (copy, _) = restored::<F>(folder.path(), Until::End);
    assert!(stored(&copy) == expected(&made, made.len()), "the backup is as before");
}

fn a_backup_is_restored_into_an_empty_place_alone<F: Form>() {
    let (original, folder, made) = backed_up::<F>(5, 6);
    let restore = |until| original.restore_backup(&mut Pieces::of_folder(folder.path()).unwrap(), until);
    let error = restore(Until::End).unwrap_err();
    assert!(matches!(&error, RestoreError::Open(error) if F::is_not_empty(error)), "{error}");
    assert!(stored(&original) == expected(&made, made.len()));
    let (place, refused) = restored::<F>(folder.path(), Until::Position(6));
    let error = refused.unwrap_err();
    assert!(matches!(error, RestoreError::Backup(BackupError::EndsBefore { end: 5, wanted: 6 })), "{error}");
    let nothing = place.verify().map_or(0, |report| report.events + report.last_commit);
    assert_eq!(nothing, 0, "nothing is restored");
    assert!(place.restore_backup(&mut Pieces::of_folder(folder.path()).unwrap(), Until::End).is_ok());
}

/// The pieces in a folder, in their order.
fn piece_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "lienbook-piece"));
    files.sort();
    files
}

/// The error of a restore, after which there is no journal.
#[track_caller]
fn refused(folder: &Path) -> String {
    let place = SledForm::empty();
    let restored = Pieces::of_folder(folder).map_err(RestoreError::from);
    let error = restored.and_then(|mut pieces| place.restore_backup(&mut pieces, Until::End)).unwrap_err();
    assert!(!place.0.path().join("journal").exists());
    error.to_string()
}

#[test]
fn a_missing_repeated_mixed_or_renamed_piece_is_refused() {
    let (_original, folder, _) = backed_up::<SledForm>(30, 7);
    let files = piece_files(folder.path());
    assert!(files.len() > 3, "{files:?}");
    let away = folder.path().join("away");
    for file in &files[..files.len() - 1] {
        fs::rename(file, &away).unwrap();
        let error = refused(folder.path());
        assert!(error.contains("pieces are missing"), "{error}");
        let error = BackupFolder::open(folder.path()).unwrap_err();
        assert!(matches!(error, BackupError::Gap { .. }), "{error}");
        fs::rename(&away, file).unwrap();
    }
    let name = files[1].file_name().unwrap().to_str().unwrap();
    let repeated = files[1].with_file_name(format!("{}20000101T000000Z.lienbook-piece", &name[..42]));
    fs::copy(&files[1], &repeated).unwrap();
    assert!(refused(folder.path()).contains("an earlier piece has"));
    fs::remove_file(&repeated).unwrap();
    let odd = files[1].with_file_name("odd.lienbook-piece");
    fs::copy(&files[1], &odd).unwrap();
    assert!(refused(folder.path()).contains("is not the name of a piece"));
    fs::remove_file(&odd).unwrap();

    // The contents of two pieces are swapped.
    let (one, two) = (fs::read(&files[1]).unwrap(), fs::read(&files[2]).unwrap());
    fs::write(&files[1], &two).unwrap();
    assert!(refused(folder.path()).contains("its contents are those of"));
    fs::write(&files[1], [one.as_slice(), &[0]].concat()).unwrap();
    assert!(refused(folder.path()).contains("bytes follow its end"));
    fs::write(&files[1], &one).unwrap();

    // A stream of two backups.
    let (_other, other, _) = backed_up::<SledForm>(30, 8);
    let mixed = [fs::read(&files[0]).unwrap(), fs::read(&piece_files(other.path())[0]).unwrap()].concat();
    let place = SledForm::empty();
    let error = place.restore_backup(&mut Pieces::of_stream(&mixed[..]), Until::End).unwrap_err();
    assert!(error.to_string().contains("two backups are mixed"), "{error}");
    let error = place.restore_backup(&mut Pieces::of_stream(&one[..]), Until::End).unwrap_err();
    assert!(error.to_string().contains("pieces are missing"), "{error}");
    let error = place.restore_backup(&mut Pieces::of_stream(&[][..]), Until::End).unwrap_err();
    assert!(error.to_string().contains("no pieces of a backup"), "{error}");
}

#[test]
fn every_altered_or_truncated_piece_is_refused() {
    let (_original, folder, _) = backed_up::<SledForm>(12, 9);
    let file = piece_files(folder.path()).pop().unwrap();
    let sound = fs::read(&file).unwrap();
    for at in (0..sound.len()).step_by(7) {
        let mut altered = sound.clone();
        altered[at] ^= 4;
        fs::write(&file, altered).unwrap();
        let error = refused(folder.path());
        assert!(error.contains("is damaged") || error.contains("newer version"), "byte {at}: {error}");
        assert!(BackupFolder::open(folder.path()).is_err(), "byte {at}");
    }
    for length in (0..sound.len()).step_by(11) {
        fs::write(&file, &sound[..length]).unwrap();
        assert!(refused(folder.path()).contains("is damaged"), "cut to {length} bytes");
    }
    fs::write(&file, &sound).unwrap();
    BackupFolder::open(folder.path()).unwrap();
}

#[test]
fn a_folder_has_one_writer_and_a_killed_one_leaves_nothing_in_the_way() {
    let (original, folder, _) = backed_up::<SledForm>(3, 10);
    let first = BackupFolder::open(folder.path()).unwrap();
    let error = BackupFolder::open(folder.path()).unwrap_err();
    assert!(matches!(error, BackupError::Locked { .. }), "{error}");
    drop(first);
    let half = folder.path().join("00000000000000000004-00000000000000000009-x.lienbook-piece.unfinished");
    fs::write(&half, "half").unwrap();
    let mut backup = BackupFolder::open(folder.path()).unwrap();
    assert!(!half.exists());

    // A writer that no lock has stopped.
    let journal = original.open(limits()).unwrap();
    fill(&journal, 1, &mut StdRng::seed_from_u64(11));
    let (_, mut feed) = journal.start_feed(3).unwrap();
    let end = *backup.end().unwrap();
    let piece = next_piece(&journal, &mut feed, Some(&end), end.journal, usize::MAX).unwrap();
    let taken = folder.path().join("00000000000000000004-00000000000000000009-20261127T100000Z.lienbook-piece");
    fs::write(&taken, "another writer's").unwrap();
    let error = backup.put(&piece).unwrap_err();
    assert!(matches!(error, BackupError::Locked { .. }), "{error}");
    fs::remove_file(&taken).unwrap();
    backup.put(&piece).unwrap();
    assert!(backup.put(&piece).is_err(), "it is there already");
    assert_eq!(backup.end(), Some(&piece.end()));
}
