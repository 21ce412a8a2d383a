//! Scenarios of a vault that several signers share: payments, loans, and the move from one signer to several.

use bitcoin::transaction::Version;
use bitcoin::{OutPoint, Witness};
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::signing::finished::FinishError;
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use escrow::contract::vault::{EXIT_BLOCKS, Vault, VaultTerms};

use crate::custom_transaction::{CustomTransaction, pay};
use crate::deal::{CLAIM_AFTER, Deal, PAYOUT_SATS, Parties, assert_inscription, begin, fee_rate, repay_together};
use crate::inscriber::inscribe;
use crate::test_wallet::{TestWallet, funded};
use crate::vault::{VAULT_SATS, deposit, exit, fund_vault_with, own_outputs};
use crate::world::{World, confirm, refusal, send};

/// The index of escrow and payout in the repayment of one inscription.
const PAYOUT: usize = 2;

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
