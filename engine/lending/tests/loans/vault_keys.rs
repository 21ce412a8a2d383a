//! Tests that an instant loan uses the keys with which its vault was opened.

use domain::{LoanStage, WalletAddresses};
use lending::contract::Contract;
use lending::desk_error::DeskError;

use crate::kit::groups::FROGS;
use crate::kit::people::{addresses, wallet};
use crate::scene::{PRINCIPAL, Scene};

#[actix::test]
async fn a_lender_signed_in_with_another_ordinals_address_lends_with_the_vaults_key() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let (offer, frog) = (scene.instant_offer(FROGS, PRINCIPAL, None).await, scene.frog().await);
    let other = addresses(&wallet(55));
    let shown = WalletAddresses {
        ordinal_address: other.ordinal_address,
        ordinal_pubkey: other.ordinal_pubkey,
        ..addresses(&scene.lender.wallet)
    };
    let again = scene.world.desk.market.sign_in(&shown, scene.world.burn()).await.unwrap();
    assert_eq!(again.user, scene.lender.user, "the payment address is the account");
    let handout = scene.world.desk.prepare_instant(&scene.wish(offer, Some(frog))).await.unwrap();
    let contract = Contract::from_record(&scene.loan(handout.loan).await.contract).unwrap();
    assert_eq!(contract.lender.ordinals, scene.lender.ordinals_key(), "that of the vault");
    scene.submit(&scene.borrower, &handout).await.unwrap();
    scene.block_for_all().await;
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Active);
    scene.pass_days(9).await;
    scene.claim(handout.loan).await;
    scene.block_for_all().await;
    assert_eq!(scene.stage(handout.loan).await, LoanStage::Claimed);
    assert!(scene.owns(&scene.lender, frog).await);
}

#[actix::test]
async fn a_vault_with_another_payment_address_than_its_lenders_lends_nothing() {
    let scene = Scene::new().await;
    scene.vault(&[3_000_000]).await;
    let offer = scene.instant_offer(FROGS, PRINCIPAL, None).await;
    let market = &scene.world.desk.market;
    let ledger = market.vault_ledger(scene.lender.user).await.unwrap();
    let keys = domain::VaultKeys {
        payment_address: wallet(55).payment_address().to_string(),
        ..ledger.keys().unwrap().clone()
    };
    market.open_vault(scene.lender.user, keys, scene.world.burn()).await.unwrap();
    let wish = scene.wish(offer, Some(scene.frog().await));
    let error = scene.world.desk.prepare_instant(&wish).await.unwrap_err();
    assert!(matches!(error, DeskError::NoKeys(domain::Role::Lender)), "{error}");
}
