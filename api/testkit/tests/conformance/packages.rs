//! Scenarios of packages, and of children that pay for their parents.

use bitcoin::transaction::Version;
use bitcoin::{Amount, Transaction};
use engine::chain::{Chain as _, ChainError, TxRejection};
use escrow::contract::transaction::spend::Spend;

use crate::custom_transaction::{CustomTransaction, pay};
use crate::inscription_deal::InscriptionDeal;
use crate::test_wallet::{TestWallet, coin_of, funded};
use crate::world::{World, refusal, send};

/// A parent and its child, with these fees.
async fn family(world: &impl World, version: Version, [parent_fee, child_fee]: [u64; 2]) -> [Transaction; 2] {
    let person = TestWallet::new(1);
    let coin = funded(world, person.payment(), 100_000).await;
    let custom_transaction = |spend, left| CustomTransaction {
        version,
        ..CustomTransaction::new(vec![spend], vec![pay(person.payment_script(), left)])
    };
    let parent = custom_transaction(Spend::Coin(&coin), 100_000 - parent_fee).signed(&[&person], None);
    let made = coin_of(&parent, 0, person.payment());
    let child = custom_transaction(Spend::Coin(&made), 100_000 - parent_fee - child_fee).signed(&[&person], None);
    [parent, child]
}

fn reason(outcome: Result<(), ChainError>, of: &Transaction) -> String {
    match outcome {
        Err(ChainError::Rejected(TxRejection { txid, reason })) if txid == of.compute_txid() => reason,
        other => panic!("not a refusal of {}: {other:?}", of.compute_txid()),
    }
}

pub(crate) async fn a_child_pays_for_a_parent_that_pays_nothing(world: &impl World) {
    for version in [Version::TWO, Version(3)] {
        let family = family(world, version, [0, 2_000]).await;
        assert_eq!(refusal(world, &family[0]).await, "min relay fee not met");
        // A test checks each transaction by itself.
        assert_eq!(reason(world.node().test_accept(&family).await, &family[0]), "min relay fee not met");
        assert_eq!(world.node().broadcast(&family).await, Ok(()));
        assert_eq!(world.node().broadcast(&family).await, Ok(()), "they are in the mempool already");
        assert_eq!(world.waiting().await.len(), 2);
        world.mine(1).await;
        assert_eq!(world.waiting().await, []);
        assert_eq!(world.node().broadcast(&family).await, Ok(()), "they are in a block");
    }
}

pub(crate) async fn a_child_that_pays_too_little_for_both_is_refused_with_its_parent(world: &impl World) {
    let family = family(world, Version::TWO, [0, 15]).await;
    let refused = world.node().broadcast(&family).await;
    assert!(matches!(refused, Err(ChainError::Rejected(_))), "{refused:?}");
    assert_eq!(world.waiting().await, []);
}

pub(crate) async fn parents_come_before_their_children(world: &impl World) {
    let [parent, child] = family(world, Version::TWO, [500, 500]).await;
    let wrong = [child.clone(), parent.clone()];
    assert_eq!(reason(world.node().test_accept(&wrong).await, &parent), "package-not-sorted");
    assert_eq!(refusal(world, &child).await, "bad-txns-inputs-missingorspent");
    let right = [parent, child];
    assert_eq!(world.node().test_accept(&right).await, Ok(()));
    assert_eq!(world.node().broadcast(&right).await, Ok(()));
}

/// An origination is never replaced: its txid would change, and the pre-signed repayment would be void.
pub(crate) async fn the_borrower_bumps_an_origination_with_a_child(world: &impl World) {
    let deal = InscriptionDeal::prepare(world).await;
    let borrower = &deal.parties.borrower;
    send(world, &deal.origination).await;
    let principal = coin_of(&deal.origination, 1, borrower.payment());
    let rest = principal.output.value.checked_sub(Amount::from_sat(50_000)).unwrap();
    let child =
        CustomTransaction::new(vec![Spend::Coin(&principal)], vec![pay(borrower.payment_script(), rest.to_sat())]);
    send(world, &child.signed(&[borrower], None)).await;
    world.mine(1).await;
    deal.assert_inscription_in(world, deal.loan.outpoint).await;
}
