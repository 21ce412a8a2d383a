//! The spool, which keeps a piece of a backup until a command has taken it.

use std::fs;

use persistence::{BackupError, CommitSource as _, Pieces, Spool, Until};
use rand::{SeedableRng as _, rngs::StdRng};

use crate::{
    backup::{fill, limits, next_piece},
    form::{Form as _, SledForm},
};

#[test]
fn a_spool_offers_the_same_piece_until_it_is_taken() {
    let place = SledForm::empty();
    let journal = place.open(limits()).unwrap();
    fill(&journal, 9, &mut StdRng::seed_from_u64(12));
    let folder = tempfile::tempdir().unwrap();
    let (start, mut feed) = journal.start_feed(0).unwrap();
    let mut spool = Spool::open(folder.path()).unwrap();
    let (mut taken, mut kept) = (Vec::new(), 0);
    loop {
        let piece = next_piece(&journal, &mut feed, spool.end(), start.journal.unwrap(), 2_000);
        let Some(piece) = piece else { break };
        let name = piece.name();
        spool.put(piece).unwrap();
        assert!(Spool::open(folder.path()).is_err(), "one process ships");
        drop(spool);
        spool = Spool::open(folder.path()).unwrap();
        let pending = spool.pending().unwrap();
        assert_eq!(pending.name(), name);
        pending.write_to(&mut taken).unwrap();
        kept += 1;
        spool.taken().unwrap();
        drop(spool);
        spool = Spool::open(folder.path()).unwrap();
        assert!(spool.pending().is_none());
    }
    assert!(kept > 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "a lock and the end; nothing is pending");
    let copy = SledForm::empty();
    let restored = copy.restore_backup(&mut Pieces::of_stream(&taken[..]), Until::End).unwrap();
    assert_eq!((restored.pieces, restored.point), (kept, feed.point()));
    drop(spool);
    fs::write(folder.path().join("shipped.json"), "{}").unwrap();
    assert!(matches!(Spool::open(folder.path()).unwrap_err(), BackupError::Damaged { .. }));
}

#[test]
fn a_damaged_piece_on_its_way_is_refused_unless_it_was_taken() {
    let place = SledForm::empty();
    let journal = place.open(limits()).unwrap();
    fill(&journal, 2, &mut StdRng::seed_from_u64(13));
    let folder = tempfile::tempdir().unwrap();
    let (start, mut feed) = journal.start_feed(0).unwrap();
    let mut spool = Spool::open(folder.path()).unwrap();
    let mut next = |spool: &Spool| next_piece(&journal, &mut feed, spool.end(), start.journal.unwrap(), 1).unwrap();
    let pending = || {
        let paths = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|suffix| suffix == "pending")).collect::<Vec<_>>()
    };
    spool.put(next(&spool)).unwrap();
    let first = pending().pop().unwrap();
    spool.taken().unwrap();
    assert!(pending().is_empty());
    let end = *spool.end().unwrap();
    drop(spool);
    // A crash between the note and the removal, and damage since.
    fs::write(&first, "damaged").unwrap();
    let mut spool = Spool::open(folder.path()).unwrap();
    assert!(spool.pending().is_none() && pending().is_empty());
    assert_eq!(spool.end(), Some(&end));

    let second = next(&spool);
    spool.put(second.clone()).unwrap();
    let error = spool.put(second).unwrap_err();
    assert!(matches!(error, BackupError::Overlap { found: 2, .. }), "{error}");
    drop(spool);
    // A command may have the sound one under this name, so another one must not take its place.
    fs::write(pending().pop().unwrap(), "damaged").unwrap();
    let error = Spool::open(folder.path()).unwrap_err();
    assert!(matches!(error, BackupError::Damaged { .. }), "{error}");
}
