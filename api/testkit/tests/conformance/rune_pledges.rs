//! Scenarios of rune collateral: whole coins, several coins, several loans, and coins with other assets.

use bitcoin::transaction::Version;
use bitcoin::{Amount, OutPoint, Transaction};
use engine::asset_index::AssetIndex as _;
use engine::chain::Chain as _;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::collateral::{Collateral, CollateralError};
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::origination::OriginationError;
use escrow::contract::loan::origination_outputs::{ESCROW, PRINCIPAL, REST};
use escrow::contract::transaction::coin::Coin;
use escrow::contract::transaction::coin_selection::{
    Candidate, Contents, ExcludedBalance, SelectionError, SelectionTarget,
};
use escrow::contract::transaction::funding_target::FeePayer;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::transaction::version::TRUC;

use crate::custom_transaction::pay;
use crate::deal::{
    CLAIM_AFTER, Deal, LENT_SATS, PAYOUT_SATS, Parties, assert_inscription, begin, fee_rate, repay_together,
};
use crate::etcher::{assert_flow, assert_runes, etch, join_coins};
use crate::inscriber::inscribe;
use crate::test_wallet::funded;
use crate::world::{World, confirm, refusal};

/// Returns the outpoint of an output.
fn at(transaction: &Transaction, vout: usize) -> OutPoint {
    OutPoint::new(transaction.compute_txid(), u32::try_from(vout).unwrap())
}

pub(crate) async fn all_of_the_runes_are_returned_when_the_borrower_alone_repays(world: &impl World) {
    let parties = Parties::manual();
    let (id, coins) = etch(world, &parties.borrower, [1_000, 4_000]).await;
    for ((loan, version), coin) in (1..).zip([Version::TWO, TRUC]).zip(&coins) {
        let held = coin.runes[0].1;
        let collateral = Collateral::Runes {
            coins: std::slice::from_ref(coin),
            id,
            amount: held,
            rest: &parties.borrower.ordinals_script(),
        };
        let deal = begin(world, Parties::new(loan, [2, 2, 2], CLAIM_AFTER), collateral).await;
        let flow = assert_flow(world, &coin.runes, &deal.origination).await;
        assert!(flow.is_exactly([(ESCROW, id, held)]));
        assert_eq!(deal.loan.outpoint, at(&deal.origination, ESCROW));
        let funding = funded(world, parties.borrower.payment(), 3_000_000).await;
        let ended = repay_together(&[&deal], (version, &funding), fee_rate());
        confirm(world, &ended).await;
        let flow = assert_flow(world, &coin.runes, &ended).await;
        assert!(flow.is_exactly([(1, id, held)]));
        assert_eq!(ended.output[1].script_pubkey, parties.borrower.ordinals_script());
        assert_eq!(ended.output[2], pay(parties.lender.payment_script(), PAYOUT_SATS));
    }
}

pub(crate) async fn the_unpledged_runes_stay_with_the_borrower_and_the_lender_claims_the_others(world: &impl World) {
    let parties = Parties::manual();
    let Parties { borrower, lender, .. } = &parties;
    let (id, coins) = etch(world, borrower, [700, 1, 299]).await;
    let collateral = Collateral::Runes { coins: &coins, id, amount: 750, rest: &borrower.ordinals_script() };
    let deal = begin(world, Parties::new(1, [2, 2, 2], CLAIM_AFTER), collateral).await;
    let flow = assert_flow(world, &[(id, 1_000)], &deal.origination).await;
    assert!(flow.is_exactly([(ESCROW, id, 750), (REST, id, 250)]));
    assert_eq!(deal.origination.output[REST].script_pubkey, borrower.ordinals_script());
    let fee_coin = funded(world, lender.payment(), 20_000).await;
    let claim = deal.claim(Some(&fee_coin));
    assert_eq!(refusal(world, &claim).await, "non-final", "a claim before its time, refused by the node");
    world.set_time(CLAIM_AFTER + 1).await;
    world.mine(6).await;
    confirm(world, &claim).await;
    assert!(assert_flow(world, &[(id, 750)], &claim).await.is_exactly([(0, id, 750)]));
    assert_eq!(claim.output[0].script_pubkey, lender.ordinals_script());
    assert_runes(world, at(&deal.origination, REST), &[(id, 250)]).await;
}

pub(crate) async fn an_inscription_and_two_runes_are_returned_in_one_repayment(world: &impl World) {
    for version in [Version::TWO, TRUC] {
        let parties = Parties::manual();
        let Parties { borrower, lender, .. } = &parties;
        let home = borrower.ordinals_script();
        let (first, [first_coin]) = etch(world, borrower, [u128::from(u64::MAX)]).await;
        let (second, [second_coin]) = etch(world, borrower, [21]).await;
        let (frog, frog_coin) = inscribe(world, borrower, 1_000, 9_000).await;
        // The runes in the wrong order: edicts must be in the order of their ids.
        let pledges = [
            Collateral::Runes { coins: std::slice::from_ref(&second_coin), id: second, amount: 21, rest: &home },
            Collateral::Inscription(&frog_coin),
            Collateral::Runes { coins: std::slice::from_ref(&first_coin), id: first, amount: 10_000, rest: &home },
        ];
        let mut deals = Vec::new();
        for (loan, pledge) in (1..).zip(pledges) {
            deals.push(begin(world, Parties::new(loan, [2, 2, 2], CLAIM_AFTER), pledge).await);
        }
        let funding = funded(world, borrower.payment(), 7_000_000).await;
        let ended = repay_together(&deals.iter().collect::<Vec<_>>(), (version, &funding), fee_rate());
        confirm(world, &ended).await;
        // Each rune in an output of its own.
        for (vout, runes) in [(1, (second, 21)), (3, (first, 10_000))] {
            assert_runes(world, at(&ended, vout), &[runes]).await;
        }
        for vout in [0, 4, 5, 6, 8] {
            assert_runes(world, at(&ended, vout), &[]).await;
        }
        assert_eq!(ended.output.len(), 9);
        assert_inscription(world, frog, (at(&ended, 2), 1_000)).await;
        assert!(ended.output[1..=3].iter().all(|output| output.script_pubkey == home));
        assert!(ended.output[4..=6].iter().all(|output| *output == pay(lender.payment_script(), PAYOUT_SATS)));
    }
}

pub(crate) async fn a_coin_with_a_second_rune_or_an_inscription_is_no_collateral(world: &impl World) {
    let parties = Parties::manual();
    let borrower = &parties.borrower;
    let (id, [coin]) = etch(world, borrower, [500]).await;
    let (other, [other_coin]) = etch(world, borrower, [77]).await;
    let both = join_coins(world, borrower, &[&coin.coin, &other_coin.coin], 15_000).await;
    let carried = world.indexer().assets_in(both.outpoint).await.unwrap().unwrap();
    assert_eq!(carried.runes, [(id, 500), (other, 77)]);
    let as_indexed = AssetCoin { coin: both.clone(), inscriptions: Vec::new(), runes: carried.runes };
    let home = borrower.ordinals_script();
    let (exact, change) = ([funded(world, parties.lender.payment(), LENT_SATS).await], parties.lender.payment_script());
    let built = |coin: &AssetCoin| {
        let collateral = Collateral::Runes { coins: std::slice::from_ref(coin), id, amount: 500, rest: &home };
        parties.with_origination(collateral, Funding::Coins { coins: &exact, change: &change }, |origination| {
            origination.build()
        })
    };
    let refused = OriginationError::Collateral(CollateralError::OtherRune { index: 0, id: other });
    assert_eq!(built(&as_indexed), Err(refused), "a coin with a second rune, refused by the builder");
    let (_, frog) = inscribe(world, borrower, 0, 9_000).await;
    let with_frog = AssetCoin { inscriptions: frog.inscriptions, ..as_indexed };
    let refused = OriginationError::Collateral(CollateralError::Inscriptions { index: 0, wanted: 0, found: 1 });
    assert_eq!(built(&with_frog), Err(refused), "a coin with an inscription, refused by the builder");
    // Had the second rune been unknown, it would move into the escrow, and the pointer would return it to the borrower.
    let unaware = AssetCoin { coin: both, inscriptions: Vec::new(), runes: vec![(id, 500)] };
    let collateral = Collateral::Runes { coins: std::slice::from_ref(&unaware), id, amount: 500, rest: &home };
    let deal = begin(world, Parties::new(1, [2, 2, 2], CLAIM_AFTER), collateral).await;
    let held = [(id, 500), (other, 77)];
    assert_runes(world, deal.loan.outpoint, &held).await;
    let funding = funded(world, borrower.payment(), 3_000_000).await;
    let ended = repay_together(&[&deal], (Version::TWO, &funding), fee_rate());
    confirm(world, &ended).await;
    assert!(assert_flow(world, &held, &ended).await.is_exactly([(1, id, 500), (1, other, 77)]));
    assert_eq!(ended.output[1].script_pubkey, home);
}

/// The builders take a lender's coins for plain: only coin selection checks their content.
pub(crate) async fn a_lenders_coin_that_carries_assets_is_never_chosen(world: &impl World) {
    let parties = Parties::manual();
    let Parties { borrower, lender, .. } = &parties;
    let (id, [runes]) = etch(world, lender, [900]).await;
    let more = funded(world, lender.payment(), 1_700_000).await;
    let with_runes = join_coins(world, lender, &[&runes.coin, &more], 1_700_000).await;
    let (toad, with_toad) = inscribe(world, lender, 0, 1_600_000).await;
    let plain = funded(world, lender.payment(), 600_000).await;
    let coins = [with_runes, with_toad.coin, plain];
    let mut candidates = Vec::new();
    for coin in &coins {
        let unspent = world.node().unspent(coin.outpoint).await.unwrap().unwrap();
        let carried = world.indexer().assets_in(coin.outpoint).await.unwrap();
        let contents = carried
            .map_or(Contents::Unknown, |carried| if carried.is_plain() { Contents::Plain } else { Contents::Assets });
        let (confirmations, is_coinbase) = (unspent.confirmations, unspent.is_coinbase);
        candidates.push(Candidate { spend: Spend::Coin(coin), contents, confirmations, is_coinbase });
    }
    let amount = Amount::from_sat(LENT_SATS);
    let wanted = SelectionTarget {
        amount,
        fee_payer: FeePayer::Others,
        fee_rate: fee_rate(),
        inputs: &[],
        outputs: &[],
        change: &lender.payment_script(),
    };
    let excluded = ExcludedBalance { with_assets: Amount::from_sat(3_300_000), ..ExcludedBalance::default() };
    let found = Amount::from_sat(600_000);
    let refused = SelectionError::InsufficientFunds { wanted: amount, found, excluded };
    assert_eq!(
        wanted.select(&candidates),
        Err(refused),
        "a lender's coins with assets, refused by the choice of coins"
    );
    // The consequence: the lender's runes in the escrow, the lender's inscription with the borrower.
    let (frog, frog_coin) = inscribe(world, borrower, 0, 9_000).await;
    let [with_runes, with_toad, _] = &coins;
    let careless: [Coin; 2] = [with_toad.clone(), with_runes.clone()];
    let change = lender.payment_script();
    let funding = Funding::Coins { coins: &careless, change: &change };
    let deal = Deal::sign(Parties::manual(), Collateral::Inscription(&frog_coin), funding);
    confirm(world, &deal.origination).await;
    let escrowed = world.indexer().assets_in(deal.loan.outpoint).await.unwrap().unwrap();
    assert_eq!(escrowed.runes, [(id, 900)]);
    assert_eq!(escrowed.inscriptions.iter().map(|inscribed| inscribed.id).collect::<Vec<_>>(), [frog]);
    assert_inscription(world, toad, (at(&deal.origination, PRINCIPAL), 0)).await;
    assert_eq!(deal.origination.output[PRINCIPAL].script_pubkey, borrower.payment_script());
}
