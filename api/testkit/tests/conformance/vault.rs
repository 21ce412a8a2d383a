//! Scenarios of a vault: deposit, instant loan, withdrawal, unilateral exit.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Sequence, Transaction, Witness};
use engine::chain::Chain as _;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::signing::finished::FinishError;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::payment::{Payee, Payment};
use escrow::contract::vault::vault_exit::VaultExit;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use escrow::contract::vault::{EXIT_BLOCKS, Vault, VaultTerms};

use crate::custom_transaction::{CustomTransaction, assembled, pay};
use crate::deal::{
    CLAIM_AFTER, Deal, PAYOUT_SATS, PLATFORM_SATS, PRINCIPAL_SATS, Parties, assert_inscription, begin, fee_rate,
    repay_together,
};
use crate::inscriber::inscribe;
use crate::test_wallet::{TestWallet, funded};
use crate::world::{World, confirm, refusal, send};

const VAULT_SATS: u64 = 5_000_000;
/// The index of escrow and payout in the repayment of one inscription.
const PAYOUT: usize = 2;

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
async fn fund_vault_with(
    world: &impl World,
    parties: &Parties,
    (sats, count): (u64, usize),
) -> (Vault, Vec<(OutPoint, Amount)>) {
    let vault = vault(parties);
    let outputs = deposit(world, parties, &vault, (sats, count)).await;
    (vault, outputs)
}

/// Deposits this amount into a vault, in this number of outputs, from a coin of the lender's.
async fn deposit(
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
fn exit(parties: &Parties, vault: &Vault, outputs: &[(OutPoint, Amount)]) -> Transaction {
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

pub(crate) async fn any_two_of_three_signers_pay_out_and_one_alone_does_not(world: &impl World) {
    let parties = Parties::instant();
    let signers = [&parties.funder, &parties.repayers[0], &parties.platform];
    let keys = VaultSigners::new(2, signers.map(TestWallet::key)).unwrap();
    let terms = VaultTerms { lender_id: 5, signers: keys, lender: parties.lender.key() };
    let vault = Vault::new(terms).unwrap();
    let destination = parties.lender.payment_script();
    for pair in [[0, 1], [0, 2], [1, 2]] {
        let outputs = deposit(world, &parties, &vault, (700_000, 2)).await;
        let withdrawal = VaultWithdrawal {
            vault: &vault,
            outputs: &outputs,
            destination: &destination,
            share: Share::All,
            fee_rate: fee_rate(),
            change_outputs: 1,
        };
        let template = withdrawal.build().unwrap();
        let [one, other] = pair.map(|place| signers[place].signatures(&template));
        let alone = template.finish(&one, template.final_txid());
        assert_eq!(alone, Err(FinishError::MissingSignature { index: 0 }));
        let mut forced = template.psbt.unsigned_tx.clone();
        for (index, input) in forced.input.iter_mut().enumerate() {
            let signature = |place| one.get(index, place).unwrap_or_default();
            input.witness = template.locks[index].witness(&[0, 1, 2].map(signature));
        }
        assert_eq!(refusal(world, &forced).await, "mempool-script-verify-flag-failed");
        let signed = template.finish(&one.merge(other).unwrap(), template.final_txid()).unwrap();
        confirm(world, &signed).await;
        assert_eq!(signed.output[0].script_pubkey, destination);
    }
    let outputs = deposit(world, &parties, &vault, (VAULT_SATS, 1)).await;
    let way_out = exit(&parties, &vault, &outputs);
    assert_eq!(refusal(world, &way_out).await, "non-BIP68-final");
    world.mine(u32::from(EXIT_BLOCKS)).await;
    confirm(world, &way_out).await;
}

/// The move of a vault of one signer to one of two of three: the lender's exit begins anew there, and the first signer has no
/// part in it.
pub(crate) async fn a_vault_moves_to_other_signers_and_only_they_or_its_lender_spend_it(world: &impl World) {
    let parties = Parties::instant();
    let (before, outputs) = fund_vault_with(world, &parties, (VAULT_SATS, 3)).await;
    let signers = [11, 12, 13].map(TestWallet::new);
    let keys = VaultSigners::new(2, signers.each_ref().map(TestWallet::key)).unwrap();
    let after = Vault::new(VaultTerms { signers: keys, ..before.terms().clone() }).unwrap();
    let to = after.output().script_pubkey();
    let whole = |vault, outputs, destination| {
        let (share, change_outputs) = (Share::All, 1);
        VaultWithdrawal { vault, outputs, destination, share, fee_rate: fee_rate(), change_outputs }.build().unwrap()
    };
    let moved = whole(&before, &outputs, &to);
    let moved = moved.finish(&parties.funder.signatures(&moved), moved.final_txid()).unwrap();
    // The deposits are old enough for an exit, which spends them first or not at all.
    world.mine(u32::from(EXIT_BLOCKS)).await;
    confirm(world, &moved).await;
    assert_eq!(refusal(world, &exit(&parties, &before, &outputs)).await, "bad-txns-inputs-missingorspent");
    let arrived = own_outputs(&after, &moved);
    assert_eq!((arrived.len(), moved.output.len()), (1, 1));

    let (outpoint, value) = arrived[0];
    // The first signer has only the script of the vault before.
    let spend = vec![before.output().spend(outpoint, value, before.signer_leaf())];
    let theft = CustomTransaction::new(spend, vec![pay(parties.lender.payment_script(), VAULT_SATS - 20_000)]);
    let refused = refusal(world, &theft.signed(&[&parties.funder], None)).await;
    assert_eq!(refused, "mempool-script-verify-flag-failed");
    let way_out = exit(&parties, &after, &arrived);
    assert_eq!(refusal(world, &way_out).await, "non-BIP68-final");
    world.mine(u32::from(EXIT_BLOCKS)).await;
    send(world, &way_out).await;
    // Until the exit confirms, two of the new signers can replace it, as in each vault.
    let home = parties.lender.payment_script();
    let paid = VaultWithdrawal {
        vault: &after,
        outputs: &arrived,
        destination: &home,
        share: Share::All,
        fee_rate: fee_rate().checked_mul(2).unwrap(),
        change_outputs: 1,
    };
    let paid = paid.build().unwrap();
    let [one, other] = [0, 2].map(|place: usize| signers[place].signatures(&paid));
    let paid = paid.finish(&one.merge(other).unwrap(), paid.final_txid()).unwrap();
    confirm(world, &paid).await;
    assert_eq!(paid.output[0].script_pubkey, home);
}

/// A loan that two of a vault's three signers lend: each has a repay key of its own, and the third signer takes no part.
pub(crate) async fn a_loan_of_two_signers_is_repaid_by_both_presignatures_and_not_by_one(world: &impl World) {
    let signers = [11, 12, 13].map(TestWallet::new);
    for (loan, version) in [(80, Version::TWO), (81, TRUC)] {
        let mut parties = Parties::with_repayers(loan, [2, 11], &[14, 15], CLAIM_AFTER);
        let keys = VaultSigners::new(2, signers.each_ref().map(TestWallet::key)).unwrap();
        let terms = VaultTerms { lender_id: 6, signers: keys, lender: parties.lender.key() };
        let vault = Vault::new(terms).unwrap();
        let outputs = deposit(world, &parties, &vault, (VAULT_SATS, 1)).await;
        let (inscription, collateral) = inscribe(world, &parties.borrower, 4_000, 10_000).await;
        let funding = Funding::Vault { vault: &vault, outputs: &outputs };
        parties.cosigner = Some(TestWallet::new(12));
        let deal = Deal::sign(parties, Collateral::Inscription(&collateral), funding);
        confirm(world, &deal.origination).await;
        assert_inscription(world, inscription, (deal.loan.outpoint, 4_000)).await;
        let coin = funded(world, deal.parties.borrower.payment(), 3_000_000).await;
        let ended = deal.repay(version, &coin, fee_rate());
        let witness: Vec<Vec<u8>> = ended.input[PAYOUT].witness.iter().map(<[u8]>::to_vec).collect();
        assert_eq!(witness.len(), 5, "two pre-signatures, the borrower's signature, the script and its proof");
        let [without, twice, swapped] = [
            |witness: &mut Vec<Vec<u8>>| witness[0].clear(),
            |witness: &mut Vec<Vec<u8>>| witness[0] = witness[1].clone(),
            |witness: &mut Vec<Vec<u8>>| witness.swap(0, 1),
        ];
        for change in [without, twice, swapped] {
            let (mut forged, mut items) = (ended.clone(), witness.clone());
            change(&mut items);
            forged.input[PAYOUT].witness = Witness::from_slice(&items);
            assert_eq!(refusal(world, &forged).await, "mempool-script-verify-flag-failed");
        }
        confirm(world, &ended).await;
        assert_inscription(world, inscription, (OutPoint::new(ended.compute_txid(), 1), 4_000)).await;
        assert_eq!(ended.output[PAYOUT], pay(deal.parties.lender.payment_script(), PAYOUT_SATS));
    }
}

pub(crate) async fn loans_of_one_and_of_several_repay_keys_end_in_one_transaction(world: &impl World) {
    let mut deals = Vec::new();
    for parties in [
        Parties::with_repayers(82, [2, 2], &[14, 15, 16, 17, 18, 19, 20], CLAIM_AFTER),
        Parties::with_repayers(83, [4, 4], &[4], CLAIM_AFTER),
        Parties::with_repayers(84, [5, 5], &[21, 22], CLAIM_AFTER),
    ] {
        let (inscription, collateral) = inscribe(world, &parties.borrower, 0, 546).await;
        let deal = begin(world, parties, Collateral::Inscription(&collateral)).await;
        deals.push((inscription, deal));
    }
    let coin = funded(world, deals[0].1.parties.borrower.payment(), 7_000_000).await;
    let ended = repay_together(&deals.iter().map(|(_, deal)| deal).collect::<Vec<_>>(), (TRUC, &coin), fee_rate());
    confirm(world, &ended).await;
    for (returned, (inscription, deal)) in (1..).zip(&deals) {
        assert_inscription(world, *inscription, (OutPoint::new(ended.compute_txid(), returned), 0)).await;
        assert!(ended.output.contains(&pay(deal.parties.lender.payment_script(), PAYOUT_SATS)));
    }
}
