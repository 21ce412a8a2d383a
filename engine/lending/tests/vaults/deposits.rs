//! Tests of deposits from the lender's wallet into a vault, and of the kit for a unilateral exit.

use bitcoin::{Amount, FeeRate};
use domain::Sats;
use engine::chain::Chain as _;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::transaction::coin_selection::SelectionError;
use escrow::contract::vault::payment;
use escrow::kit::Kit;
use lending::lookups::confirmations::SETTLEMENT_CONFIRMATIONS;
use lending::vaults::payment::{PaymentError, PaymentRequest, PreparedPayment};

use crate::fixture::{Fixture, RATE};
use crate::kit::faults::FaultMode;

impl Fixture {
    async fn prepare_deposit(&self, sats: u64) -> Result<PreparedPayment, PaymentError> {
        let request = PaymentRequest { sats: Sats::new(sats), fee_rate: RATE };
        self.world.service.prepare_deposit(self.lender.user, request).await
    }

    fn signed(&self, prepared: &PreparedPayment) -> String {
        self.lender.wallet.sign_psbt(&prepared.transaction_base64).unwrap()
    }
}

#[actix::test]
async fn a_deposit_goes_from_the_payment_address_into_the_ledger() {
    let fixture = Fixture::new().await;
    let payment_script = fixture.lender.payment_script();
    for sats in [300_000, 500_000] {
        fixture.world.fund(&payment_script, sats);
    }
    // Coins with assets are not spent.
    fixture.world.chain.inscribe(&payment_script, Amount::from_sat(90_000), "text/plain", b"a frog").unwrap();
    let prepared = fixture.prepare_deposit(600_000).await.unwrap();
    assert_eq!((prepared.sats, prepared.sides.len()), (Sats::new(600_000), 2));
    assert_eq!(prepared.change.get() + prepared.fee.get(), 200_000);
    assert!(prepared.sides.iter().all(|side| side.address == fixture.lender.wallet.payment_address().to_string()));
    let signed = fixture.signed(&prepared);
    let txid = fixture.world.service.submit_deposit(fixture.lender.user, &signed).await.unwrap();
    assert_eq!(fixture.world.service.submit_deposit(fixture.lender.user, &signed).await.unwrap(), txid, "it is there");
    fixture.round().await;
    assert_eq!(fixture.sums().await, (0, 0), "it is unconfirmed");
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (600_000, 600_000));
    assert_eq!(fixture.world.service.submit_deposit(fixture.lender.user, &signed).await.unwrap(), txid, "it is mined");
    assert_eq!(fixture.payment_balance().await, prepared.change.get());
}

/// With a single output, 0.01 of 0.5 BTC taken out left nothing to lend until the next block.
#[actix::test]
async fn a_small_withdrawal_leaves_the_rest_of_a_vault_usable() {
    const ALL: u64 = 50_000_000;
    let fixture = Fixture::new().await;
    fixture.world.fund(&fixture.lender.payment_script(), ALL + 100_000);
    let prepared = fixture.prepare_deposit(ALL).await.unwrap();
    let signed = fixture.signed(&prepared);
    fixture.world.service.submit_deposit(fixture.lender.user, &signed).await.unwrap();
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!((fixture.sums().await, fixture.ledger().await.outputs().len()), ((ALL, ALL), 8));
    fixture.withdraw(Some(1_000_000)).await;
    assert_eq!(fixture.sums().await, (ALL - ALL / 8, ALL - ALL / 8), "one of eight is unconfirmed");
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (ALL - 1_000_000, ALL - 1_000_000));
    fixture.assert_like_the_chain().await;
}

/// A vault in one output, as older versions made it, is split by the first withdrawal.
#[actix::test]
async fn the_change_of_a_vault_of_one_output_is_split() {
    let fixture = Fixture::holding(&[50_000_000]).await;
    fixture.withdraw(Some(1_000_000)).await;
    assert_eq!(fixture.sums().await, (0, 0));
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (49_000_000, 49_000_000));
    fixture.withdraw(Some(1_000_000)).await;
    assert_eq!(fixture.sums().await, (49_000_000 / 8 * 7, 49_000_000 / 8 * 7));
    fixture.world.chain.mine(SETTLEMENT_CONFIRMATIONS).unwrap();
    fixture.round().await;
    assert_eq!((fixture.sums().await, fixture.ledger().await.outputs().len()), ((48_000_000, 48_000_000), 8));
    fixture.assert_like_the_chain().await;
}

#[actix::test]
async fn a_deposit_whose_answer_was_lost_can_be_sent_again() {
    let fixture = Fixture::new().await;
    fixture.world.fund(&fixture.lender.payment_script(), 300_000);
    let signed = fixture.signed(&fixture.prepare_deposit(200_000).await.unwrap());
    for broadcasts in [FaultMode::Unreachable, FaultMode::LosesAnswer] {
        fixture.world.faults.lock().broadcasts = broadcasts;
        let lost = fixture.world.service.submit_deposit(fixture.lender.user, &signed).await;
        assert!(matches!(lost, Err(PaymentError::Lookup(_))), "{lost:?}");
        fixture.world.faults.lock().broadcasts = FaultMode::Healthy;
    }
    let txid = fixture.world.service.submit_deposit(fixture.lender.user, &signed).await.unwrap();
    assert_eq!(fixture.world.chain.mempool_txids(), [txid]);
}

#[actix::test]
async fn invalid_deposits_are_refused_by_name() {
    let fixture = Fixture::new().await;
    assert!(matches!(
        fixture.prepare_deposit(1_000).await,
        Err(PaymentError::Coins(SelectionError::InsufficientFunds { .. }))
    ));
    fixture.world.fund(&fixture.lender.payment_script(), 300_000);
    assert!(matches!(fixture.prepare_deposit(100).await, Err(PaymentError::Build(_))));
    let dear = PaymentRequest { sats: Sats::new(200_000), fee_rate: FeeRate::from_sat_per_kwu(751) };
    let refused = fixture.world.service.prepare_deposit(fixture.lender.user, dear).await;
    assert!(matches!(refused, Err(PaymentError::FeeRate(_))));
    let without_vault = fixture.world.borrower().await;
    let request = PaymentRequest { sats: Sats::new(200_000), fee_rate: RATE };
    assert!(matches!(
        fixture.world.service.prepare_deposit(without_vault.user, request).await,
        Err(PaymentError::NoVault(_))
    ));

    let prepared = fixture.prepare_deposit(200_000).await.unwrap();
    let submit = async |text: &str| fixture.world.service.submit_deposit(fixture.lender.user, text).await.unwrap_err();
    let unsigned = submit(&prepared.transaction_base64).await;
    assert!(matches!(unsigned, PaymentError::Returned(ReturnedPsbtError::MissingSignature { index: 0 })), "{unsigned}");
    assert!(matches!(submit("money").await, PaymentError::Returned(ReturnedPsbtError::NotText)));
    let psbt: bitcoin::Psbt = prepared.transaction_base64.parse().unwrap();
    let altered = async |alter: &dyn Fn(&mut bitcoin::Psbt)| {
        let mut psbt = psbt.clone();
        alter(&mut psbt);
        submit(&fixture.lender.wallet.sign_psbt(&psbt.to_string()).unwrap()).await
    };
    let thief = crate::kit::people::wallet(9).payment_address().script_pubkey();
    let elsewhere = altered(&|psbt| psbt.unsigned_tx.output[0].script_pubkey = thief.clone()).await;
    assert!(matches!(elsewhere, PaymentError::Build(payment::PaymentError::Altered)), "{elsewhere}");
    let change = altered(&|psbt| psbt.unsigned_tx.output[1].script_pubkey = thief.clone()).await;
    assert!(matches!(change, PaymentError::Build(_)), "{change}");
    let fee = altered(&|psbt| psbt.unsigned_tx.output[1].value = Amount::from_sat(1_000)).await;
    assert!(matches!(fee, PaymentError::FeeRate(_)), "{fee}");
    let foreign = altered(&|psbt| psbt.unsigned_tx.input[0].previous_output.vout = 7).await;
    assert!(matches!(foreign, PaymentError::Build(payment::PaymentError::UnknownCoin(_))), "{foreign}");
    assert_eq!(fixture.world.chain.mempool_txids(), []);
}

#[actix::test]
async fn the_vaults_kit_makes_a_unilateral_exit() {
    let fixture = Fixture::holding(&[400_000]).await;
    let text = fixture.world.service.vault_kit(fixture.lender.user).await.unwrap().write();
    let Kit::Vault(kit) = Kit::read(&text).unwrap() else { panic!("not a vault's kit") };
    assert_eq!(kit.vault().output().script_pubkey(), fixture.vault.output().script_pubkey());
    let output = lending::vaults::vault::bitcoin_outpoint(&fixture.ledger().await.outputs().next().unwrap().0);
    fixture.world.chain.mine(143).unwrap();
    let outputs = [(output, Amount::from_sat(400_000))];
    let exit = kit.exit(&outputs, &kit.ordinals_script(), RATE).unwrap();
    let signed = fixture.lender.wallet.sign_psbt(&exit.psbt.to_string()).unwrap();
    let signatures = exit.check_returned(&signed, &[fixture.lender.ordinals()]).unwrap();
    let transaction = exit.finish(&signatures, exit.final_txid()).unwrap();
    fixture.world.chain.broadcast(&[transaction]).await.unwrap();
    fixture.world.chain.mine(1).unwrap();
    fixture.round().await;
    assert_eq!(fixture.sums().await, (0, 0));
    let without_vault = fixture.world.borrower().await;
    assert!(fixture.world.service.vault_kit(without_vault.user).await.is_err());
}
