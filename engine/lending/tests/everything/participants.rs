//! The participants: lenders with vaults, borrowers with inscriptions and runes, and their coins.

use std::collections::BTreeMap;

use bitcoin::{Amount, OutPoint, Script, ScriptBuf, TxOut};
use devchain::EmbeddedChain;
use domain::UserId;
use engine::asset_index::InscriptionId;
use engine::chain::Chain as _;
use escrow::contract::vault::Vault;
use ordinals::{Edict, RuneId, Runestone};

use crate::kit::groups::FROGS;
use crate::kit::people::{Person, wallet};
use crate::kit::randomness::Randomness;
use crate::kit::world::{PLATFORM, START_S, World};

pub(crate) const LENDERS: usize = 6;
pub(crate) const BORROWERS: usize = 12;
const FROGS_EACH: usize = 4;
const GOLD_COINS_EACH: usize = 3;
const GOLD_PER_COIN: u128 = 40_000_000;
/// The initial holder of all of the gold.
const MINT: u8 = 150;

/// The owner of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Lender(usize),
    Borrower(usize),
    /// The vault of this lender.
    Vault(usize),
    Platform,
}

/// All participants.
pub(crate) struct Participants {
    pub(crate) lenders: Vec<Person>,
    pub(crate) vaults: Vec<Vault>,
    pub(crate) borrowers: Vec<Person>,
    pub(crate) frogs: Vec<InscriptionId>,
    pub(crate) gold: RuneId,
    /// The hash of the signer's policy.
    pub(crate) policy: String,
    owners: BTreeMap<ScriptBuf, Owner>,
}

impl Participants {
    /// Creates a world with so many signers, some of which sign each payment, and all participants with their coins.
    pub(crate) async fn assemble(signers: (usize, usize), seed: u64) -> (World, Self) {
        let chain = EmbeddedChain::new(START_S).unwrap();
        let mint = wallet(MINT).ordinals_address().script_pubkey();
        let count = BORROWERS * GOLD_COINS_EACH;
        let supply = GOLD_PER_COIN * u128::try_from(count).unwrap();
        let (gold, coin) = chain.etch(&mint, 2, supply).unwrap();
        let world = World::repeatable(chain, gold, signers, Randomness::of(seed)).await;
        let policy = world.policy().await;
        let (lenders, vaults, borrowers, frogs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut participants = Self { lenders, vaults, borrowers, frogs, gold, policy, owners: BTreeMap::new() };
        for number in 1..=u8::try_from(LENDERS).unwrap() {
            participants.add_lender(&world, number).await;
        }
        for number in 101..=100 + u8::try_from(BORROWERS).unwrap() {
            participants.add_borrower(&world, number).await;
        }
        let platform = wallet(PLATFORM).payment_address().script_pubkey();
        participants.owners.insert(platform, Owner::Platform);
        participants.share_gold(&world, coin).await;
        // The initial coins are too deep for a reorg.
        world.chain.mine(10).unwrap();
        (world, participants)
    }

    async fn add_lender(&mut self, world: &World, number: u8) {
        let (lender, index) = (world.person(number).await, self.lenders.len());
        let vault = world.open_vault(&lender).await;
        for step in 0..10 {
            world.fund(&lender.payment_script(), 1_400_000 + 37_001 * step);
        }
        for sats in [2_000_000, 1_500_000, 1_000_000, 700_000, 400_000] {
            world.fund(&vault.output().script_pubkey(), sats);
        }
        for script in [lender.payment_script(), lender.ordinals().script_pubkey()] {
            self.owners.insert(script, Owner::Lender(index));
        }
        self.owners.insert(vault.output().script_pubkey(), Owner::Vault(index));
        self.lenders.push(lender);
        self.vaults.push(vault);
    }

    async fn add_borrower(&mut self, world: &World, number: u8) {
        let (borrower, index) = (world.person(number).await, self.borrowers.len());
        for step in 0..5 {
            world.fund(&borrower.payment_script(), 900_000 + 41_003 * step);
        }
        let home = borrower.ordinals().script_pubkey();
        for _ in 0..FROGS_EACH {
            let id = world.chain.inscribe(&home, Amount::from_sat(10_000), "text/plain", b"a frog").unwrap();
            self.frogs.push(id);
        }
        let ids: Vec<_> = self.frogs[index * FROGS_EACH..].iter().map(|id| (*id).into()).collect();
        world.service.market.list_inscriptions(FROGS, &ids).await.unwrap();
        for script in [borrower.payment_script(), home] {
            self.owners.insert(script, Owner::Borrower(index));
        }
        self.borrowers.push(borrower);
    }

    async fn share_gold(&self, world: &World, coin: OutPoint) {
        let mint = Person { wallet: wallet(MINT), user: UserId(u64::MAX) };
        let fee = world.fund(&mint.payment_script(), 1_000_000);
        let mut spent = Vec::new();
        for outpoint in [coin, fee] {
            spent.push((outpoint, world.chain.unspent(outpoint).await.unwrap().unwrap().output));
        }
        let homes = (0..GOLD_COINS_EACH).flat_map(|_| &self.borrowers).map(|person| person.ordinals().script_pubkey());
        let output = |script_pubkey: ScriptBuf, sats| TxOut { value: Amount::from_sat(sats), script_pubkey };
        let mut outputs: Vec<TxOut> = homes.map(|home| output(home, 10_000)).collect();
        let edicts = (0..).zip(&outputs).map(|(output, _)| Edict { id: self.gold, amount: GOLD_PER_COIN, output });
        let runestone = Runestone { edicts: edicts.collect(), pointer: Some(0), ..Runestone::default() };
        outputs.push(output(runestone.encipher(), 0));
        world.chain.mine_transactions(vec![mint.spend(&spent, outputs)]).unwrap();
    }

    /// Returns the owner of a script's outputs; `None` for escrows and outsiders.
    pub(crate) fn owner_of(&self, script: &Script) -> Option<Owner> {
        self.owners.get(script).copied()
    }

    /// The index of a lender.
    pub(crate) fn lender(&self, user: UserId) -> usize {
        self.lenders.iter().position(|person| person.user == user).unwrap()
    }

    /// The index of a borrower.
    pub(crate) fn borrower(&self, user: UserId) -> usize {
        self.borrowers.iter().position(|person| person.user == user).unwrap()
    }

    pub(crate) fn person(&self, owner: Owner) -> &Person {
        match owner {
            Owner::Borrower(index) => &self.borrowers[index],
            Owner::Lender(index) | Owner::Vault(index) => &self.lenders[index],
            Owner::Platform => panic!("the platform signs nothing"),
        }
    }

    /// Returns the borrower who holds an inscription, with its output, if that is confirmed and unspent.
    pub(crate) async fn holder_of(&self, chain: &EmbeddedChain, frog: InscriptionId) -> Option<(Owner, OutPoint)> {
        let (place, _) = engine::asset_index::AssetIndex::sat_point(chain, frog).await.unwrap()?;
        let unspent = chain.confirmed_unspent(place).await.unwrap()?;
        Some((self.owner_of(&unspent.output.script_pubkey)?, place))
    }
}
