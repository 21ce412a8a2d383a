//! Scenarios of loans that move to another escrow, and of loans that end together.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Transaction};
use engine::asset_index::AssetIndex as _;
use engine::chain::Chain as _;
use escrow::contract::loan::escrow_move::MoveOutputs;
use escrow::contract::loan::extension::Extension;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::refinance::Refinance;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::pay;
use crate::deal::{
    CLAIM_AFTER, Deal, PAYOUT_SATS, PLATFORM_SATS, PRINCIPAL_SATS, Parties, fee_rate, future_coin, repay_together,
};
use crate::inscription_deal::InscriptionDeal;
use crate::test_wallet::{TestWallet, funded};
use crate::world::{World, confirm, refusal};

/// The index of the new escrow in a transaction that moves collateral which returns in one output.
pub(crate) const ESCROW: usize = 1;
/// The index of the payment to the old lender.
pub(crate) const LENDER_PAYMENT: usize = 2;
/// The indices of the pads.
pub(crate) const PADS: [usize; 2] = [0, 3];

/// The new loan after a move, once the new lender has pre-signed its repayment.
fn moved(parties: Parties, template: &Template, origination: Transaction, loan: RunningLoan) -> Deal {
    let places = MoveOutputs::of(&loan).pads();
    let pads: Vec<Coin> = places.map(|place| future_coin(template, place, parties.borrower.payment())).collect();
    let presigned = parties.payout_signatures(&loan, &pads);
    Deal { parties, origination, reveal: None, pads, loan, presigned }
}

async fn assert_moved(world: &impl World, old: &InscriptionDeal, new: &Deal) {
    let offset = new.loan.pledge.offsets()[0];
    assert_eq!(world.indexer().sat_point(old.inscription).await, Ok(Some((new.loan.outpoint, offset))));
    assert_eq!(world.node().unspent(old.loan.outpoint).await, Ok(None));
}

pub(crate) async fn a_loan_is_refinanced_without_its_old_lender(world: &impl World) {
    for version in [Version::TWO, TRUC] {
        let old = InscriptionDeal::begin(world).await;
        let parties = Parties::new(78, [5, 5, 5], CLAIM_AFTER + 1_000_000);
        let (borrower, lender) = (&old.parties.borrower, &parties.lender);
        let funding = [funded(world, lender.payment(), 2_500_000).await];
        let own = [funded(world, borrower.payment(), 200_000).await];
        let platform_fee = pay(parties.platform.payment_script(), PLATFORM_SATS);
        let refinance = Refinance {
            ending: old.repayable(),
            escrow: &parties.escrow,
            version,
            pads: &old.pads,
            funding: Funding::Coins { coins: &funding, change: &lender.payment_script() },
            principal: Amount::from_sat(PRINCIPAL_SATS),
            platform_fee: Some(&platform_fee),
            coins: &own,
            unconfirmed: &[],
            borrower_payment: &borrower.payment_script(),
            fee_rate: fee_rate(),
        };
        let template = refinance.build().unwrap();
        let loan = refinance.running(template.final_txid(), pay(lender.payment_script(), PAYOUT_SATS));
        let beforehand = old.repayable().signatures(&template).unwrap();
        let signed = borrower.signatures(&template).merge(beforehand).unwrap();
        let signed = signed.merge(lender.signatures(&template)).unwrap();
        let begun = template.finish(&signed, template.final_txid()).unwrap();
        confirm(world, &begun).await;
        assert_eq!(begun.output[2], pay(old.parties.lender.payment_script(), PAYOUT_SATS));
        let new = moved(parties, &template, begun, loan);
        assert_moved(world, &old, &new).await;
        let coin = funded(world, new.parties.borrower.payment(), 3_000_000).await;
        let ended = new.repay(version, &coin, fee_rate());
        confirm(world, &ended).await;
        let (found, _) = world.indexer().sat_point(old.inscription).await.unwrap().unwrap();
        assert_eq!(found, OutPoint::new(ended.compute_txid(), 1));
        assert_eq!(ended.output[1].script_pubkey, new.parties.borrower.ordinals_script());
    }
}

pub(crate) async fn a_loan_that_both_extend_is_claimed_later(world: &impl World) {
    let old = InscriptionDeal::begin(world).await;
    let later = CLAIM_AFTER + 1_000_000;
    let parties = Parties::new(79, [2, 2, 2], later);
    let (borrower, lender) = (&parties.borrower, &parties.lender);
    let own = [funded(world, borrower.nested(), 100_000).await];
    let extension = Extension {
        loan: &old.loan,
        escrow: &parties.escrow,
        version: Version::TWO,
        pads: &old.pads,
        interest: &pay(lender.payment_script(), 65_000),
        coins: &own,
        unconfirmed: &[],
        borrower_payment: &borrower.payment_script(),
        fee_rate: fee_rate(),
    };
    let template = extension.build().unwrap();
    let loan = extension.running(template.final_txid(), pay(lender.payment_script(), PAYOUT_SATS));
    let signed = borrower.signatures(&template).merge(lender.signatures(&template)).unwrap();
    let begun = template.finish(&signed, template.final_txid()).unwrap();
    confirm(world, &begun).await;
    let new = moved(parties, &template, begun, loan);
    assert_moved(world, &old, &new).await;
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    let coin = funded(world, new.parties.lender.payment(), 20_000).await;
    assert_eq!(refusal(world, &old.claim(None)).await, "bad-txns-inputs-missingorspent");
    let claim = new.claim(Some(&coin));
    assert_eq!(refusal(world, &claim).await, "non-final");
    world.set_time(later + 1).await;
    world.mine(6).await;
    confirm(world, &claim).await;
    let (found, _) = world.indexer().sat_point(old.inscription).await.unwrap().unwrap();
    assert_eq!(found, OutPoint::new(claim.compute_txid(), 0));
}

pub(crate) async fn two_loans_of_two_lenders_are_repaid_together(world: &impl World) {
    let first = InscriptionDeal::begin(world).await;
    let second = InscriptionDeal::begin_with(world, Parties::new(80, [5, 5, 5], CLAIM_AFTER)).await;
    let borrower = TestWallet::new(1);
    let coin = funded(world, borrower.payment(), 5_000_000).await;
    let deals = [&first, &second];
    let ended = repay_together(&deals.map(|deal| &**deal), (TRUC, &coin), fee_rate());
    confirm(world, &ended).await;
    for (vout, deal) in (1..).zip(deals) {
        deal.assert_inscription_in(world, OutPoint::new(ended.compute_txid(), vout)).await;
        assert!(ended.output.contains(&pay(deal.parties.lender.payment_script(), PAYOUT_SATS)));
    }
}
