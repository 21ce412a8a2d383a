//! Tests of version 3 transactions with their parents and children.

use super::node::{coin, node, output_of, padding, pays, presence, refusal, send, spend, test, versioned};

const TRUC: &str = "TRUC-violation";

#[test]
fn unconfirmed_parents_and_children_of_version_three_have_version_three() {
    let node = node();
    let (one, other) = (coin(&node, 100_000), coin(&node, 100_000));
    let three = versioned(spend(&[one], &[pays(99_000)]), 3);
    let two = spend(&[other], &[pays(99_000)]);
    for transaction in [&three, &two] {
        send(&node, std::slice::from_ref(transaction)).unwrap();
    }
    assert_eq!(refusal(&node, &spend(&[output_of(&three, 0)], &[pays(98_000)])), TRUC);
    assert_eq!(refusal(&node, &versioned(spend(&[output_of(&two, 0)], &[pays(98_000)]), 3)), TRUC);
    node.mine(1).unwrap();
    // A confirmed parent imposes no version.
    assert_eq!(send(&node, &[spend(&[output_of(&three, 0)], &[pays(98_000)])]), Ok(()));
}

#[test]
fn a_version_three_cluster_is_one_parent_and_one_small_child() {
    let node = node();
    let (one, other) = (coin(&node, 1_000_000), coin(&node, 100_000));
    assert_eq!(refusal(&node, &versioned(spend(&[one], &[pays(9_000), padding(9_950)]), 3)), TRUC);
    let parent = versioned(spend(&[one], &[pays(900_000), pays(90_000), padding(9_800)]), 3);
    send(&node, std::slice::from_ref(&parent)).unwrap();
    let child = |bytes| versioned(spend(&[output_of(&parent, 0)], &[pays(800_000), padding(bytes)]), 3);
    assert_eq!(refusal(&node, &child(950)), TRUC);
    assert_eq!(send(&node, &[child(850)]), Ok(()));
    // No grandchild, and no second parent.
    let grandchild = versioned(spend(&[output_of(&child(850), 0)], &[pays(700_000)]), 3);
    assert_eq!(refusal(&node, &grandchild), TRUC);
    let aunt = versioned(spend(&[other], &[pays(90_000)]), 3);
    send(&node, std::slice::from_ref(&aunt)).unwrap();
    let of_two = versioned(spend(&[output_of(&parent, 1), output_of(&aunt, 0)], &[pays(1_000)]), 3);
    assert_eq!(refusal(&node, &of_two), TRUC);
}

#[test]
fn a_better_child_evicts_its_sibling() {
    let node = node();
    let coin = coin(&node, 100_000);
    let parent = versioned(spend(&[coin], &[pays(50_000), pays(49_000)]), 3);
    send(&node, std::slice::from_ref(&parent)).unwrap();
    let pinning = versioned(spend(&[output_of(&parent, 0)], &[pays(48_000), padding(800)]), 3);
    send(&node, std::slice::from_ref(&pinning)).unwrap();
    let rescue = |sats| versioned(spend(&[output_of(&parent, 1)], &[pays(sats)]), 3);
    assert_eq!(refusal(&node, &rescue(47_000)), "insufficient fee (including sibling eviction)");
    assert_eq!(send(&node, &[rescue(46_000)]), Ok(()));
    assert_eq!(presence(&node, pinning.compute_txid()), None);
}

#[test]
fn the_version_three_limits_apply_within_a_package() {
    let node = node();
    let (one, other) = (coin(&node, 100_000), coin(&node, 100_000));
    let parent = versioned(spend(&[one], &[pays(60_000), pays(40_000)]), 3);
    let child = versioned(spend(&[output_of(&parent, 0)], &[pays(50_000)]), 3);
    let second = versioned(spend(&[output_of(&parent, 1)], &[pays(30_000)]), 3);
    let grandchild = versioned(spend(&[output_of(&child, 0)], &[pays(40_000)]), 3);
    let of_other_version = spend(&[output_of(&parent, 0)], &[pays(50_000)]);
    let large = versioned(spend(&[output_of(&parent, 0)], &[pays(50_000), padding(950)]), 3);
    let aunt = versioned(spend(&[other], &[pays(100_000)]), 3);
    let of_two = versioned(spend(&[output_of(&parent, 0), output_of(&aunt, 0)], &[pays(50_000)]), 3);
    let paying = versioned(spend(&[one], &[pays(59_000), pays(39_000)]), 3);
    let children = [0, 1].map(|vout| versioned(spend(&[output_of(&paying, vout)], &[pays(30_000)]), 3));
    assert_eq!(test(&node, &[paying, children[0].clone(), children[1].clone()]), Err(TRUC.into()));
    for package in
        [vec![parent.clone(), of_other_version], vec![parent.clone(), large], vec![parent.clone(), aunt, of_two]]
    {
        // The parent pays nothing, which is reported first; with a fee of its own it is accepted and the child is not.
        assert_eq!(send(&node, &package), Err("min relay fee not met".into()));
        assert!(node.mempool_txids().is_empty());
    }
    let paid = versioned(spend(&[other], &[pays(99_000)]), 3);
    let of_other_version = spend(&[output_of(&paid, 0)], &[pays(50_000)]);
    assert_eq!(send(&node, &[paid.clone(), of_other_version]), Err(TRUC.into()));
    assert_eq!(node.mempool_txids(), [paid.compute_txid()]);
    assert_eq!(send(&node, &[parent.clone(), child]), Ok(()));
    for package in [[parent.clone(), second], [parent, grandchild]] {
        assert!(send(&node, &package).is_err());
    }
}
