//! Scenarios of a loan against several inscriptions in one escrow.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Transaction};
use engine::asset_index::{AssetIndex as _, InscriptionId};
use engine::chain::Chain as _;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::{assembled, pay};
use crate::deal::{CLAIM_AFTER, Deal, PAYOUT_SATS, Parties, assert_inscription, begin, fee_rate};
use crate::extension::{ExtensionSetup, LATER};
use crate::inscriber::inscribe;
use crate::test_wallet::funded;
use crate::world::{World, confirm, refusal};

const SCRIPT_FAILS: &str = "mempool-script-verify-flag-failed";
/// The offsets of five inscriptions, and the values of their coins.
const FIVE: [(u64, u64); 5] = [(0, 546), (4_000, 10_000), (0, 330), (546, 1_000), (0, 20_000)];

/// The loan, and its inscriptions with the offset and value of each one's coin.
struct SeveralDeal {
    deal: Deal,
    inscriptions: Vec<(InscriptionId, u64, u64)>,
}

impl SeveralDeal {
    /// Originates it, and checks that every inscription is on its sat in the escrow.
    async fn begin(world: &impl World, coins: &[(u64, u64)]) -> Self {
        let parties = Parties::manual();
        let (mut inscriptions, mut collateral) = (Vec::new(), Vec::<AssetCoin>::new());
        for (offset, value) in coins {
            let (id, coin) = inscribe(world, &parties.borrower, *offset, *value).await;
            inscriptions.push((id, *offset, *value));
            collateral.push(coin);
        }
        let deal = Self { deal: begin(world, parties, Collateral::Inscriptions(&collateral)).await, inscriptions };
        deal.assert_in_escrow(world, &deal.deal).await;
        deal
    }

    async fn assert_in_escrow(&self, world: &impl World, deal: &Deal) {
        let mut start = 0;
        for (id, offset, value) in &self.inscriptions {
            let place = (deal.loan.outpoint, Amount::from_sat(start + offset));
            assert_eq!(world.indexer().sat_point(*id).await, Ok(Some(place)));
            let number = world.indexer().inscription_number(*id).await.unwrap();
            assert!(number.is_some_and(|number| number >= 0), "{id} has the number {number:?}");
            start += value;
        }
        assert_eq!(deal.loan.value, Amount::from_sat(start));
    }

    /// Asserts that each inscription is alone on its sat in an output of its own, from this one on.
    async fn assert_returned(&self, world: &impl World, ended: &Transaction, first: u32) {
        for (vout, (id, offset, _)) in (first..).zip(&self.inscriptions) {
            assert_inscription(world, *id, (OutPoint::new(ended.compute_txid(), vout), *offset)).await;
        }
    }
}

pub(crate) async fn five_are_repaid_together_and_return_one_by_one(world: &impl World) {
    for version in [Version::TWO, TRUC] {
        let several = SeveralDeal::begin(world, &FIVE).await;
        let parties = &several.deal.parties;
        let coin = funded(world, parties.borrower.payment(), 3_000_000).await;
        let ended = several.deal.repay(version, &coin, fee_rate());
        confirm(world, &ended).await;
        several.assert_returned(world, &ended, 1).await;
        for (output, (_, _, value)) in ended.output[1..=FIVE.len()].iter().zip(&several.inscriptions) {
            assert_eq!(*output, pay(parties.borrower.ordinals_script(), *value));
        }
        assert_eq!(ended.output[FIVE.len() + 1], pay(parties.lender.payment_script(), PAYOUT_SATS));
    }
}

pub(crate) async fn five_are_claimed_together_after_the_claim_time(world: &impl World) {
    for with_coin in [false, true] {
        let several = SeveralDeal::begin(world, &FIVE).await;
        let lender = &several.deal.parties.lender;
        let coin = funded(world, lender.payment(), 50_000).await;
        let claim = several.deal.claim(with_coin.then_some(&coin));
        if !with_coin {
            assert_eq!(refusal(world, &claim).await, "non-final");
            world.set_time(CLAIM_AFTER + 1).await;
            world.mine(6).await;
        }
        confirm(world, &claim).await;
        several.assert_returned(world, &claim, 0).await;
        assert!(claim.output[..FIVE.len()].iter().all(|output| output.script_pubkey == lender.ordinals_script()));
        assert_eq!(claim.output[4].value < Amount::from_sat(FIVE[4].1), !with_coin, "the last one's sats pay the fee");
    }
}

pub(crate) async fn twenty_are_repaid_in_one_transaction(world: &impl World) {
    let several = SeveralDeal::begin(world, &[(0, 546); 20]).await;
    let coin = funded(world, several.deal.parties.borrower.payment(), 3_000_000).await;
    let ended = several.deal.repay(TRUC, &coin, fee_rate());
    confirm(world, &ended).await;
    several.assert_returned(world, &ended, 1).await;
}

pub(crate) async fn three_move_on_to_a_new_term_together(world: &impl World) {
    let old = SeveralDeal::begin(world, &FIVE[2..]).await;
    let new = ExtensionSetup::new(world).await.sign(&old.deal, TRUC);
    confirm(world, &new.origination).await;
    old.assert_in_escrow(world, &new).await;
    let claim = new.claim(None);
    assert_eq!(refusal(world, &claim).await, "non-final");
    let coin = funded(world, new.parties.borrower.payment(), 3_000_000).await;
    let ended = new.repay(Version::TWO, &coin, fee_rate());
    confirm(world, &ended).await;
    old.assert_returned(world, &ended, 1).await;
    world.set_time(LATER + 1).await;
    world.mine(6).await;
    assert_eq!(refusal(world, &claim).await, "bad-txns-inputs-missingorspent");
}

pub(crate) async fn an_altered_or_partial_repayment_is_refused(world: &impl World) {
    let several = SeveralDeal::begin(world, &FIVE).await;
    let (borrower, lender) = (&several.deal.parties.borrower, &several.deal.parties.lender);
    let coin = funded(world, borrower.payment(), 3_000_000).await;
    let payout = several.deal.presigned.only().unwrap().two.to_vec();
    let honest = several.deal.repayment(Version::TWO, &coin, fee_rate());
    let altered = |alter: &dyn Fn(&mut Transaction)| {
        let mut template = honest.clone();
        alter(&mut template.psbt.unsigned_tx);
        assembled(&template, &[borrower], Some((6, 0, &payout)))
    };
    let fifth = Amount::from_sat(PAYOUT_SATS / 5);
    let attacks = [
        ("a sat less for the lender", altered(&|attack| attack.output[6].value -= Amount::ONE_SAT)),
        ("a fifth of the payout for one inscription", altered(&|attack| attack.output[6].value = fifth)),
        ("the payout at another index", altered(&|attack| attack.output.swap(6, 7))),
        ("the payout to oneself", altered(&|attack| attack.output[6].script_pubkey = borrower.payment_script())),
        ("signed for another version", altered(&|attack| attack.version = TRUC)),
    ];
    for (what, attack) in attacks {
        assert_eq!(refusal(world, &attack).await, SCRIPT_FAILS, "{what}");
    }
    let claim = several.deal.claim(None);
    assert_eq!(refusal(world, &claim).await, "non-final", "a claim before its time");
    assert_eq!(world.node().test_accept(&[altered(&|_| {})]).await, Ok(()));
    assert_eq!(altered(&|_| {}).output[6].script_pubkey, lender.payment_script());
}
