//! Tests of holdings and lookups on the embedded chain, with an indexer that lags or lies.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::future::{Future, ready};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use bitcoin::{Amount, Network, OutPoint, Script};
use devchain::EmbeddedChain;
use engine::asset_index::{
    AssetError, AssetIndex, Brc20Balance, Brc20Index, InscriptionId, OutputAssets, RuneEntry, TransferInscription,
};
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex;
use escrow::address::AddressKind;
use escrow::contract::transaction::coin::CoinKey;
use escrow::wallet_key::WalletKey;
use lending::lookups::holdings::InscriptionError;
use lending::lookups::lookup::{Lookup, LookupError, RetryPolicy};
use lending::lookups::ports::Ports;
use lending::lookups::signer_router::SignerRouter;
use ordinals::SpacedRune;
use signer::request::{Answer, Request};
use signer::vault_signer::{SignerError, VaultSigner};

/// A signer that cannot be reached.
struct NoSigner;

impl VaultSigner for NoSigner {
    fn ask(&self, _: Request) -> impl Future<Output = Result<Answer, SignerError>> + Send {
        ready(Err(SignerError::Unreachable { reason: "there is none".to_owned() }))
    }
}

/// The embedded chain, behind an indexer that can be made to lag and an address index that can be made to lie.
struct World {
    chain: EmbeddedChain,
    blocks_behind: AtomicU32,
    lists_others: AtomicBool,
    signer: SignerRouter<NoSigner>,
}

const START: u32 = 1_800_000_000;
/// Raw units of a whole BRC-20 token.
const WHOLE: u128 = 1_000_000_000_000_000_000;

fn wallet(seed: u8) -> WalletKey {
    WalletKey::from_seed([seed; 32], Network::Regtest).unwrap()
}

fn ordinals(seed: u8) -> CoinKey {
    wallet(seed).coin_key(AddressKind::P2tr)
}

impl World {
    fn new() -> Self {
        let chain = EmbeddedChain::new(START).unwrap();
        Self {
            chain,
            blocks_behind: AtomicU32::new(0),
            lists_others: AtomicBool::new(false),
            signer: SignerRouter::alone(NoSigner),
        }
    }

    fn lookup(&self) -> Lookup<'_, Self> {
        Lookup { retry_policy: RetryPolicy { retries: 1, delay: Duration::from_millis(1) }, ..Lookup::new(self) }
    }

    fn inscribe(&self, owner: &CoinKey, text: &str) -> InscriptionId {
        self.chain.inscribe(&owner.script_pubkey(), Amount::from_sat(10_000), "text/plain", text.as_bytes()).unwrap()
    }

    fn fund(&self, owner: &CoinKey, sats: u64) -> OutPoint {
        self.chain.fund(&owner.script_pubkey(), Amount::from_sat(sats)).unwrap()
    }
}

impl Ports for World {
    type Chain = EmbeddedChain;
    type Assets = Self;
    type Brc20 = EmbeddedChain;
    type Coins = Self;
    type Signer = NoSigner;

    fn chain(&self) -> &EmbeddedChain {
        &self.chain
    }
    fn assets(&self) -> &Self {
        self
    }
    fn brc20(&self) -> &EmbeddedChain {
        &self.chain
    }
    fn coins(&self) -> &Self {
        self
    }
    fn signer(&self) -> &SignerRouter<NoSigner> {
        &self.signer
    }
}

impl AssetIndex for World {
    async fn height(&self) -> Result<u32, AssetError> {
        Ok(AssetIndex::height(&self.chain).await? - self.blocks_behind.load(Ordering::Relaxed))
    }
    async fn assets_in(&self, outpoint: OutPoint) -> Result<Option<OutputAssets>, AssetError> {
        self.chain.assets_in(outpoint).await
    }
    async fn sat_point(&self, inscription: InscriptionId) -> Result<Option<(OutPoint, Amount)>, AssetError> {
        self.chain.sat_point(inscription).await
    }
    async fn inscription_number(&self, inscription: InscriptionId) -> Result<Option<i64>, AssetError> {
        self.chain.inscription_number(inscription).await
    }
    async fn rune(&self, name: SpacedRune) -> Result<Option<RuneEntry>, AssetError> {
        self.chain.rune(name).await
    }
}

impl CoinIndex for World {
    async fn outputs_of(&self, owner: &Script) -> Result<Vec<OutPoint>, AssetError> {
        let others = ordinals(9).script_pubkey();
        let owner = if self.lists_others.load(Ordering::Relaxed) { others.as_script() } else { owner };
        self.chain.outputs_of(owner).await
    }
}

/// Returns a wallet's BRC-20 balance.
async fn balance(world: &World, owner: &CoinKey) -> Brc20Balance {
    world.lookup().brc20_balance(owner, "ordi").await.unwrap()
}

#[tokio::test]
async fn a_wallets_plain_coins_inscriptions_runes_and_transfers_are_distinguished() {
    let (world, owner) = (World::new(), ordinals(1));
    let (plain, id) = (world.fund(&owner, 50_000), world.inscribe(&owner, "a frog"));
    let (rune, _) = world.chain.etch(&owner.script_pubkey(), 2, 1_000_000).unwrap();
    for operation in [
        r#"{"p":"brc-20","op":"deploy","tick":"ordi","max":"1000"}"#,
        r#"{"p":"brc-20","op":"mint","tick":"ordi","amt":"100"}"#,
        r#"{"p":"brc-20","op":"transfer","tick":"ordi","amt":"40"}"#,
    ] {
        world.inscribe(&owner, operation);
    }
    let lookup = world.lookup();
    let holdings = lookup.holdings(&owner).await.unwrap();
    assert_eq!(holdings.plain().map(|coin| coin.coin.outpoint).collect::<Vec<_>>(), [plain]);
    assert!(holdings.inscriptions().any(|held| held.id == id && held.offset == Amount::ZERO));
    assert_eq!(holdings.inscriptions().count(), 4);
    let runes = holdings.runes();
    assert_eq!(runes.keys().collect::<Vec<_>>(), [&rune]);
    assert_eq!(runes[&rune][0].runes, [(rune, 1_000_000)]);
    let notes = lookup.notes(&owner, &holdings).await.unwrap();
    assert_eq!(
        notes.iter().map(|note| (note.ticker.as_str(), note.amount)).collect::<Vec<_>>(),
        [("ordi", 40 * WHOLE)]
    );
    let Brc20Balance { available, transferable } = balance(&world, &owner).await;
    assert_eq!((available, transferable), (60 * WHOLE, 40 * WHOLE));
    let coin = lookup.inscription(id, &owner).await.unwrap();
    assert_eq!((coin.inscriptions, coin.coin.output.value), (vec![Amount::ZERO], Amount::from_sat(10_000)));
}

#[tokio::test]
async fn a_foreign_or_unknown_inscription_is_refused_by_name() {
    let (world, owner, other) = (World::new(), ordinals(1), ordinals(2));
    let id = world.inscribe(&other, "a frog");
    assert_eq!(world.lookup().inscription(id, &owner).await, Err(InscriptionError::NotYours(id)));
    let unknown = InscriptionId { index: 7, ..id };
    assert_eq!(world.lookup().inscription(unknown, &owner).await, Err(InscriptionError::Unknown(unknown)));
    assert!(world.lookup().inscription(id, &other).await.is_ok());
}

#[tokio::test]
async fn a_lagging_indexer_is_retried_and_then_refused() {
    let (world, owner) = (World::new(), ordinals(1));
    let id = world.inscribe(&owner, "a frog");
    let tip = world.chain.tip().await.unwrap().height;
    world.blocks_behind.store(1, Ordering::Relaxed);
    let lagging = LookupError::Lagging { wanted: tip, found: tip - 1 };
    assert_eq!(world.lookup().holdings(&owner).await, Err(lagging.clone()));
    assert_eq!(world.lookup().inscription(id, &owner).await, Err(InscriptionError::Lookup(lagging)));
    world.chain.mine(1).unwrap();
    assert!(world.lookup().holdings(&owner).await.is_ok(), "the block in question has been read");
    world.blocks_behind.store(3, Ordering::Relaxed);
    assert!(matches!(world.lookup().holdings(&owner).await, Err(LookupError::Lagging { .. })), "too far behind");
}

#[tokio::test]
async fn coins_of_other_scripts_in_a_list_are_ignored() {
    let (world, owner) = (World::new(), ordinals(1));
    world.fund(&owner, 50_000);
    world.fund(&ordinals(9), 70_000);
    world.lists_others.store(true, Ordering::Relaxed);
    assert!(world.lookup().holdings(&owner).await.unwrap().coins.is_empty());
}

#[tokio::test]
async fn outputs_that_do_not_exist_are_left_out() {
    let (world, owner) = (World::new(), ordinals(1));
    let there = world.fund(&owner, 50_000);
    let nowhere = OutPoint { vout: 900, ..there };
    let known = world.lookup().outputs([there, nowhere].into()).await.unwrap();
    assert_eq!(known.keys().collect::<Vec<_>>(), [&there]);
    let carried = known[&there].assets.as_ref().unwrap();
    assert!(carried.inscriptions.is_empty() && carried.runes.is_empty());
}

/// The server runs these futures on several threads.
#[test]
fn a_lookup_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    let (world, owner) = (World::new(), ordinals(1));
    let lookup = world.lookup();
    is_send(&lookup.holdings(&owner));
    is_send(&lookup.outputs([OutPoint::null()].into()));
}

/// The ports of the embedded chain, including transfer inscriptions.
#[tokio::test]
async fn an_inscription_that_is_no_transfer_gives_none() {
    let (world, owner) = (World::new(), ordinals(1));
    let id = world.inscribe(&owner, "a frog");
    let note: Option<TransferInscription> = Brc20Index::transfer_inscription(&world.chain, id).await.unwrap();
    assert_eq!(note, None);
}
