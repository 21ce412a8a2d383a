//! Random events beyond the clients' requests: blocks, time, outages, and coins that are moved.

use bitcoin::{Amount, OutPoint, TxOut};
use devchain::ReorgPolicy;
use engine::asset_index::AssetIndex as _;
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;
use lending::instant_offers::reconcile::ReconcilePass;
use lending::instant_offers::service::InstantOffers;
use lending::lookups::confirmations::EXPECTED_REORG_MAX;
use lending::lookups::ports::Ports as _;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::kit::faults::{FaultMode, Faults};
use crate::participants::{BORROWERS, LENDERS, Owner};
use crate::simulation::SharedState;

impl SharedState {
    pub(crate) fn mine(&self, rng: &mut ChaCha8Rng) {
        self.server().world.chain.mine(rng.random_range(1..3)).unwrap();
        self.did("mine");
    }

    pub(crate) fn reorg(&self, rng: &mut ChaCha8Rng) {
        let fate = if rng.random_ratio(3, 4) { ReorgPolicy::Requeue } else { ReorgPolicy::Drop };
        // The number itself, so that a run finds whatever is final too early when the constant is wrong.
        const { assert!(EXPECTED_REORG_MAX == 6) };
        self.server().world.chain.reorg(rng.random_range(1..=6), fate).unwrap();
        self.did(format!("reorg: {fate:?}"));
    }

    /// Passes minutes, half a day, or days.
    pub(crate) fn pass(&self, rng: &mut ChaCha8Rng) {
        let seconds = [16 * 60, 16 * 60, 13 * 3_600, 3 * 86_400, 6 * 86_400][rng.random_range(0..5_usize)];
        let world = &self.server().world;
        world.pass(seconds);
        world.chain.mine(7).unwrap();
        self.did(format!("pass {} hours", seconds / 3_600));
    }

    pub(crate) async fn watch_loans(&self) {
        let server = self.server();
        let outcome = server.world.service.watch_loans_once(&server.watch_state).await;
        self.did(format!("watch loans: {}", outcome.is_ok()));
    }

    pub(crate) async fn watch_vaults(&self) {
        let server = self.server();
        let round = server.vaults.round().await;
        let is_clear = round.is_ok_and(|round| round.failed.is_empty());
        self.did(format!("watch vaults: {is_clear}"));
    }

    pub(crate) async fn reconcile_again(&self) {
        let server = self.server();
        let service = &server.world.service;
        let quotes = InstantOffers { market: &service.market, signer: service.ports.signer(), state: &server.quotes };
        let outcome = quotes.reconcile(ReconcilePass::Periodic).await;
        self.did(format!("reconcile: {}", outcome.is_ok()));
    }

    /// Kills a signer and starts it again.
    pub(crate) fn restart_signer(&self, rng: &mut ChaCha8Rng) {
        let world = &self.server().world;
        world.restart_signer(rng.random_range(0..world.signers_count()));
        self.did("restart a signer");
    }

    /// Makes the node or the signer lose answers for a while, or restores both.
    pub(crate) fn change_faults(&self, rng: &mut ChaCha8Rng) {
        let flaky = self.server().world.faults.lock().flaky.clone();
        let mut faults = Faults { flaky, ..Faults::default() };
        match rng.random_range(0..8_u8) {
            0 => faults.broadcasts = FaultMode::LosesAnswer,
            1 => faults.broadcasts = FaultMode::Unreachable,
            2 => faults.signs = FaultMode::LosesAnswer,
            3 => faults.signs = FaultMode::Unreachable,
            4 => faults.odd_signer = Some((rng.random_range(0..3), FaultMode::LosesAnswer)),
            5 => faults.odd_signer = Some((rng.random_range(0..3), FaultMode::Unreachable)),
            _ => {}
        }
        let Faults { broadcasts, signs, odd_signer, .. } = &faults;
        self.did(format!("faults: broadcasts {broadcasts:?}, signs {signs:?}, odd signer {odd_signer:?}"));
        *self.server().world.faults.lock() = faults;
    }

    /// An owner moves a coin to another own output, whatever it is reserved for; or a lender sells a frog.
    pub(crate) async fn send_coin(&self, rng: &mut ChaCha8Rng) {
        let chain = self.server().world.chain.clone();
        let from = if rng.random_bool(0.5) {
            Owner::Lender(rng.random_range(0..LENDERS))
        } else {
            Owner::Borrower(rng.random_range(0..BORROWERS))
        };
        let person = self.participants.person(from);
        let (script, is_assets) = if rng.random_bool(0.7) {
            (person.payment_script(), false)
        } else {
            (person.ordinals().script_pubkey(), true)
        };
        let coins = chain.outputs_of(&script).await.unwrap();
        if coins.is_empty() {
            return self.did("send: nothing");
        }
        let coin = coins[rng.random_range(0..coins.len())];
        let Some(unspent) = chain.confirmed_unspent(coin).await.unwrap() else { return self.did("send: gone") };
        let is_frog = chain.assets_in(coin).await.unwrap().is_some_and(|carried| !carried.inscriptions.is_empty());
        if is_assets && !is_frog {
            return self.did("send: runes stay");
        }
        self.send(rng, from, (coin, unspent.output), is_frog).await;
    }

    async fn send(&self, rng: &mut ChaCha8Rng, from: Owner, coin: (OutPoint, TxOut), is_frog: bool) {
        let (chain, person) = (self.server().world.chain.clone(), self.participants.person(from));
        let is_sold = is_frog && matches!(from, Owner::Lender(_));
        let to = if is_sold { Owner::Borrower(rng.random_range(0..BORROWERS)) } else { from };
        let home =
            if is_frog { self.participants.person(to).ordinals().script_pubkey() } else { person.payment_script() };
        let mut spent = vec![coin];
        let fee = Amount::from_sat([1_000, 9_000][rng.random_range(0..2_usize)]);
        let mut outputs = vec![TxOut { value: spent[0].1.value, script_pubkey: home }];
        if is_frog {
            let Some(fee_coin) = self.fee_coin_of(from, fee).await else { return self.did("send: no fee") };
            outputs.push(TxOut { value: fee_coin.1.value - fee, script_pubkey: person.payment_script() });
            spent.push(fee_coin);
        } else {
            let Some(left) = spent[0].1.value.checked_sub(fee).filter(|left| left.to_sat() > 1_000) else {
                return self.did("send: too small");
            };
            outputs[0].value = left;
        }
        let sats = if to == from { 0 } else { outputs[0].value.to_sat() };
        let transaction = person.spend(&spent, outputs);
        self.memory.borrow_mut().gifts.insert(transaction.compute_txid(), (from, to, sats));
        let is_taken = chain.broadcast(std::slice::from_ref(&transaction)).await.is_ok();
        let what = if is_sold { "sell a frog" } else { "send" };
        if !is_taken && rng.random_bool(0.3) {
            // It need not be relayed: a miner may include it all the same.
            let mined = chain.mine_transactions(vec![transaction]);
            return self.did(format!("{what}: mined {}", mined.is_ok()));
        }
        self.did(format!("{what}: {is_taken}"));
    }

    /// Returns a coin that can pay a fee.
    async fn fee_coin_of(&self, owner: Owner, fee: Amount) -> Option<(OutPoint, TxOut)> {
        let chain = self.server().world.chain.clone();
        for outpoint in chain.outputs_of(&self.participants.person(owner).payment_script()).await.unwrap() {
            if let Some(unspent) = chain.unspent(outpoint).await.unwrap()
                && unspent.confirmations > 0
                && unspent.output.value > fee * 3
            {
                return Some((outpoint, unspent.output));
            }
        }
        None
    }
}
