//! Invariants that hold whenever no request is in progress.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bitcoin::{OutPoint, TxOut};
use domain::{LoanAccount, LoanId, LoanStage, Outpoint, ProcessType, Sats, UserId};
use engine::asset_index::AssetIndex as _;
use lending::records::outpoint;

use crate::chain_walk::ChainWalk;
use crate::journal_history::{JournalHistory, LoanHistory};
use crate::money::{DUST_END_SATS, Money};
use crate::participants::Owner;
use crate::simulation::Simulation;

/// Journal and blocks, side by side.
struct Snapshot<'a> {
    simulation: &'a Simulation,
    history: JournalHistory,
    walk: ChainWalk,
    escrows: HashMap<LoanId, OutPoint>,
    loans: BTreeMap<LoanId, LoanAccount>,
}

/// Whether it is not originated by a confirmed transaction.
const fn is_new(stage: LoanStage) -> bool {
    matches!(stage, LoanStage::Prepared | LoanStage::AwaitingLender | LoanStage::Broadcast)
}

impl Simulation {
    /// Checks all invariants; no request may be in progress.
    pub(crate) async fn check(&self) {
        self.run_watches().await;
        let (server, shared) = (self.shared.server(), &self.shared);
        let history = JournalHistory::read(&server.world.journal);
        let walk = ChainWalk::of(&server.world.chain, &shared.participants);
        let escrows = {
            let memory = shared.memory.borrow();
            history.assert_knows(&memory.facts);
            for (nonce, (lender, sats)) in &memory.withdrawals {
                let known = history
                    .vaults
                    .get(&shared.participants.lenders[*lender].user)
                    .and_then(|it| it.withdrawals.get(nonce));
                // Change below the dust limit leaves as well, as a fee.
                let is_asked_for = |known: u64| (*sats..sats + DUST_END_SATS).contains(&known);
                assert!(known.is_none_or(|(_, known)| is_asked_for(*known)), "{known:?} was asked for as {sats}");
            }
            let money = Money::new(&shared.participants, &walk, &history, &memory);
            money.check();
            money.escrows()
        };
        let mut loans = BTreeMap::new();
        for (id, recorded) in &history.loans {
            let loan = server.world.service.market.loan(*id).await;
            assert_eq!(loan.is_none(), recorded.is_gone(), "{id}");
            let is_reserved = history.reservations.contains_key(&domain::ReservationId(id.0));
            assert!(loan.is_some() || !is_reserved, "{id} is gone, and something is still reserved for it");
            loans.extend(loan.map(|loan| (*id, loan)));
        }
        let snapshot = Snapshot { simulation: self, history, walk, escrows, loans };
        snapshot.check_stages().await;
        snapshot.check_reservations(&snapshot.loans_with_unmoved_collateral().await);
        snapshot.check_vaults().await;
        snapshot.check_offers().await;
        self.shared.count("check");
    }
}

impl Snapshot<'_> {
    /// Checks that every loan's stage agrees with the blocks.
    async fn check_stages(&self) {
        for (id, loan) in &self.loans {
            let recorded = &self.history.loans[id];
            assert_eq!(recorded.deal, loan.deal);
            let mined = recorded.txid.and_then(|txid| self.walk.transaction(txid));
            let is_reserved = self.history.reservations.contains_key(&domain::ReservationId(id.0));
            // Nothing is reserved for a loan whose borrower has not signed.
            let is_held = match loan.stage {
                LoanStage::Prepared => loan.coins_to_reserve.is_none(),
                stage => stage == LoanStage::AwaitingLender,
            };
            assert_eq!(is_reserved, is_held, "{id}");
            match loan.stage {
                LoanStage::Prepared | LoanStage::AwaitingLender | LoanStage::Cancelled | LoanStage::Lapsed => {
                    assert_eq!(recorded.txid, None, "{id}");
                }
                LoanStage::Broadcast | LoanStage::Failed => assert!(mined.is_none(), "{id} has a block"),
                LoanStage::Active | LoanStage::Expired | LoanStage::Repaying | LoanStage::Claiming => {
                    assert_eq!(loan.began.unwrap().height, mined.unwrap().height, "{id}");
                    let escrow = self.escrows[id];
                    assert!(self.walk.unspent.contains_key(&escrow), "{id} is {}, and its escrow is spent", loan.stage);
                    self.assert_secured(loan, escrow).await;
                }
                LoanStage::Repaid | LoanStage::Claimed => self.assert_ended(*id, loan),
            }
            self.simulation.shared.count(format!("seen {}", loan.stage));
        }
    }

    /// Checks that the escrow holds the collateral.
    async fn assert_secured(&self, loan: &LoanAccount, escrow: OutPoint) {
        let chain = &self.simulation.shared.server().world.chain;
        let carried = chain.assets_in(escrow).await.unwrap().unwrap();
        if loan.deal.pledged_ids.is_empty() {
            let runes: Vec<u128> = carried.runes.iter().map(|(_, raw)| *raw).collect();
            assert_eq!(runes, [loan.deal.pledged_raw], "{}", loan.id);
        } else {
            for id in loan.deal.pledged_ids.iter() {
                let place = chain.sat_point(id.parse().unwrap()).await.unwrap().unwrap();
                assert_eq!(place.0, escrow, "{}", loan.id);
            }
        }
    }

    fn assert_ended(&self, id: LoanId, loan: &LoanAccount) {
        let escrow = self.escrows.get(&id);
        let spender = escrow.and_then(|escrow| self.walk.spenders.get(escrow));
        let Some(&(spender, input)) = spender else { panic!("no block spends the escrow {escrow:?} of {loan:#?}") };
        let end = loan.end.as_ref().unwrap();
        assert_eq!(outpoint::to_domain(OutPoint::new(spender, 0)).txid, end.txid, "{id}");
        let mined = self.walk.transaction(spender).unwrap();
        assert_eq!(mined.height, end.mined.unwrap().height, "{id}");
        assert_eq!(mined.is_claim(input), loan.stage == LoanStage::Claimed, "{id}");
    }

    /// Returns loans that are not originated yet and whose inscription is still on the output that they spend. A
    /// borrower who moves it to another own output, or gets it back by a repayment, can have another loan prepared with
    /// the new output; and after a reorg several loans may wait for each other's end.
    async fn loans_with_unmoved_collateral(&self) -> BTreeSet<LoanId> {
        let chain = &self.simulation.shared.server().world.chain;
        let mut found = BTreeSet::new();
        for (id, loan) in &self.loans {
            if is_new(loan.stage)
                && let Some(Ok(inscription)) = loan.deal.pledged_ids.first().map(str::parse)
                && let Some((place, _)) = chain.sat_point(inscription).await.unwrap()
                && self.history.locks.get(&outpoint::to_domain(place)).is_some_and(|holder| holder.0 == id.0)
            {
                found.insert(*id);
            }
        }
        found
    }

    /// Checks that no output is reserved for two loans that can still be originated, and that no collateral secures
    /// two.
    fn check_reservations(&self, with_unmoved_collateral: &BTreeSet<LoanId>) {
        let (shared, memory) = (&self.simulation.shared, self.simulation.shared.memory.borrow());
        let (mut promised, mut pledged) = (BTreeMap::new(), BTreeMap::new());
        for (id, loan) in &self.loans {
            // Before its borrower has signed nothing is reserved for a loan.
            if loan.stage.is_over() || loan.coins_to_reserve.is_some() {
                continue;
            }
            let LoanHistory { deal, was_rebuilt, .. } = &self.history.loans[id];
            let is_new = is_new(loan.stage);
            let can_secure = !is_new || with_unmoved_collateral.contains(id);
            for inscription in deal.pledged_ids.iter().filter(|_| deal.follows.is_none() && can_secure) {
                let other = pledged.insert(inscription.to_owned(), (id, loan.stage));
                assert_eq!(other, None, "{inscription} secures {id}, which is {}, as well", loan.stage);
            }
            let inputs = memory.inputs.get(id).filter(|_| is_new && !was_rebuilt);
            for (input, script) in inputs.into_iter().flatten() {
                let owner = shared.participants.owner_of(script);
                if matches!(owner, Some(Owner::Vault(_))) && loan.stage != LoanStage::Broadcast {
                    // A vault reserves a sum for a borrower, not outputs.
                    continue;
                }
                let other = promised.insert(input, id);
                assert_eq!(other, None, "{input} is reserved for {id} as well");
                if loan.stage != LoanStage::Broadcast {
                    let holder = self.history.locks.get(&outpoint::to_domain(*input)).map(|holder| holder.0);
                    let is_spent = !self.walk.unspent.contains_key(input);
                    assert!(is_spent || holder == Some(id.0), "{input} is reserved for {id}, locked for {holder:?}");
                }
            }
        }
    }

    /// Checks that the vaults' ledgers agree with the blocks and with the reservations.
    async fn check_vaults(&self) {
        let (shared, market) = (&self.simulation.shared, &self.simulation.shared.server().world.service.market);
        for (index, lender) in shared.participants.lenders.iter().enumerate() {
            let ledger = market.vault_ledger(lender.user).await.unwrap();
            let history = &self.history.vaults[&lender.user];
            let is_free = |outpoint: &Outpoint, output: &TxOut| {
                shared.participants.owner_of(&output.script_pubkey) == Some(Owner::Vault(index))
                    && !history.takes(outpoint)
            };
            let own = self.walk.unspent.iter().map(|(outpoint, output)| (outpoint::to_domain(*outpoint), output));
            let own = own.filter(|(outpoint, output)| is_free(outpoint, output));
            let own: BTreeMap<Outpoint, u64> =
                own.map(|(outpoint, output)| (outpoint, output.value.to_sat())).collect();
            let counted = ledger.outputs().filter(|(_, output)| output.is_free());
            let counted: BTreeMap<Outpoint, u64> =
                counted.map(|(outpoint, output)| (outpoint, output.amount.get())).collect();
            assert!(own == counted, "{}", self.difference(lender.user, &own, &counted).await);
            assert_eq!(ledger.balance(), Sats::new(own.values().sum()));
            let reserved = self.history.reservations.values().filter(|reservation| {
                let offer = &self.history.offers[&reservation.offer];
                offer.lender == lender.user && offer.process == ProcessType::Instant
            });
            let fee_of = |id: u128| self.loans[&LoanId(id)].deal.platform_fee.get();
            let reserved: u64 = reserved.map(|it| it.principal.get() + fee_of(it.id.0)).sum();
            let held: u64 = history.held.values().map(|sats| sats.get()).sum();
            let usable = ledger.usable().get();
            let shown = ledger.balance().get() - usable + ledger.shortfall().get();
            assert_eq!((held, shown), (reserved, reserved), "{ledger:#?}");
        }
    }

    /// Describes the differences between blocks and a vault's ledger, and which mempool transactions spend the outputs.
    async fn difference(
        &self,
        lender: UserId,
        blocks: &BTreeMap<Outpoint, u64>,
        ledger: &BTreeMap<Outpoint, u64>,
    ) -> String {
        let chain = &self.simulation.shared.server().world.chain;
        let mut waiting = Vec::new();
        for txid in chain.mempool_txids() {
            waiting.extend(engine::chain::Chain::transaction(chain, txid).await.unwrap().map(|seen| seen.transaction));
        }
        let spender = |place: &Outpoint| {
            let spends = |tx: &&bitcoin::Transaction| {
                tx.input.iter().any(|input| outpoint::to_domain(input.previous_output) == *place)
            };
            waiting.iter().find(spends).map(bitcoin::Transaction::compute_txid)
        };
        let only = |these: &BTreeMap<Outpoint, u64>, those: &BTreeMap<Outpoint, u64>| -> Vec<String> {
            let missing = these.iter().filter(|(place, sats)| those.get(place) != Some(sats));
            missing
                .map(|(place, sats)| {
                    let events = self.history.vaults[&lender].output_events.iter().filter(|(about, _)| about == place);
                    let events: Vec<&String> = events.map(|(_, what)| what).collect();
                    let spender = spender(place);
                    let by = spender.and_then(|txid| {
                        self.loans
                            .iter()
                            .find(|(id, _)| self.history.loans[id].txid == Some(txid))
                            .map(|(id, loan)| (*id, loan.stage))
                    });
                    format!("{place:?} of {sats}, spent by {spender:?} of {by:?}, events {events:?}")
                })
                .collect()
        };
        format!("only blocks: {:#?}, only the ledger: {:#?}", only(blocks, ledger), only(ledger, blocks))
    }

    /// Checks that the lent and reserved parts of each offer agree with its loans and reservations.
    async fn check_offers(&self) {
        let market = &self.simulation.shared.server().world.service.market;
        for (id, history) in &self.history.offers {
            let (lent, held) = self.history.taken_of(*id);
            match market.offer(*id).await.unwrap() {
                Some(offer) => {
                    assert!(!history.is_cancelled, "{id}");
                    assert_eq!((offer.used.get(), offer.held.get()), (lent, held), "{id}");
                }
                None => assert!(history.is_cancelled || lent > 0, "{id} is gone without a reason"),
            }
        }
    }
}
