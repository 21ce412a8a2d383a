//! Scenarios of a vault's change in a full mempool, on Bitcoin Core: blocks have room only for the highest fee rates.

use bitcoin::{Amount, FeeRate, OutPoint, Transaction, Txid};
use engine::chain::{Chain as _, ChainPosition};
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::vault::Vault;
use escrow::contract::vault::fee_bump::{FeeBump, child_fee};
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};

use crate::custom_transaction::{CustomTransaction, pay};
use crate::deal::{Deal, Parties};
use crate::inscriber::inscribe;
use crate::real_world::CoreAndOrd;
use crate::test_wallet::{TestWallet, coin_of, funded};
use crate::vault::{fund_vault, own_outputs};
use crate::world::{START_SECONDS, World as _, send};

/// The maximum weight of a block. Core reserves 8,000 of it for the coinbase; 4,000 remain, for about ten payments.
const BLOCK_WEIGHT_MAX: u32 = 12_000;
/// The number of competing transactions.
const COMPETING: u32 = 60;
/// The fee of each of them: about 45 sats per virtual byte.
const COMPETING_FEE_SATS: u64 = 5_000;
const COMPETING_COIN_SATS: u64 = 100_000;
/// The fee rate that outbids them: 60 sats per virtual byte.
const TARGET: FeeRate = FeeRate::from_sat_per_kwu(15_000);

async fn world() -> CoreAndOrd {
    CoreAndOrd::start_with(START_SECONDS, Some(BLOCK_WEIGHT_MAX)).await
}

/// Creates the confirmed coins of the competing transactions.
async fn fund_competitors(world: &CoreAndOrd) -> (TestWallet, Transaction) {
    let person = TestWallet::new(21);
    let coin = funded(world, person.payment(), u64::from(COMPETING) * COMPETING_COIN_SATS + 50_000).await;
    let outputs = (0..COMPETING).map(|_| pay(person.payment_script(), COMPETING_COIN_SATS)).collect();
    let split = CustomTransaction::new(vec![Spend::Coin(&coin)], outputs).signed(&[&person], None);
    world.mine_these(std::slice::from_ref(&split)).await;
    (person, split)
}

/// Broadcasts all competing transactions.
async fn broadcast_competitors(world: &CoreAndOrd, (person, split): &(TestWallet, Transaction)) {
    for vout in 0..COMPETING {
        let coin = coin_of(split, vout, person.payment());
        let outputs = vec![pay(person.payment_script(), COMPETING_COIN_SATS - COMPETING_FEE_SATS)];
        let payment = CustomTransaction::new(vec![Spend::Coin(&coin)], outputs).signed(&[person], None);
        world.node().broadcast(&[payment]).await.unwrap();
    }
}

/// Returns the fee of an unconfirmed transaction.
async fn fee_of(world: &CoreAndOrd, transaction: &Transaction) -> Amount {
    let mut input_value = Amount::ZERO;
    for input in &transaction.input {
        let OutPoint { txid, vout } = input.previous_output;
        let maker = world.node().transaction(txid).await.unwrap().unwrap().transaction;
        input_value += maker.output[usize::try_from(vout).unwrap()].value;
    }
    input_value - transaction.output.iter().map(|output| output.value).sum::<Amount>()
}

/// Returns the child that raises an unconfirmed transaction to the target fee rate.
async fn child(world: &CoreAndOrd, vault: &Vault, signer: &TestWallet, parent: &Transaction) -> Transaction {
    let output = *own_outputs(vault, parent).first().unwrap();
    let weight = FeeBump { vault, output, fee: Amount::ZERO }.build().unwrap().weight;
    let fee = child_fee((parent.weight(), fee_of(world, parent).await), weight, TARGET).unwrap();
    let template = FeeBump { vault, output, fee }.build().unwrap();
    let child = template.finish(&signer.signatures(&template), template.final_txid()).unwrap();
    assert!(child.weight() <= weight, "the fee suffices");
    child
}

async fn is_mined(world: &CoreAndOrd, txid: Txid) -> bool {
    let seen = world.node().transaction(txid).await.unwrap().unwrap();
    matches!(seen.position, ChainPosition::Confirmed { .. })
}

/// Asserts that the parent alone stays unconfirmed; with the child it is in the next block, though the others remain.
async fn assert_mined_only_with_child(world: &CoreAndOrd, vault: &Vault, signer: &TestWallet, parent: &Transaction) {
    let txid = parent.compute_txid();
    for _ in 0..2 {
        world.mine(1).await;
        assert!(!is_mined(world, txid).await, "others pay more");
    }
    let child = child(world, vault, signer, parent).await;
    send(world, &child).await;
    world.mine(1).await;
    assert!(is_mined(world, txid).await && is_mined(world, child.compute_txid()).await);
    assert!(world.waiting().await.len() >= 10, "the mempool is still full");
    let [(outpoint, held)] = own_outputs(vault, &child)[..] else { panic!("it pays the vault once") };
    let unspent = world.node().unspent(outpoint).await.unwrap().unwrap();
    assert_eq!((unspent.confirmations, unspent.output.value), (1, held));
}

#[tokio::test]
async fn a_withdrawal_with_a_low_fee_is_mined_with_its_child() {
    let world = world().await;
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault(&world, &parties).await;
    let others = fund_competitors(&world).await;
    let withdrawal = VaultWithdrawal {
        vault: &vault,
        outputs: &outputs,
        destination: &parties.lender.payment_script(),
        share: Share::Part(Amount::from_sat(1_000_000)),
        fee_rate: FeeRate::from_sat_per_kwu(250),
        change_outputs: 8,
    };
    let template = withdrawal.build().unwrap();
    let parent = template.finish(&parties.funder.signatures(&template), template.final_txid()).unwrap();
    send(&world, &parent).await;
    broadcast_competitors(&world, &others).await;
    assert_mined_only_with_child(&world, &vault, &parties.funder, &parent).await;
}

#[tokio::test]
async fn an_origination_with_a_low_fee_is_mined_with_a_child_of_the_vault_change() {
    let world = world().await;
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault(&world, &parties).await;
    let (_, collateral) = inscribe(&world, &parties.borrower, 0, 546).await;
    let others = fund_competitors(&world).await;
    let funding = Funding::Vault { vault: &vault, outputs: &outputs };
    let deal = Deal::sign(parties, Collateral::Inscription(&collateral), funding);
    send(&world, &deal.origination).await;
    broadcast_competitors(&world, &others).await;
    assert_mined_only_with_child(&world, &vault, &deal.parties.funder, &deal.origination).await;
}
