//! Tests of deposits from the lender's wallet into a vault, and of the kit for a unilateral exit.

use bitcoin::{Amount, FeeRate};
use domain::Sats;
use engine::chain::Chain as _;
use escrow::contract::coin_choice::ChoiceError;
use escrow::contract::payment;
use escrow::contract::returned_error::ReturnedError;
use escrow::kit::Kit;
use lending::payment::{PaymentError, PaymentWish, PreparedPayment};

use crate::kit::ports::Doing;
use crate::scene::{RATE, Scene};

impl Scene {
    async fn prepare_deposit(&self, sats: u64) -> Result<PreparedPayment, PaymentError> {
        let wish = PaymentWish { sats: Sats::new(sats), fee_rate: RATE };
        self.world.desk.prepare_deposit(self.lender.user, wish).await
    }

    fn signed(&self, prepared: &PreparedPayment) -> String {
        self.lender.wallet.sign_psbt(&prepared.transaction_base64).unwrap()
    }
}

#[actix::test]
async fn a_deposit_goes_from_the_payment_address_into_the_ledger() {
    let scene = Scene::new().await;
    let purse = scene.lender.payment_script();
    for sats in [300_000, 500_000] {
        scene.world.fund(&purse, sats);
    }
    // Coins with assets are not spent.
    scene.world.chain.inscribe(&purse, Amount::from_sat(90_000), "text/plain", b"a frog").unwrap();
    let prepared = scene.prepare_deposit(600_000).await.unwrap();
    assert_eq!((prepared.sats, prepared.sides.len()), (Sats::new(600_000), 2));
    assert_eq!(prepared.change.get() + prepared.fee.get(), 200_000);
    assert!(prepared.sides.iter().all(|side| side.address == scene.lender.wallet.payment_address().to_string()));
    let signed = scene.signed(&prepared);
    let txid = scene.world.desk.submit_deposit(scene.lender.user, &signed).await.unwrap();
    assert_eq!(scene.world.desk.submit_deposit(scene.lender.user, &signed).await.unwrap(), txid, "it is there");
    scene.round().await;
    assert_eq!(scene.sums().await, (0, 0), "it is unconfirmed");
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (600_000, 600_000));
    assert_eq!(scene.world.desk.submit_deposit(scene.lender.user, &signed).await.unwrap(), txid, "it is mined");
    assert_eq!(scene.purse().await, prepared.change.get());
}

/// With a single output, 0.01 of 0.5 BTC taken out left nothing to lend until the next block.
#[actix::test]
async fn a_small_withdrawal_leaves_the_rest_of_a_vault_usable() {
    const ALL: u64 = 50_000_000;
    let scene = Scene::new().await;
    scene.world.fund(&scene.lender.payment_script(), ALL + 100_000);
    let prepared = scene.prepare_deposit(ALL).await.unwrap();
    let signed = scene.signed(&prepared);
    scene.world.desk.submit_deposit(scene.lender.user, &signed).await.unwrap();
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!((scene.sums().await, scene.ledger().await.outputs().len()), ((ALL, ALL), 8));
    scene.withdraw(Some(1_000_000)).await;
    assert_eq!(scene.sums().await, (ALL - ALL / 8, ALL - ALL / 8), "one of eight is unconfirmed");
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (ALL - 1_000_000, ALL - 1_000_000));
    scene.assert_like_the_chain().await;
}

/// A vault in one output, as older versions made it, is split by the first withdrawal.
#[actix::test]
async fn the_change_of_a_vault_of_one_output_is_split() {
    let scene = Scene::holding(&[50_000_000]).await;
    scene.withdraw(Some(1_000_000)).await;
    assert_eq!(scene.sums().await, (0, 0));
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (49_000_000, 49_000_000));
    scene.withdraw(Some(1_000_000)).await;
    assert_eq!(scene.sums().await, (49_000_000 / 8 * 7, 49_000_000 / 8 * 7));
    scene.world.chain.mine(6).unwrap();
    scene.round().await;
    assert_eq!((scene.sums().await, scene.ledger().await.outputs().len()), ((48_000_000, 48_000_000), 8));
    scene.assert_like_the_chain().await;
}

#[actix::test]
async fn a_deposit_whose_answer_was_lost_can_be_sent_again() {
    let scene = Scene::new().await;
    scene.world.fund(&scene.lender.payment_script(), 300_000);
    let signed = scene.signed(&scene.prepare_deposit(200_000).await.unwrap());
    for broadcasts in [Doing::Away, Doing::LosesAnswer] {
        scene.world.moods.now().broadcasts = broadcasts;
        let lost = scene.world.desk.submit_deposit(scene.lender.user, &signed).await;
        assert!(matches!(lost, Err(PaymentError::Lookup(_))), "{lost:?}");
        scene.world.moods.now().broadcasts = Doing::Well;
    }
    let txid = scene.world.desk.submit_deposit(scene.lender.user, &signed).await.unwrap();
    assert_eq!(scene.world.chain.waiting(), [txid]);
}

#[actix::test]
async fn invalid_deposits_are_refused_by_name() {
    let scene = Scene::new().await;
    assert!(matches!(scene.prepare_deposit(1_000).await, Err(PaymentError::Coins(ChoiceError::Short { .. }))));
    scene.world.fund(&scene.lender.payment_script(), 300_000);
    assert!(matches!(scene.prepare_deposit(100).await, Err(PaymentError::Build(_))));
    let dear = PaymentWish { sats: Sats::new(200_000), fee_rate: FeeRate::from_sat_per_kwu(751) };
    let refused = scene.world.desk.prepare_deposit(scene.lender.user, dear).await;
    assert!(matches!(refused, Err(PaymentError::FeeRate(_))));
    let nobody = scene.world.borrower().await;
    let wish = PaymentWish { sats: Sats::new(200_000), fee_rate: RATE };
    assert!(matches!(scene.world.desk.prepare_deposit(nobody.user, wish).await, Err(PaymentError::NoVault(_))));

    let prepared = scene.prepare_deposit(200_000).await.unwrap();
    let submit = async |text: &str| scene.world.desk.submit_deposit(scene.lender.user, text).await.unwrap_err();
    let unsigned = submit(&prepared.transaction_base64).await;
    assert!(matches!(unsigned, PaymentError::Returned(ReturnedError::MissingSignature { index: 0 })), "{unsigned}");
    assert!(matches!(submit("money").await, PaymentError::Returned(ReturnedError::NotText)));
    let psbt: bitcoin::Psbt = prepared.transaction_base64.parse().unwrap();
    let altered = async |alter: &dyn Fn(&mut bitcoin::Psbt)| {
        let mut psbt = psbt.clone();
        alter(&mut psbt);
        submit(&scene.lender.wallet.sign_psbt(&psbt.to_string()).unwrap()).await
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
    assert_eq!(scene.world.chain.waiting(), []);
}

#[actix::test]
async fn the_vaults_kit_makes_a_unilateral_exit() {
    let scene = Scene::holding(&[400_000]).await;
    let text = scene.world.desk.vault_kit(scene.lender.user).await.unwrap().write();
    let Kit::Vault(kit) = Kit::read(&text).unwrap() else { panic!("not a vault's kit") };
    assert_eq!(kit.vault().output().script_pubkey(), scene.vault.output().script_pubkey());
    let output = lending::vault::on_chain(&scene.ledger().await.outputs().next().unwrap().0);
    scene.world.chain.mine(143).unwrap();
    let outputs = [(output, Amount::from_sat(400_000))];
    let exit = kit.exit(&outputs, &kit.home(), RATE).unwrap();
    let signed = scene.lender.wallet.sign_psbt(&exit.psbt.to_string()).unwrap();
    let signatures = exit.check_returned(&signed, &[scene.lender.ordinals()]).unwrap();
    let transaction = exit.finish(&signatures, exit.final_txid()).unwrap();
    scene.world.chain.broadcast(&[transaction]).await.unwrap();
    scene.world.chain.mine(1).unwrap();
    scene.round().await;
    assert_eq!(scene.sums().await, (0, 0));
    let nobody = scene.world.borrower().await;
    assert!(scene.world.desk.vault_kit(nobody.user).await.is_err());
}
