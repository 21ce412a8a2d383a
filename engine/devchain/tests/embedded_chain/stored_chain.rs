//! Tests of a chain that is stored in a file, after crashes and damage.

use std::fs;
use std::path::{Path, PathBuf};

use bitcoin::Amount;
use devchain::{ChainFileError, EmbeddedChain, ReorgPolicy};
use engine::chain::Chain as _;
use futures_util::FutureExt as _;

use super::node::{anyone_can_spend, carried, coin, height, inscribed, node, output_of, pays, send, spend, unspent};

fn open(path: &Path) -> EmbeddedChain {
    EmbeddedChain::open(path).expect("a whole file").expect("a file")
}

/// A chain in a file of its own.
fn stored_chain() -> (tempfile::TempDir, PathBuf, EmbeddedChain) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("chain");
    assert!(EmbeddedChain::open(&path).expect("no error").is_none(), "nothing is there yet");
    let chain = node();
    chain.persist(&path).expect("a new file");
    (folder, path, chain)
}

fn tip(chain: &EmbeddedChain) -> engine::chain::Tip {
    chain.tip().now_or_never().expect("an answer").expect("an answer")
}

#[test]
fn a_chain_continues_from_its_last_state() {
    let (_folder, path, chain) = stored_chain();
    assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 1, "nothing is left over");
    let coin = coin(&chain, 50_000);
    let (_, picture) = inscribed(&chain, 1_000);
    let waits = spend(&[coin], &[pays(40_000)]);
    send(&chain, std::slice::from_ref(&waits)).expect("it is accepted");
    chain.sync().expect("a disk");
    let (before, waiting) = (tip(&chain), chain.mempool_txids());
    // A killed process closes nothing.
    let again = open(&path);
    assert_eq!((tip(&again), again.mempool_txids()), (before, waiting));
    assert_eq!(carried(&again, picture), carried(&chain, picture));
    assert_eq!(unspent(&again, coin), None, "the mempool spends it");
    again.mine(1).expect("a block");
    again.reorg(1, ReorgPolicy::Requeue).expect("another");
    let last = open(&path);
    assert_eq!((tip(&last), last.mempool_txids()), (tip(&again), again.mempool_txids()));
    last.mine(1).expect("a block");
    assert!(unspent(&last, output_of(&waits, 0)).is_some());
    assert_eq!(height(&open(&path)), height(&last));
}

#[test]
fn a_torn_end_is_cut_and_the_file_continues_from_there() {
    let (_folder, path, chain) = stored_chain();
    chain.mine(1).expect("a block");
    let whole = fs::read(&path).expect("a file");
    chain.mine(1).expect("a block");
    let longer = fs::read(&path).expect("a file");
    for torn in whole.len() + 1..longer.len() {
        fs::write(&path, &longer[..torn]).expect("a file");
        assert_eq!(height(&open(&path)), 151);
        assert_eq!(fs::read(&path).expect("a file"), whole);
    }
    fs::write(&path, &longer[..longer.len() - 1]).expect("a file");
    open(&path).mine(2).expect("two blocks");
    assert_eq!(height(&open(&path)), 153);
}

#[test]
fn damage_is_reported_with_its_offset_and_left_unchanged() {
    let (_folder, path, chain) = stored_chain();
    let first = fs::metadata(&path).expect("a file").len();
    chain.mine(2).expect("two blocks");
    let bytes = fs::read(&path).expect("a file");
    let place = usize::try_from(first).expect("a short file");
    let mut corrupted = bytes.clone();
    corrupted[place + 40] ^= 1;
    fs::write(&path, &corrupted).expect("a file");
    let error = EmbeddedChain::open(&path).expect_err("damage");
    assert!(matches!(error, ChainFileError::Damaged { at, .. } if at == first), "{error}");
    assert_eq!(fs::read(&path).expect("a file"), corrupted);
    // A missing record is not detected as damage, but the next block has lost its parent.
    let record = (bytes.len() - place) / 2;
    fs::write(&path, [&bytes[..place], &bytes[place + record..]].concat()).expect("a file");
    let error = EmbeddedChain::open(&path).expect_err("a gap");
    assert!(matches!(error, ChainFileError::InvalidBlock { at, .. } if at == first), "{error}");
}

#[test]
fn a_chain_that_cannot_be_stored_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let chain = node();
    let error = chain.persist(&folder.path().join("nowhere/chain")).expect_err("no folder");
    assert!(matches!(error, ChainFileError::Io { what: "written", .. }), "{error}");
    chain.fund(&anyone_can_spend(), Amount::from_sat(5_000)).expect("the chain in memory is unaffected");
}
