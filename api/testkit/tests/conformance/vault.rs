//! Scenarios of a vault: deposit, instant loan, withdrawal, unilateral exit.

use bitcoin::{Amount, OutPoint, Sequence, Transaction};
use engine::chain::Chain as _;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::payment::{Payee, Payment};
use escrow::contract::vault::vault_exit::VaultExit;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use escrow::contract::vault::{EXIT_BLOCKS, Vault, VaultTerms};

use crate::custom_transaction::{CustomTransaction, assembled, pay};
use crate::deal::{Deal, PAYOUT_SATS, PLATFORM_SATS, PRINCIPAL_SATS, Parties, assert_inscription, fee_rate};
use crate::inscriber::inscribe;
use crate::test_wallet::funded;
use crate::world::{World, confirm, refusal, send};

pub(crate) const VAULT_SATS: u64 = 5_000_000;

pub(crate) fn vault(parties: &Parties) -> Vault {
    let terms = VaultTerms { lender_id: 4, signers: parties.funder.key().into(), lender: parties.lender.key() };
    Vault::new(terms).unwrap()
}

/// Deposits from a coin of the lender's.
pub(crate) async fn fund_vault(world: &impl World, parties: &Parties) -> (Vault, [(OutPoint, Amount); 1]) {
    let (vault, outputs) = fund_vault_with(world, parties, (VAULT_SATS, 1)).await;
    (vault, outputs.try_into().unwrap())
}

/// Does the same with this amount, in this number of outputs.
pub(crate) async fn fund_vault_with(
    world: &impl World,
    parties: &Parties,
    (sats, count): (u64, usize),
) -> (Vault, Vec<(OutPoint, Amount)>) {
    let vault = vault(parties);
    let outputs = deposit(world, parties, &vault, (sats, count)).await;
    (vault, outputs)
}

/// Deposits this amount into a vault, in this number of outputs, from a coin of the lender's.
pub(crate) async fn deposit(
    world: &impl World,
    parties: &Parties,
    vault: &Vault,
    (sats, count): (u64, usize),
) -> Vec<(OutPoint, Amount)> {
    let lender = &parties.lender;
    let coin = funded(world, lender.nested(), sats + 100_000).await;
    let deposit = Payment {
        to: Payee::Vault(vault),
        coins: std::slice::from_ref(&coin),
        amount: Amount::from_sat(sats),
        change: &lender.payment_script(),
        fee_rate: fee_rate(),
        outputs: count,
    };
    let template = deposit.build().unwrap();
    let deposit = template.finish(&lender.signatures(&template), template.final_txid()).unwrap();
    confirm(world, &deposit).await;
    let outputs = own_outputs(vault, &deposit);
    assert_eq!(outputs.len(), count);
    outputs
}

/// Returns the outputs of a transaction that pay to the vault.
pub(crate) fn own_outputs(vault: &Vault, transaction: &Transaction) -> Vec<(OutPoint, Amount)> {
    let (txid, script) = (transaction.compute_txid(), vault.output().script_pubkey());
    let outputs = (0..).zip(&transaction.output).filter(|(_, output)| output.script_pubkey == script);
    outputs.map(|(vout, output)| (OutPoint::new(txid, vout), output.value)).collect()
}

/// Returns the lender's unilateral exit.
pub(crate) fn exit(parties: &Parties, vault: &Vault, outputs: &[(OutPoint, Amount)]) -> Transaction {
    let template = VaultExit { vault, outputs, destination: &parties.lender.payment_script(), fee_rate: fee_rate() }
        .build()
        .unwrap();
    template.finish(&parties.lender.signatures(&template), template.final_txid()).unwrap()
}

async fn confirmations(world: &impl World, outpoint: OutPoint) -> u32 {
    world.node().unspent(outpoint).await.unwrap().unwrap().confirmations
}

pub(crate) async fn the_lender_exits_unilaterally_after_144_blocks_and_not_before(world: &impl World) {
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault(world, &parties).await;
    let way_out = exit(&parties, &vault, &outputs);
    assert_eq!(refusal(world, &way_out).await, "non-BIP68-final");
    let older = u32::from(EXIT_BLOCKS) - 1 - confirmations(world, outputs[0].0).await;
    world.mine(older).await;
    assert_eq!(confirmations(world, outputs[0].0).await, 143);
    assert_eq!(refusal(world, &way_out).await, "non-BIP68-final");
    world.mine(1).await;
    assert_eq!(confirmations(world, outputs[0].0).await, 144);
    confirm(world, &way_out).await;
    assert_eq!(way_out.output[0].script_pubkey, parties.lender.payment_script());
}

pub(crate) async fn neither_a_smaller_sequence_nor_another_key_allows_the_exit(world: &impl World) {
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault(world, &parties).await;
    world.mine(u32::from(EXIT_BLOCKS)).await;
    let (outpoint, value) = outputs[0];
    let spend = |leaf| vec![vault.output().spend(outpoint, value, leaf)];
    let to_lender = || vec![pay(parties.lender.payment_script(), VAULT_SATS - 10_000)];
    let hasty = CustomTransaction {
        sequence: Some(Sequence::from_height(143)),
        ..CustomTransaction::new(spend(vault.exit_leaf()), to_lender())
    };
    let failed = "mempool-script-verify-flag-failed";
    assert_eq!(refusal(world, &hasty.signed(&[&parties.lender], None)).await, failed);
    let clocked = Sequence::from_512_second_intervals(144);
    let timed =
        CustomTransaction { sequence: Some(clocked), ..CustomTransaction::new(spend(vault.exit_leaf()), to_lender()) };
    // Its clock has not run for that long; and the script counts blocks anyway.
    assert_eq!(refusal(world, &timed.signed(&[&parties.lender], None)).await, "non-BIP68-final");
    // The signature for one leaf is not valid for the other.
    let by_signer = CustomTransaction::new(spend(vault.signer_leaf()), to_lender());
    let signature = parties.funder.signatures(&by_signer.template()).get(0, 0).unwrap().to_vec();
    let crossed = CustomTransaction::new(spend(vault.exit_leaf()), to_lender()).template();
    assert_eq!(refusal(world, &assembled(&crossed, &[], Some((0, 0, &signature)))).await, failed);
    confirm(world, &by_signer.signed(&[&parties.funder], None)).await;
}

pub(crate) async fn an_instant_loan_starts_and_the_borrower_repays_it_alone(world: &impl World) {
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault(world, &parties).await;
    let (inscription, collateral) = inscribe(world, &parties.borrower, 0, 546).await;
    let funding = Funding::Vault { vault: &vault, outputs: &outputs };
    let deal = Deal::sign(parties, Collateral::Inscription(&collateral), funding);
    world.mine(u32::from(EXIT_BLOCKS)).await;
    confirm(world, &deal.origination).await;
    assert_inscription(world, inscription, (deal.loan.outpoint, 0)).await;
    // The rest goes back to the vault, and the timelock of the exit starts again for it.
    let rest = deal
        .origination
        .output
        .iter()
        .position(|output| output.script_pubkey == vault.output().script_pubkey())
        .unwrap();
    let left = deal.origination.output[rest].value;
    assert_eq!(left, Amount::from_sat(VAULT_SATS - PRINCIPAL_SATS - PLATFORM_SATS));
    let rest = OutPoint::new(deal.origination.compute_txid(), rest.try_into().unwrap());
    assert_eq!(refusal(world, &exit(&deal.parties, &vault, &[(rest, left)])).await, "non-BIP68-final");
    let coin = funded(world, deal.parties.borrower.payment(), 3_000_000).await;
    let ended = deal.repay(TRUC, &coin, fee_rate());
    confirm(world, &ended).await;
    assert_inscription(world, inscription, (OutPoint::new(ended.compute_txid(), 1), 0)).await;
    assert_eq!(ended.output[2], pay(deal.parties.lender.payment_script(), PAYOUT_SATS));
}

/// The trust that an instant offer requires, as documented: the signer can take the funds.
pub(crate) async fn the_signer_can_replace_the_exit_of_the_lender(world: &impl World) {
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault(world, &parties).await;
    world.mine(u32::from(EXIT_BLOCKS)).await;
    let way_out = exit(&parties, &vault, &outputs);
    send(world, &way_out).await;
    let (outpoint, value) = outputs[0];
    let elsewhere = Parties::manual().platform;
    let spends = vec![vault.output().spend(outpoint, value, vault.signer_leaf())];
    let theft = CustomTransaction::new(spends, vec![pay(elsewhere.payment_script(), VAULT_SATS - 20_000)])
        .signed(&[&parties.funder], None);
    send(world, &theft).await;
    assert_eq!(world.waiting().await, [theft.compute_txid()]);
}

pub(crate) async fn the_signer_pays_out_immediately(world: &impl World) {
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault(world, &parties).await;
    let withdrawal = VaultWithdrawal {
        vault: &vault,
        outputs: &outputs,
        destination: &parties.lender.payment_script(),
        share: Share::Part(Amount::from_sat(1_000_000)),
        fee_rate: fee_rate(),
        change_outputs: 1,
    };
    let template = withdrawal.build().unwrap();
    let signed = template.finish(&parties.funder.signatures(&template), template.final_txid()).unwrap();
    confirm(world, &signed).await;
    let (to_lender, rest): (Vec<_>, Vec<_>) =
        signed.output.iter().partition(|output| output.script_pubkey == parties.lender.payment_script());
    assert!(to_lender[0].value < Amount::from_sat(1_000_000), "the fee is paid out of it");
    assert_eq!(*rest[0], pay(vault.output().script_pubkey(), VAULT_SATS - 1_000_000));
}

/// 0.01 of 0.5 bitcoin, with everything else available immediately.
pub(crate) async fn a_small_withdrawal_leaves_the_rest_of_the_vault_usable(world: &impl World) {
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault_with(world, &parties, (50_000_000, 8)).await;
    let home = parties.lender.payment_script();
    let withdrawn = |outputs: &[(OutPoint, Amount)], share| {
        let withdrawal = VaultWithdrawal {
            vault: &vault,
            outputs,
            destination: &home,
            share,
            fee_rate: fee_rate(),
            change_outputs: 1,
        };
        let template = withdrawal.build().unwrap();
        template.finish(&parties.funder.signatures(&template), template.final_txid()).unwrap()
    };
    let (taken, others) = outputs.split_at(1);
    let small = withdrawn(taken, Share::Part(Amount::from_sat(1_000_000)));
    send(world, &small).await;
    for (outpoint, _) in others {
        assert!(confirmations(world, *outpoint).await > 0, "it is confirmed");
    }
    let rest = withdrawn(others, Share::All);
    send(world, &rest).await;
    world.mine(1).await;
    assert_eq!(world.waiting().await, []);
    let [(change, held)] = own_outputs(&vault, &small)[..] else { panic!("one output comes back") };
    assert_eq!((held.to_sat(), confirmations(world, change).await), (5_250_000, 1));
}

pub(crate) async fn a_withdrawal_replaces_an_unconfirmed_exit_and_restarts_the_timelock(world: &impl World) {
    let parties = Parties::instant();
    let (vault, outputs) = fund_vault(world, &parties).await;
    world.mine(u32::from(EXIT_BLOCKS)).await;
    let way_out = exit(&parties, &vault, &outputs);
    send(world, &way_out).await;
    let withdrawal = VaultWithdrawal {
        vault: &vault,
        outputs: &outputs,
        destination: &parties.lender.payment_script(),
        share: Share::Part(Amount::from_sat(1_000_000)),
        fee_rate: fee_rate().checked_mul(2).unwrap(),
        change_outputs: 1,
    };
    let template = withdrawal.build().unwrap();
    let signed = template.finish(&parties.funder.signatures(&template), template.final_txid()).unwrap();
    send(world, &signed).await;
    assert_eq!(world.waiting().await, [signed.compute_txid()]);
    world.mine(1).await;
    assert_eq!(refusal(world, &way_out).await, "bad-txns-inputs-missingorspent");
    // The change is as young as the withdrawal, however old the deposit was.
    let rest = (OutPoint::new(signed.compute_txid(), 0), signed.output[0].value);
    assert_eq!(signed.output[0], pay(vault.output().script_pubkey(), VAULT_SATS - 1_000_000));
    let way_out = exit(&parties, &vault, &[rest]);
    assert_eq!(refusal(world, &way_out).await, "non-BIP68-final");
    world.mine(u32::from(EXIT_BLOCKS) - 2).await;
    assert_eq!(confirmations(world, rest.0).await, 143);
    assert_eq!(refusal(world, &way_out).await, "non-BIP68-final");
    world.mine(1).await;
    confirm(world, &way_out).await;
}
