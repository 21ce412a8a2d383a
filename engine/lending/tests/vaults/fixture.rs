//! A lender with a vault, and their actions.

use bitcoin::{Amount, FeeRate, OutPoint, Transaction};
use domain::{Sats, SpendId};
use engine::chain::Chain as _;
use escrow::address::AddressKind;
use escrow::contract::vault::Vault;
use escrow::contract::vault::vault_exit::VaultExit;
use lending::vaults::lender_order::{OrderTransaction, SignedOrder};
use lending::vaults::vault::{bitcoin_outpoint, ledger_outpoint};
use lending::vaults::vault_watch::{Round, VaultWatch};
use lending::vaults::withdrawal::{WithdrawalError, WithdrawalRequest};

use crate::kit::people::Person;
use crate::kit::ports::WorldPorts;
use crate::kit::world::World;

pub(crate) const RATE: FeeRate = FeeRate::from_sat_per_kwu(500);

/// One lender's vault in a world.
pub(crate) struct Fixture {
    pub(crate) world: World,
    pub(crate) lender: Person,
    pub(crate) vault: Vault,
    pub(crate) watch: VaultWatch<WorldPorts>,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let world = World::new().await;
        let lender = world.lender().await;
        let vault = world.open_vault(&lender).await;
        let watch = VaultWatch::new(world.service.clone());
        Self { world, lender, vault, watch }
    }

    /// A vault with these amounts, each in an output of its own.
    pub(crate) async fn holding(amounts: &[u64]) -> Self {
        let fixture = Self::new().await;
        for amount in amounts {
            fixture.deposit(*amount);
        }
        fixture.round().await;
        fixture
    }

    /// The same after a crash with this number of batches on disk.
    pub(crate) fn after_crash(self, count: usize) -> Self {
        let Self { world, lender, vault, .. } = self;
        let world = world.after_crash(count);
        let watch = VaultWatch::new(world.service.clone());
        Self { world, lender, vault, watch }
    }

    pub(crate) fn restarted(self) -> Self {
        let count = self.world.journal.batches().len();
        self.after_crash(count)
    }

    /// Pays into the vault, confirmed.
    pub(crate) fn deposit(&self, sats: u64) -> OutPoint {
        self.world.fund(&self.vault.output().script_pubkey(), sats)
    }

    /// Runs a round, and asserts that no vault is unclear.
    pub(crate) async fn round(&self) -> Round {
        let round = self.watch.round().await.unwrap();
        assert_eq!(round.failed, []);
        round
    }

    pub(crate) async fn ledger(&self) -> domain::Vault {
        self.world.service.market.vault_ledger(self.lender.user).await.unwrap()
    }

    /// The balance and the usable balance.
    pub(crate) async fn sums(&self) -> (u64, u64) {
        let view = self.world.service.market.vault(self.lender.user).await.unwrap();
        (view.balance_sats.get(), view.usable_balance_sats.get())
    }

    /// An output in the ledger.
    pub(crate) async fn output(&self, outpoint: OutPoint) -> Option<domain::VaultOutput> {
        self.ledger().await.output(&ledger_outpoint(&outpoint))
    }

    /// The confirmed balance of the lender's payment address.
    pub(crate) async fn payment_balance(&self) -> u64 {
        let lookup = self.world.service.lookup();
        lookup.holdings(&self.lender.payment()).await.unwrap().plain().map(|coin| coin.coin.output.value.to_sat()).sum()
    }

    /// A withdrawal that the lender signed.
    pub(crate) async fn order(&self, sats: Option<u64>) -> SignedOrder {
        let request = WithdrawalRequest { sats: sats.map(Sats::new), fee_rate: RATE };
        let prepared = self.world.service.prepare_withdrawal(self.lender.user, request).await.unwrap();
        let signed = self.world.sign(&self.lender, AddressKind::P2wpkh, prepared.action);
        SignedOrder { signed: signed.text, nonce_use: signed.nonce_use, fee_rate: RATE }
    }

    pub(crate) async fn submit(&self, order: &SignedOrder) -> Result<OrderTransaction, WithdrawalError> {
        self.world.service.submit_withdrawal(self.lender.user, order).await
    }

    pub(crate) async fn withdraw(&self, sats: Option<u64>) -> OrderTransaction {
        let order = self.order(sats).await;
        self.submit(&order).await.unwrap()
    }

    pub(crate) async fn exit(&self, outpoints: &[OutPoint], rate: FeeRate) -> Transaction {
        exit_of(self, outpoints, rate).await
    }

    pub(crate) async fn assert_like_the_chain(&self) {
        assert_like_the_chain(self).await;
    }

    pub(crate) async fn spends(&self) -> Vec<SpendId> {
        self.ledger().await.pending_spends().map(|(spend, _)| spend).collect()
    }
}

/// The lender's own signed exit of these outputs.
pub(crate) async fn exit_of(fixture: &Fixture, outpoints: &[OutPoint], rate: FeeRate) -> Transaction {
    let mut outputs: Vec<(OutPoint, Amount)> = Vec::new();
    for outpoint in outpoints {
        let unspent = fixture.world.chain.confirmed_unspent(*outpoint).await.unwrap().unwrap();
        outputs.push((*outpoint, unspent.output.value));
    }
    let home = fixture.lender.payment_script();
    let exit = VaultExit { vault: &fixture.vault, outputs: &outputs, destination: &home, fee_rate: rate };
    let template = exit.build().unwrap();
    let text = fixture.lender.wallet.sign_psbt(&template.psbt.to_string()).unwrap();
    let signatures = template.check_returned(&text, &[fixture.lender.ordinals()]).unwrap();
    template.finish(&signatures, template.final_txid()).unwrap()
}

/// Asserts that ledger and chain agree: outputs free in the ledger are unspent on the chain, to the sat, and every
/// unspent output of the vault is in the ledger, unless one of its own transactions takes it.
pub(crate) async fn assert_like_the_chain(fixture: &Fixture) {
    let (ledger, chain) = (fixture.ledger().await, &fixture.world.chain);
    let mut sum = 0;
    let listed =
        engine::coin_index::CoinIndex::outputs_of(chain, &fixture.vault.output().script_pubkey()).await.unwrap();
    for outpoint in listed {
        let Some(unspent) = chain.unspent(outpoint).await.unwrap() else { continue };
        let is_plain = engine::asset_index::AssetIndex::assets_in(chain, outpoint).await.unwrap().unwrap().is_plain();
        let is_taken =
            ledger.pending_spends().any(|(_, leaving)| leaving.outpoints.contains(&ledger_outpoint(&outpoint)));
        if is_plain && !is_taken {
            sum += unspent.output.value.to_sat();
        }
    }
    assert_eq!(ledger.balance(), Sats::new(sum), "{ledger:#?}");
    for (outpoint, output) in ledger.outputs().filter(|(_, output)| output.is_free()) {
        let unspent = chain.unspent(bitcoin_outpoint(&outpoint)).await.unwrap().unwrap();
        assert_eq!(unspent.output.value.to_sat(), output.amount.get());
    }
}
