//! Tests of packages.

use bitcoin::{OutPoint, Transaction};
use engine::chain::ChainPosition;

use super::node::{coin, node, output_of, padding, pays, presence, send, spend, test};

/// A parent that pays one fee and its child that pays another.
fn parent_and_child(from: OutPoint, sats: u64, fees: [u64; 2]) -> [Transaction; 2] {
    let parent = spend(&[from], &[pays(sats - fees[0])]);
    let child = spend(&[output_of(&parent, 0)], &[pays(sats - fees[0] - fees[1])]);
    [parent, child]
}

#[test]
fn a_child_pays_for_its_parent() {
    let node = node();
    let package = parent_and_child(coin(&node, 100_000), 100_000, [0, 1_000]);
    assert_eq!(send(&node, &package[..1]), Err("min relay fee not met".into()));
    assert_eq!(send(&node, &package), Ok(()));
    for transaction in &package {
        assert_eq!(presence(&node, transaction.compute_txid()), Some(ChainPosition::InMempool));
    }
    // Submitted again, and partly confirmed, it is not an error.
    assert_eq!(send(&node, &package), Ok(()));
    node.mine(1).unwrap();
    assert_eq!(send(&node, &package), Ok(()));
}

#[test]
fn in_a_tested_package_each_transaction_pays_for_itself() {
    let node = node();
    let coin = coin(&node, 100_000);
    assert_eq!(test(&node, &parent_and_child(coin, 100_000, [0, 1_000])), Err("min relay fee not met".into()));
    assert_eq!(test(&node, &parent_and_child(coin, 100_000, [500, 1_000])), Ok(()));
    assert!(node.mempool_txids().is_empty());
    send(&node, &[spend(&[coin], &[pays(99_900)])]).unwrap();
    let better = parent_and_child(coin, 100_000, [5_000, 1_000]);
    assert_eq!(test(&node, &better), Err("bip125-replacement-disallowed".into()));
}

#[test]
fn a_package_with_too_low_a_total_fee_is_refused() {
    let node = node();
    let package = parent_and_child(coin(&node, 100_000), 100_000, [0, 15]);
    assert_eq!(send(&node, &package), Err("min relay fee not met".into()));
    assert!(node.mempool_txids().is_empty());
}

#[test]
fn a_package_is_sorted_and_without_conflicts() {
    let node = node();
    let (one, other) = (coin(&node, 100_000), coin(&node, 100_000));
    let [parent, child] = parent_and_child(one, 100_000, [1_000, 1_000]);
    let unrelated = spend(&[other], &[pays(99_000)]);
    let conflicting = spend(&[one], &[pays(50_000)]);
    let many = vec![parent.clone(); 26];
    let heavy = [spend(&[one], &[pays(1_000), padding(90_000)]), spend(&[other], &[pays(1_000), padding(90_000)])];
    for (package, reason) in [
        (vec![child.clone(), parent.clone()], "package-not-sorted"),
        (vec![parent.clone(), parent.clone()], "package-contains-duplicates"),
        (vec![parent.clone(), conflicting], "conflict-in-package"),
        (heavy.to_vec(), "package-too-large"),
    ] {
        assert_eq!(test(&node, &package), Err(reason.into()));
        assert_eq!(send(&node, &package), Err("package-not-child-with-parents".into()));
    }
    assert_eq!(test(&node, &many), Err("package-too-many-transactions".into()));
    assert_eq!(send(&node, &many), Err("package-too-many-transactions".into()));
    // Unrelated transactions can be tested together, but not submitted together.
    assert_eq!(test(&node, &[unrelated.clone(), parent.clone()]), Ok(()));
    assert_eq!(send(&node, &[unrelated, parent]), Err("package-not-child-with-parents".into()));
    assert_eq!(test(&node, &[]), Ok(()));
    assert_eq!(send(&node, &[]), Ok(()));
}

#[test]
fn one_parent_and_one_child_replace_together() {
    let node = node();
    let coin = coin(&node, 100_000);
    let first = spend(&[coin], &[pays(99_000)]);
    send(&node, std::slice::from_ref(&first)).unwrap();
    // Whatever the reason against the package, the parent's own one is reported.
    let too_cheap = parent_and_child(coin, 100_000, [100, 900]);
    assert_eq!(send(&node, &too_cheap), Err("insufficient fee".into()));
    assert!(presence(&node, first.compute_txid()).is_some());
    assert_eq!(send(&node, &parent_and_child(coin, 100_000, [100, 3_000])), Ok(()));
    assert_eq!(presence(&node, first.compute_txid()), None);
}

#[test]
fn larger_packages_and_those_with_mempool_ancestors_do_not_replace_together() {
    let node = node();
    let (one, other) = (coin(&node, 100_000), coin(&node, 100_000));
    send(&node, &[spend(&[one], &[pays(99_000)])]).unwrap();
    let parents = [spend(&[one], &[pays(100_000)]), spend(&[other], &[pays(100_000)])];
    let child = spend(&[output_of(&parents[0], 0), output_of(&parents[1], 0)], &[pays(150_000)]);
    let family_of_three = [parents[0].clone(), parents[1].clone(), child];
    let too_low = || Err("min relay fee not met".into());
    assert_eq!(send(&node, &family_of_three), too_low());

    let relative = spend(&[other], &[pays(99_000)]);
    send(&node, std::slice::from_ref(&relative)).unwrap();
    let parent = spend(&[one], &[pays(100_000)]);
    let child = spend(&[output_of(&parent, 0), output_of(&relative, 0)], &[pays(150_000)]);
    assert_eq!(send(&node, &[parent, child]), too_low());
}

#[test]
fn dust_is_accepted_only_with_the_child_that_spends_it() {
    let node = node();
    let coin = coin(&node, 100_000);
    let parent = spend(&[coin], &[pays(50_000), pays(49_900), pays(100)]);
    let leaves_it = spend(&[output_of(&parent, 0)], &[pays(40_000)]);
    let takes_it = spend(&[output_of(&parent, 1), output_of(&parent, 2)], &[pays(40_000)]);
    assert_eq!(send(&node, &[parent.clone(), leaves_it.clone()]), Err("min relay fee not met".into()));
    assert_eq!(send(&node, &[parent, takes_it]), Ok(()));
    // Another child that leaves the dust unspent is refused as well.
    assert_eq!(send(&node, &[leaves_it]), Err("missing-ephemeral-spends".into()));
}

#[test]
fn a_package_whose_parent_is_invalid_leaves_nothing_behind() {
    let node = node();
    let [mut parent, child] = parent_and_child(coin(&node, 100_000), 100_000, [1_000, 1_000]);
    parent.input[0].witness = bitcoin::Witness::new();
    assert_eq!(send(&node, &[parent, child]), Err("mempool-script-verify-flag-failed".into()));
    assert!(node.mempool_txids().is_empty());
}
