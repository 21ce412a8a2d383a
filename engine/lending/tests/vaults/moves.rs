//! Tests of a vault's move from a single signer to two of three, with crashes at every step.

use bitcoin::{Address, Amount, FeeRate, Network};
use devchain::ReorgPolicy;
use domain::{Sats, SpendId, VaultRejection};
use engine::Refusal;
use engine::chain::Chain as _;
use escrow::action::Action;
use escrow::address::AddressKind;
use escrow::contract::vault::Vault;
use lending::lookups::confirmations::{EXPECTED_REORG_MAX, SETTLEMENT_CONFIRMATIONS};
use lending::lookups::ports::Ports as _;
use lending::lookups::signer_router::Holder;
use lending::vaults::lender_order::{OrderTransaction, SignedOrder};
use lending::vaults::vault::contract_of;
use lending::vaults::vault_move::{MoveError, PreparedMove};
use lending::vaults::vault_watch::VaultWatch;
use signer::refusal::Refusal as SignerRefusal;
use signer::vault_signer::SignerError;

use crate::fixture::{Fixture, RATE};
use crate::kit::faults::{FaultMode, Faults};

/// The place of the previous signer among all.
const PREVIOUS: usize = 3;

impl Fixture {
    /// The same with new signers beside the one that holds the vault.
    pub(crate) fn with_successors(self) -> Self {
        self.with_new_signers(2, 3)
    }

    fn with_new_signers(self, required: usize, count: usize) -> Self {
        let Self { world, lender, vault, .. } = self;
        let world = world.with_new_signers(required, count);
        let watch = VaultWatch::new(world.service.clone());
        Self { world, lender, vault, watch }
    }

    async fn prepare_move(&self) -> Result<PreparedMove, MoveError> {
        self.world.service.prepare_move(self.lender.user, RATE).await
    }

    async fn move_order(&self) -> SignedOrder {
        let action = self.prepare_move().await.unwrap().action;
        self.sign_move(action)
    }

    fn sign_move(&self, action: Action) -> SignedOrder {
        let signed = self.world.sign(&self.lender, AddressKind::P2tr, action);
        SignedOrder { signed: signed.text, nonce_use: signed.nonce_use, fee_rate: RATE }
    }

    async fn submit_move(&self, order: &SignedOrder) -> Result<OrderTransaction, MoveError> {
        self.world.service.submit_move(self.lender.user, order).await
    }

    /// The vault as its ledger has it now.
    async fn vault_now(&self) -> Vault {
        contract_of(self.lender.user, self.ledger().await.keys().unwrap()).unwrap()
    }

    async fn holder(&self) -> Holder {
        self.world.service.ports.signer().holder(self.lender.user).await.unwrap()
    }

    /// Confirms the move, and asserts that everything but its fee is at the new vault.
    async fn assert_arrived(&self, moved: OrderTransaction, before: u64) {
        let spent = self.world.chain.transaction(moved.txid).await.unwrap().unwrap().transaction;
        assert_eq!(spent.output.len(), 1);
        self.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
        self.round().await;
        assert_eq!(self.spends().await, []);
        let vault = self.vault_now().await;
        assert_eq!((vault.terms().signers.required(), vault.terms().signers.keys().len()), (2, 3));
        assert_eq!(spent.output[0].script_pubkey, vault.output().script_pubkey());
        let arrived = spent.output[0].value.to_sat();
        assert_eq!(self.sums().await, (arrived, arrived));
        assert!(arrived < before && before - arrived < 1_000, "{arrived} of {before}");
        assert_eq!(self.holder().await, Holder::Current);
        let (world, lender) = (self.world.clone(), self.world.lender().await);
        let watch = VaultWatch::new(world.service.clone());
        Self { world, lender, vault, watch }.assert_like_the_chain().await;
    }
}

async fn movable() -> Fixture {
    Fixture::holding(&[400_000, 300_000]).await.with_successors()
}

#[actix::test]
async fn a_vault_goes_on_with_its_signer_until_it_is_moved_and_with_the_new_ones_then() {
    let fixture = movable().await;
    assert_eq!(fixture.holder().await, Holder::Previous);
    let withdrawal = fixture.withdraw(Some(100_000)).await;
    assert!(withdrawal.is_sent);
    fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    fixture.round().await;
    let prepared = fixture.prepare_move().await.unwrap();
    let before = fixture.vault.output().script_pubkey();
    assert_eq!(prepared.from, Address::from_script(&before, Network::Regtest).unwrap().to_string());
    assert_eq!((prepared.sats, prepared.stays), (Sats::new(600_000), Sats::ZERO));
    assert_eq!(prepared.received.get() + prepared.fee.get(), 600_000);
    assert!(prepared.fee_max > prepared.fee && prepared.to.keys.len() == 3);
    assert_eq!(fixture.sums().await, (600_000, 600_000), "nothing is reserved");
    let order = fixture.sign_move(prepared.action);
    let moved = fixture.submit_move(&order).await.unwrap();
    assert!(moved.is_sent);
    assert_eq!(fixture.sums().await, (0, 0), "it is unconfirmed");
    assert_eq!(fixture.submit_move(&order).await.unwrap(), moved);
    fixture.assert_arrived(moved, 600_000).await;
    assert_eq!(fixture.submit_move(&order).await.unwrap(), moved, "after it is settled");
    let again = fixture.prepare_move().await;
    assert!(matches!(again, Err(MoveError::NotMovable)), "{again:?}");
    let home = fixture.payment_balance().await;
    fixture.withdraw(Some(200_000)).await;
    fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    fixture.round().await;
    assert!(fixture.payment_balance().await > home + 190_000);
}

/// The point at which the server crashes during a move.
#[derive(Clone, Copy, Debug)]
struct Gap {
    name: &'static str,
    /// The number of the move's two batches on disk.
    batches: usize,
    signs: FaultMode,
    /// Whether only the signer that the vault leaves fails so.
    previous_only: bool,
    broadcasts: FaultMode,
}

const GAPS: [Gap; 9] = [
    Gap::new("before anything", 0, FaultMode::HangsBefore, false, FaultMode::Healthy),
    Gap::new("opened, no answer", 0, FaultMode::HangsAfter, false, FaultMode::Healthy),
    Gap::new("opened, not journaled", 0, FaultMode::Healthy, false, FaultMode::HangsBefore),
    Gap::new("the signer not asked", 1, FaultMode::HangsBefore, true, FaultMode::Healthy),
    Gap::new("signed, no answer", 1, FaultMode::HangsAfter, true, FaultMode::Healthy),
    Gap::new("answered, not journaled", 1, FaultMode::Healthy, false, FaultMode::HangsBefore),
    Gap::new("journaled, not sent", 2, FaultMode::Healthy, false, FaultMode::HangsBefore),
    Gap::new("sent, no answer", 2, FaultMode::Healthy, false, FaultMode::HangsAfter),
    Gap::new("the answer to the lender lost", 2, FaultMode::Healthy, false, FaultMode::Healthy),
];

impl Gap {
    const fn new(
        name: &'static str,
        batches: usize,
        signs: FaultMode,
        previous_only: bool,
        broadcasts: FaultMode,
    ) -> Self {
        Self { name, batches, signs, previous_only, broadcasts }
    }
}

/// Crashes the server in a gap; returns the restarted fixture, and the lender's message.
async fn crash_in(gap: Gap) -> (Fixture, SignedOrder) {
    let fixture = movable().await;
    let order = fixture.move_order().await;
    let before = fixture.world.journal.batches().len();
    let mut faults = Faults { broadcasts: gap.broadcasts, ..Faults::default() };
    if gap.previous_only {
        faults.odd_signer = Some((PREVIOUS, gap.signs));
    } else {
        faults.signs = gap.signs;
    }
    *fixture.world.faults.lock() = faults;
    // The result is never seen.
    let _ = fixture.world.faults.until_hung(fixture.submit_move(&order)).await;
    assert!(fixture.world.journal.batches().len() >= before + gap.batches, "{}", gap.name);
    (fixture.after_crash(before + gap.batches), order)
}

#[actix::test]
async fn a_move_interrupted_at_any_step_is_finished_by_the_same_message() {
    for gap in GAPS {
        let (fixture, order) = crash_in(gap).await;
        let done = fixture.submit_move(&order).await.unwrap();
        assert!(done.is_sent, "{}", gap.name);
        assert_eq!(fixture.submit_move(&order).await.unwrap(), done, "{}", gap.name);
        fixture.assert_arrived(done, 700_000).await;
    }
}

#[actix::test]
async fn a_move_interrupted_at_any_step_is_settled_without_its_lender() {
    for gap in GAPS {
        let (fixture, order) = crash_in(gap).await;
        fixture.round().await;
        fixture.world.chain.mine(1).unwrap();
        fixture.round().await;
        if gap.batches == 2 {
            // A journaled transaction is broadcast until it is confirmed.
            assert_eq!(fixture.holder().await, Holder::Current, "{}", gap.name);
            assert!(fixture.sums().await.0 > 699_000, "{}", gap.name);
            continue;
        }
        if gap.batches == 1 {
            assert_eq!(fixture.sums().await, (0, 0), "{}: the message is still valid", gap.name);
            fixture.world.pass(660);
            fixture.round().await;
            let late = fixture.submit_move(&order).await;
            assert!(late.is_err(), "{}: {late:?}", gap.name);
        }
        assert_eq!(fixture.sums().await, (700_000, 700_000), "{}", gap.name);
        assert_eq!(fixture.holder().await, Holder::Previous, "{}", gap.name);
        // Whatever the signers know of the first message, another one moves the vault.
        let again = fixture.move_order().await;
        let done = fixture.submit_move(&again).await.unwrap();
        fixture.assert_arrived(done, 700_000).await;
    }
}

#[actix::test]
async fn nothing_moves_while_signers_are_away_and_the_message_can_be_repeated() {
    let fixture = movable().await;
    let order = fixture.move_order().await;
    fixture.world.faults.lock().odd_signer = Some((1, FaultMode::Unreachable));
    let refused = fixture.submit_move(&order).await;
    assert!(matches!(refused, Err(MoveError::Signer(SignerError::Unreachable { .. }))), "a new one: {refused:?}");
    assert_eq!((fixture.sums().await, fixture.spends().await.len()), ((700_000, 700_000), 0));
    fixture.world.faults.lock().odd_signer = Some((PREVIOUS, FaultMode::LosesAnswer));
    let unanswered = fixture.submit_move(&order).await;
    assert!(matches!(unanswered, Err(MoveError::Signer(SignerError::Unanswered { .. }))), "{unanswered:?}");
    assert_eq!((fixture.sums().await, fixture.spends().await.len()), ((0, 0), 1));
    fixture.world.faults.lock().odd_signer = None;
    let done = fixture.submit_move(&order).await.unwrap();
    fixture.assert_arrived(done, 700_000).await;
}

/// The fields of the message, in their order.
type Fields = (String, String, u64, String, String);
/// A field's name, and its alteration.
type Altered<'a> = (&'a str, &'a dyn Fn(&mut Fields));

#[actix::test]
async fn a_message_with_another_field_moves_nothing() {
    let fixture = movable().await;
    let Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault } =
        fixture.prepare_move().await.unwrap().action
    else {
        panic!()
    };
    let good = || (from_vault.clone(), to.clone(), fee_max_sats, payment_address.clone(), vault.clone());
    let elsewhere = crate::kit::people::wallet(77).ordinals_address().to_string();
    let refused = async |alter: &dyn Fn(&mut Fields)| {
        let mut fields = good();
        alter(&mut fields);
        let (from_vault, to, fee_max_sats, payment_address, vault) = fields;
        let order = fixture.sign_move(Action::MoveVault { from_vault, to, fee_max_sats, payment_address, vault });
        fixture.submit_move(&order).await.unwrap_err()
    };
    let altered: [Altered<'_>; 4] = [
        ("From vault", &|fields| fields.0 = "other".to_owned()),
        ("To", &|fields| fields.1.clone_from(&elsewhere)),
        ("Payment address", &|fields| fields.3.clone_from(&elsewhere)),
        ("Vault", &|fields| fields.4 = "other".to_owned()),
    ];
    for (name, alter) in altered {
        let error = refused(alter).await;
        assert!(matches!(error, MoveError::WrongField { field, .. } if field == name), "{name}: {error:?}");
    }
    let error = refused(&|fields| fields.2 = 1).await;
    assert!(matches!(error, MoveError::FeeAboveMax { .. }), "{error:?}");
    let other = fixture.sign_move(Action::CancelAllOffers { vault: "any".to_owned() });
    assert!(matches!(fixture.submit_move(&other).await, Err(MoveError::WrongAction)));
    let order = fixture.move_order().await;
    let dear = SignedOrder { fee_rate: FeeRate::from_sat_per_kwu(40_000), ..order.clone() };
    assert!(matches!(fixture.submit_move(&dear).await, Err(MoveError::FeeRate(_))));
    assert_eq!((fixture.sums().await, fixture.spends().await.len()), ((700_000, 700_000), 0));
    let done = fixture.submit_move(&order).await.unwrap();
    let other_rate = SignedOrder { fee_rate: FeeRate::from_sat_per_kwu(501), ..order };
    assert_eq!(fixture.submit_move(&other_rate).await.unwrap(), done, "the journaled transaction");
    fixture.assert_arrived(done, 700_000).await;
}

#[actix::test]
async fn a_move_of_a_text_that_the_previous_signer_refuses_releases_the_outputs() {
    let fixture = movable().await;
    let order = fixture.move_order().await;
    // The signature is of the payment address, which the signers do not accept for a move.
    let action = fixture.prepare_move().await.unwrap().action;
    let signed = fixture.world.sign(&fixture.lender, AddressKind::P2wpkh, action);
    let wrong = SignedOrder { signed: signed.text, nonce_use: signed.nonce_use, fee_rate: RATE };
    let refused = fixture.submit_move(&wrong).await;
    assert!(
        matches!(refused, Err(MoveError::Signer(SignerError::Refused(SignerRefusal::ForeignAddress { .. })))),
        "{refused:?}"
    );
    fixture.round().await;
    assert_eq!(fixture.sums().await, (700_000, 700_000));
    fixture.submit_move(&order).await.unwrap();
}

#[actix::test]
async fn a_vault_in_use_does_not_move_until_its_transactions_are_final() {
    let fixture = movable().await;
    fixture.withdraw(Some(100_000)).await;
    fixture.world.chain.mine(EXPECTED_REORG_MAX).unwrap();
    fixture.round().await;
    let refused = fixture.prepare_move().await;
    assert!(matches!(refused, Err(MoveError::Vault(VaultRejection::InUse { pending: 1, .. }))), "{refused:?}");
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    let order = fixture.move_order().await;
    fixture.submit_move(&order).await.unwrap();
    let withdrawal = fixture.world.service.prepare_move(fixture.lender.user, RATE).await;
    assert!(matches!(withdrawal, Err(MoveError::NotMovable)));
}

#[actix::test]
async fn an_empty_vault_has_nothing_to_move_and_one_of_the_only_signers_nowhere_to_go() {
    let empty = Fixture::new().await.with_successors();
    let refused = empty.prepare_move().await;
    assert!(matches!(refused, Err(MoveError::Vault(VaultRejection::Insufficient { .. }))), "{refused:?}");
    let alone = Fixture::holding(&[400_000]).await;
    assert!(matches!(alone.prepare_move().await, Err(MoveError::NotMovable)));
}

#[actix::test]
async fn a_late_deposit_is_seen_at_the_old_address_and_taken_out_with_the_old_kit() {
    let fixture = movable().await;
    let order = fixture.move_order().await;
    let moved = fixture.submit_move(&order).await.unwrap();
    let late = fixture.deposit(50_000);
    fixture.assert_arrived(moved, 700_000).await;
    let service = &fixture.world.service;
    let previous = service.previous_vaults(fixture.lender.user).await.unwrap();
    assert_eq!(previous.iter().map(|it| (it.sats.get(), it.outputs)).collect::<Vec<_>>(), [(50_000, 1)]);
    let kit = service.previous_vault_kit(fixture.lender.user, &previous[0].address).await.unwrap().write();
    let kit = escrow::kit::Kit::read(&kit).unwrap();
    let escrow::kit::Kit::Vault(kit) = kit else { panic!("{kit:?}") };
    fixture.world.chain.mine(144).unwrap();
    let home = fixture.lender.payment_script();
    let template = kit.exit(&[(late, Amount::from_sat(50_000))], &home, RATE).unwrap();
    let text = fixture.lender.wallet.sign_psbt(&template.psbt.to_string()).unwrap();
    let signatures = template.check_returned(&text, &[fixture.lender.ordinals()]).unwrap();
    let exit = template.finish(&signatures, template.final_txid()).unwrap();
    fixture.world.chain.broadcast(std::slice::from_ref(&exit)).await.unwrap();
    fixture.world.chain.mine(1).unwrap();
    let previous = service.previous_vaults(fixture.lender.user).await.unwrap();
    assert_eq!((previous[0].sats, previous[0].outputs), (Sats::ZERO, 0));
    let unknown = service.previous_vault_kit(fixture.lender.user, "elsewhere").await;
    assert!(unknown.is_err());
}

#[actix::test]
async fn a_move_that_a_reorg_of_six_blocks_drops_is_sent_again() {
    let fixture = movable().await;
    let order = fixture.move_order().await;
    let moved = fixture.submit_move(&order).await.unwrap();
    fixture.world.chain.mine(EXPECTED_REORG_MAX).unwrap();
    fixture.round().await;
    fixture.world.chain.reorg(EXPECTED_REORG_MAX, ReorgPolicy::Drop).unwrap();
    fixture.round().await;
    assert_eq!(fixture.world.chain.mempool_txids(), [moved.txid]);
    fixture.assert_arrived(moved, 700_000).await;
}

#[actix::test]
async fn a_move_that_the_lender_replaces_by_an_exit_fails_and_leaves_the_new_vault_open() {
    let fixture = movable().await;
    fixture.world.chain.mine(144).unwrap();
    let outputs: Vec<_> = fixture.ledger().await.outputs().map(|(outpoint, _)| outpoint).collect();
    let order = fixture.move_order().await;
    let moved = fixture.submit_move(&order).await.unwrap();
    let spent = lending::vaults::vault::bitcoin_outpoint(&outputs[0]);
    let exit = fixture.exit(&[spent], RATE.checked_mul(40).unwrap()).await;
    fixture.world.chain.broadcast(std::slice::from_ref(&exit)).await.unwrap();
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.spends().await, [], "{moved:?} can never be mined");
    assert_eq!((fixture.sums().await, fixture.holder().await), ((0, 0), Holder::Current));
    fixture.round().await;
    assert_eq!(fixture.ledger().await.outputs().len(), 0);
    let previous = fixture.world.service.previous_vaults(fixture.lender.user).await.unwrap();
    assert_eq!(previous[0].outputs, 1, "the other output is at the old address");
}

#[actix::test]
async fn a_move_that_the_node_has_and_the_journal_does_not_is_stored() {
    let fixture = movable().await;
    let order = fixture.move_order().await;
    let before = fixture.world.journal.batches().len();
    let moved = fixture.submit_move(&order).await.unwrap();
    let fixture = fixture.after_crash(before + 1);
    assert_eq!(fixture.spends().await, [SpendId::Move(order.nonce_use.nonce)]);
    assert_eq!(fixture.ledger().await.previous_signers(), []);
    fixture.round().await;
    assert_eq!(fixture.ledger().await.previous_signers().len(), 1);
    fixture.assert_arrived(moved, 700_000).await;
}

#[actix::test]
async fn the_same_message_sent_twice_at_once_moves_once() {
    let fixture = movable().await;
    let order = fixture.move_order().await;
    let (one, other) = tokio::join!(fixture.submit_move(&order), fixture.submit_move(&order));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(one.txid, other.txid);
    fixture.assert_arrived(one, 700_000).await;
    let stale = fixture.move_order_of_other_nonce();
    let refused = fixture.submit_move(&stale).await;
    assert!(matches!(refused, Err(MoveError::NotMovable | MoveError::Market(Refusal::Account(_)))), "{refused:?}");
}

impl Fixture {
    /// A message about a vault that is not held by the previous signers any more.
    fn move_order_of_other_nonce(&self) -> SignedOrder {
        self.sign_move(Action::MoveVault {
            from_vault: "before".to_owned(),
            to: "somewhere".to_owned(),
            fee_max_sats: 1_000,
            payment_address: "home".to_owned(),
            vault: "after".to_owned(),
        })
    }
}

#[actix::test]
async fn two_single_signers_are_distinguished_by_their_keys_and_one_answer_suffices() {
    let fixture = Fixture::holding(&[400_000]).await.with_new_signers(1, 1);
    // The place of the previous signer is after that of the new one.
    fixture.world.faults.lock().odd_signer = Some((0, FaultMode::Unreachable));
    assert_eq!(fixture.holder().await, Holder::Previous, "the previous one says so");
    let fixture = fixture.restarted();
    fixture.world.faults.lock().odd_signer = Some((1, FaultMode::Unreachable));
    assert_eq!(fixture.holder().await, Holder::Previous, "the new one has another key");
    fixture.world.faults.lock().odd_signer = None;
    let order = fixture.move_order().await;
    let moved = fixture.submit_move(&order).await.unwrap();
    fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    fixture.round().await;
    assert_eq!((fixture.holder().await, fixture.spends().await.len()), (Holder::Current, 0), "{moved:?}");
    assert_eq!(fixture.vault_now().await.terms().signers.keys().len(), 1);
    fixture.withdraw(Some(100_000)).await;
    let fixture = fixture.restarted();
    fixture.world.faults.lock().signs = FaultMode::Unreachable;
    let unknown = fixture.world.service.ports.signer().holder(fixture.lender.user).await;
    assert!(matches!(unknown, Err(SignerError::Unreachable { .. })), "{unknown:?}");
}
