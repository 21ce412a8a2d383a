//! Tests of coin selection against an oracle that tries every subset with its own arithmetic.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

mod oracle;

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use bitcoin::{Amount, CompressedPublicKey, FeeRate, OutPoint, ScriptBuf, TxOut, Txid};
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::coin_selection::{
    COINS_MAX, Candidate, Contents, ExcludedBalance, Selection, SelectionError, SelectionTarget,
};
use escrow::contract::transaction::funding_target::FeePayer;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::vault::{Vault, VaultTerms};
use proptest::prelude::*;

use oracle::{Kind, Oracle, OracleCoin};

/// A user with coins of every kind.
struct Owner {
    keys: Keypair,
    vault: Vault,
    change: ScriptBuf,
}

impl Owner {
    fn new() -> Self {
        let keys = |byte| Keypair::from_seckey_slice(&Secp256k1::new(), &[byte; 32]).unwrap();
        let key = |byte| keys(byte).x_only_public_key().0;
        let vault = Vault::new(VaultTerms { lender_id: 1, signers: key(2).into(), lender: key(1) }).unwrap();
        let change = CoinKey::P2wpkh(CompressedPublicKey(keys(1).public_key())).script_pubkey();
        Self { keys: keys(1), vault, change }
    }

    fn coin(&self, number: u16, kind: Kind, sats: u64) -> Coin {
        let public = CompressedPublicKey(self.keys.public_key());
        let key = match kind {
            Kind::P2tr => CoinKey::P2tr(self.keys.x_only_public_key().0),
            Kind::P2wpkh => CoinKey::P2wpkh(public),
            Kind::Nested | Kind::Vault => CoinKey::P2shP2wpkh(public),
        };
        let output = TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() };
        Coin { outpoint: outpoint(number), output, key }
    }

    fn coins(&self, drawn: &[Drawn]) -> Vec<Coin> {
        drawn.iter().map(|coin| self.coin(coin.number, coin.kind, coin.sats)).collect()
    }

    fn candidates<'a>(&'a self, drawn: &[Drawn], coins: &'a [Coin]) -> Vec<Candidate<'a>> {
        let candidate = |(drawn, coin): (&Drawn, &'a Coin)| {
            let spend = match drawn.kind {
                Kind::Vault => self.vault.output().spend(coin.outpoint, coin.output.value, self.vault.signer_leaf()),
                Kind::P2tr | Kind::P2wpkh | Kind::Nested => Spend::Coin(coin),
            };
            let Drawn { contents, confirmations, is_coinbase, .. } = *drawn;
            Candidate { spend, contents, confirmations, is_coinbase }
        };
        drawn.iter().zip(coins).map(candidate).collect()
    }
}

fn outpoint(number: u16) -> OutPoint {
    OutPoint::new(Txid::from_byte_array([7; 32]), u32::from(number))
}

/// A randomly drawn coin.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    number: u16,
    kind: Kind,
    sats: u64,
    contents: Contents,
    confirmations: u32,
    is_coinbase: bool,
}

impl Drawn {
    const fn plain(number: u16, kind: Kind, sats: u64) -> Self {
        Self { number, kind, sats, contents: Contents::Plain, confirmations: 1, is_coinbase: false }
    }

    fn is_spendable(&self) -> bool {
        let matured = if self.is_coinbase { 100 } else { 1 };
        self.contents == Contents::Plain && self.confirmations >= matured
    }
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let kind = prop_oneof![Just(Kind::P2tr), Just(Kind::P2wpkh), Just(Kind::Nested), Just(Kind::Vault)];
    let contents = prop_oneof![8 => Just(Contents::Plain), 1 => Just(Contents::Assets), 1 => Just(Contents::Unknown)];
    let sats = prop_oneof![1_u64..3_000, 1_000_u64..200_000, 100_000_u64..50_000_000, 40_000_u64..41_000];
    let age = prop_oneof![1 => 0_u32..2, 6 => 1_u32..200];
    (kind, contents, sats, age, prop::bool::weighted(0.1)).prop_map(
        |(kind, contents, sats, confirmations, is_coinbase)| Drawn {
            number: 0,
            kind,
            sats,
            contents,
            confirmations,
            is_coinbase,
        },
    )
}

/// Generates coins with different outpoints.
fn coin_sets(most: usize) -> impl Strategy<Value = Vec<Drawn>> {
    prop::collection::vec(drawn(), 0..=most).prop_map(|mut coins| {
        for (number, coin) in (0..).zip(&mut coins) {
            coin.number = number;
        }
        coins
    })
}

fn payer() -> impl Strategy<Value = FeePayer> {
    prop_oneof![Just(FeePayer::Coins), Just(FeePayer::Others)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]
    #[test]
    fn the_selection_is_the_cheapest_and_is_found_if_there_is_one(
        coins in coin_sets(10),
        target in prop_oneof![0_u64..500_000, 0_u64..100_000_000],
        // Makes a few of the coins fit well.
        (fits, subset, spare) in (any::<bool>(), 0_u32..1 << 10, 0_u64..5_000),
        fee_payer in payer(),
        rate_kwu in prop_oneof![25_u64..5_000, 25_u64..500_000],
        inputs in 0_usize..3,
        outputs in 1_usize..4,
    ) {
        let owner = Owner::new();
        let in_subset = coins.iter().filter(|coin| subset >> coin.number & 1 == 1).map(|coin| coin.sats).sum::<u64>();
        let target = if fits { in_subset.saturating_sub(spare) } else { target };
        let there: Vec<Coin> = (0..inputs).map(|index| owner.coin(1_000 + u16::try_from(index).unwrap(), Kind::P2wpkh, 600)).collect();
        let there: Vec<Spend<'_>> = there.iter().map(Spend::Coin).collect();
        let paid = vec![TxOut { value: Amount::ZERO, script_pubkey: owner.change.clone() }; outputs];
        let wanted = SelectionTarget {
            amount: Amount::from_sat(target),
            fee_payer,
            fee_rate: FeeRate::from_sat_per_kwu(rate_kwu),
            inputs: &there,
            outputs: &paid,
            change: &owner.change,
        };
        let own = owner.coins(&coins);
        let candidates = owner.candidates(&coins, &own);
        let spendable = coins.iter().filter(|coin| coin.is_spendable());
        let oracle = Oracle {
            coins: spendable.map(|coin| OracleCoin { outpoint: outpoint(coin.number), kind: coin.kind, sats: coin.sats }).collect(),
            target,
            coins_pay: fee_payer == FeePayer::Coins,
            rate_kwu,
            has_inputs: inputs > 0,
            base: 4 * (10 + 31 * u64::try_from(outputs).unwrap()) + 272 * u64::try_from(inputs).unwrap(),
        };
        match wanted.select(&candidates) {
            Ok(choice) => {
                let selected: Vec<OutPoint> = choice.spends.iter().map(Spend::outpoint).collect();
                let paid = oracle.pay(&selected);
                prop_assert!(paid.is_some(), "{choice:?} holds an unspendable coin or is insufficient");
                let paid = paid.unwrap();
                prop_assert_eq!(choice.change.map(Amount::to_sat), paid.change);
                prop_assert_eq!(choice.fee.to_sat(), paid.fee);
                let cheapest = oracle.cheapest();
                prop_assert_eq!(Some(paid.cost), cheapest);
            }
            Err(SelectionError::InsufficientFunds { wanted, found, excluded }) => {
                prop_assert_eq!(oracle.cheapest(), None);
                prop_assert!(found < wanted);
                let ExcludedBalance { with_assets, unknown, unconfirmed, uneconomic } = excluded;
                let all = coins.iter().map(|coin| coin.sats).sum::<u64>();
                prop_assert_eq!((found + with_assets + unknown + unconfirmed + uneconomic).to_sat(), all);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn the_order_of_the_coins_does_not_matter(
        (coins, shuffled) in coin_sets(40).prop_flat_map(|coins| (Just(coins.clone()), Just(coins).prop_shuffle())),
        target in 0_u64..3_000_000,
        fee_payer in payer(),
        rate_kwu in 25_u64..50_000,
    ) {
        let owner = Owner::new();
        let wanted = SelectionTarget { fee_payer, ..plain(&owner, target, FeeRate::from_sat_per_kwu(rate_kwu)) };
        let choose = |drawn: &[Drawn]| -> Result<Vec<OutPoint>, SelectionError> {
            let own = owner.coins(drawn);
            let choice = wanted.select(&owner.candidates(drawn, &own))?.spends.iter().map(Spend::outpoint).collect();
            Ok(choice)
        };
        prop_assert_eq!(choose(&coins), choose(&shuffled));
    }
}

fn plain(owner: &Owner, sats: u64, fee_rate: FeeRate) -> SelectionTarget<'_> {
    let amount = Amount::from_sat(sats);
    SelectionTarget { amount, fee_payer: FeePayer::Coins, fee_rate, inputs: &[], outputs: &[], change: &owner.change }
}

fn rate(sats: u64) -> FeeRate {
    FeeRate::from_sat_per_vb(sats).unwrap()
}

/// The numbers of the selected coins.
fn numbers(choice: &Selection<'_>) -> Vec<u32> {
    choice.spends.iter().map(|spend| spend.outpoint().vout).collect()
}

#[test]
fn coins_that_fit_leave_no_change() {
    let owner = Owner::new();
    // 10.5 + 2 x 68 virtual bytes at 4 sats, and 40 sats that are too few for an output.
    let drawn = [50_000, 100_000, 30_626, 20_000]
        .map(|sats| Drawn::plain(u16::try_from(sats / 10_000).unwrap(), Kind::P2wpkh, sats));
    let own = owner.coins(&drawn);
    let candidates = owner.candidates(&drawn, &own);
    let choice = plain(&owner, 50_000, rate(4)).select(&candidates).unwrap();
    assert_eq!((numbers(&choice), choice.change), (vec![2, 3], None));
    assert_eq!(choice.fee, Amount::from_sat(626));
}

#[test]
fn among_equal_coins_the_first_by_outpoint_is_taken() {
    let owner = Owner::new();
    let drawn = [9, 4, 6].map(|number| Drawn::plain(number, Kind::P2tr, 70_000));
    let own = owner.coins(&drawn);
    let candidates = owner.candidates(&drawn, &own);
    let choice = plain(&owner, 10_000, rate(2)).select(&candidates).unwrap();
    assert_eq!(numbers(&choice), [4]);
}

#[test]
fn unspendable_coins_are_reported_and_not_selected() {
    let owner = Owner::new();
    let mut drawn: Vec<Drawn> =
        (0..8).map(|number| Drawn::plain(number, Kind::P2wpkh, 10_000 + u64::from(number))).collect();
    drawn[1].contents = Contents::Assets;
    drawn[2].contents = Contents::Unknown;
    drawn[3].confirmations = 0;
    (drawn[4].is_coinbase, drawn[4].confirmations) = (true, 99);
    (drawn[5].is_coinbase, drawn[5].confirmations) = (true, 100);
    drawn[6].sats = 680;
    drawn[7].sats = 681;
    let own = owner.coins(&drawn);
    let candidates = owner.candidates(&drawn, &own);
    let excluded = ExcludedBalance {
        with_assets: Amount::from_sat(10_001),
        unknown: Amount::from_sat(10_002),
        unconfirmed: Amount::from_sat(20_007),
        uneconomic: Amount::from_sat(680),
    };
    // 10.5 and 3 x 68 virtual bytes at 10 sats.
    let found = Amount::from_sat(10_000 + 10_005 + 681);
    let wanted = Amount::from_sat(90_000 + 2_145);
    let short = plain(&owner, 90_000, rate(10)).select(&candidates).unwrap_err();
    assert_eq!(short, SelectionError::InsufficientFunds { wanted, found, excluded });
    let short = short.to_string();
    assert!(short.contains("0.00010001 BTC with assets") && short.contains("0.00020007 BTC unconfirmed"), "{short}");
    let enough = plain(&owner, 18_541, rate(10)).select(&candidates).unwrap();
    assert_eq!(numbers(&enough), [0, 5, 7]);
}

#[test]
fn a_coin_that_the_transaction_already_spends_is_not_selected() {
    let owner = Owner::new();
    let drawn = [Drawn::plain(0, Kind::P2tr, 70_000), Drawn::plain(1, Kind::P2tr, 60_000)];
    let own = owner.coins(&drawn);
    let candidates = owner.candidates(&drawn, &own);
    let inputs = [Spend::Coin(&own[0])];
    let choice = SelectionTarget { inputs: &inputs, ..plain(&owner, 10_000, rate(2)) }.select(&candidates).unwrap();
    assert_eq!(numbers(&choice), [1]);
}

#[test]
fn a_duplicate_coin_is_refused() {
    let owner = Owner::new();
    let drawn = [3, 5, 3].map(|number| Drawn::plain(number, Kind::P2tr, 70_000));
    let own = owner.coins(&drawn);
    let refusal = plain(&owner, 10_000, rate(2)).select(&owner.candidates(&drawn, &own)).unwrap_err();
    assert_eq!(refusal, SelectionError::DuplicateCoin(outpoint(3)));
}

#[test]
fn too_many_small_coins_are_refused_by_name() {
    let owner = Owner::new();
    let drawn: Vec<Drawn> = (0..300).map(|number| Drawn::plain(number, Kind::P2wpkh, 10_000)).collect();
    let own = owner.coins(&drawn);
    let candidates = owner.candidates(&drawn, &own);
    let most = u64::try_from(COINS_MAX).unwrap() * 10_000;
    let wanted = SelectionTarget { fee_payer: FeePayer::Others, ..plain(&owner, most, rate(1)) };
    assert_eq!(wanted.select(&candidates).unwrap().spends.len(), COINS_MAX);
    let wanted = SelectionTarget { amount: Amount::from_sat(most + 1), ..wanted };
    let all = Amount::from_sat(3_000_000);
    let found = Amount::from_sat(most);
    let refusal = SelectionError::TooManyCoins { wanted: wanted.amount, found, all };
    assert_eq!(wanted.select(&candidates).unwrap_err(), refusal);
    let wanted = SelectionTarget { amount: all + Amount::ONE_SAT, ..wanted };
    assert!(matches!(wanted.select(&candidates), Err(SelectionError::InsufficientFunds { .. })));
}

#[test]
fn overflowing_amounts_are_an_error_and_no_panic() {
    let owner = Owner::new();
    for (sats, target, fee_rate) in [
        ([u64::MAX, u64::MAX], 1, rate(1)),
        ([u64::MAX, 5_000], u64::MAX, rate(1)),
        ([50_000, 60_000], 1, FeeRate::MAX),
        ([0, 0], 0, FeeRate::ZERO),
    ] {
        let drawn = [Drawn::plain(0, Kind::P2tr, sats[0]), Drawn::plain(1, Kind::Nested, sats[1])];
        let own = owner.coins(&drawn);
        let choice =
            plain(&owner, target, fee_rate).select(&owner.candidates(&drawn, &own)).map(|choice| numbers(&choice));
        let expected = if target == 0 { Ok(vec![]) } else { Err(SelectionError::Overflow) };
        assert_eq!(choice, expected, "{sats:?} for {target}");
    }
}

#[test]
fn a_large_coin_is_settled_to_the_sat() {
    let owner = Owner::new();
    // Sums of 32-bit floats would be off by hundreds of sats here.
    let drawn = [Drawn::plain(0, Kind::P2tr, 2_099_999_999_999_999), Drawn::plain(1, Kind::P2tr, 100_000_001)];
    let own = owner.coins(&drawn);
    let candidates = owner.candidates(&drawn, &own);
    let choice = plain(&owner, 2_100_000_050_000_000, rate(1)).select(&candidates).unwrap();
    // 10.5 and 2 x 57.5 and 31 virtual bytes.
    assert_eq!(choice.change, Some(Amount::from_sat(50_000_000 - 157)));
}
