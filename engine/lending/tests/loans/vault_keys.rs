//! Tests that an instant loan uses the keys with which its vault was opened.

use domain::WalletAddresses;
use lending::records::contract::Contract;
use lending::service::loan_service_error::LoanServiceError;

use crate::fixture::{Fixture, PRINCIPAL};
use crate::kit::groups::FROGS;
use crate::kit::people::{addresses, wallet};

#[actix::test]
async fn a_lender_signed_in_with_another_ordinals_address_lends_with_the_vaults_key() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let (offer, frog) = (fixture.instant_offer(FROGS, PRINCIPAL, None).await, fixture.frog().await);
    let other = addresses(&wallet(55));
    let shown = WalletAddresses {
        ordinal_address: other.ordinal_address,
        ordinal_pubkey: other.ordinal_pubkey,
        ..addresses(&fixture.lender.wallet)
    };
    let again = fixture.world.service.market.sign_in(&shown, fixture.world.nonce()).await.unwrap();
    assert_eq!(again.user, fixture.lender.user, "the payment address is the account");
    let handout = fixture.world.service.prepare_instant(&fixture.request(offer, Some(frog))).await.unwrap();
    let contract = Contract::from_record(&fixture.loan(handout.loan).await.contract).unwrap();
    assert_eq!(contract.lender.ordinals, fixture.lender.ordinals_key(), "that of the vault");
    fixture.start(&handout).await;
    fixture.claim_unpaid(handout.loan, frog).await;
}

#[actix::test]
async fn a_vault_with_another_payment_address_than_its_lenders_lends_nothing() {
    let fixture = Fixture::new().await;
    fixture.vault(&[3_000_000]).await;
    let offer = fixture.instant_offer(FROGS, PRINCIPAL, None).await;
    let market = &fixture.world.service.market;
    let ledger = market.vault_ledger(fixture.lender.user).await.unwrap();
    let keys = domain::VaultKeys {
        payment_address: wallet(55).payment_address().to_string(),
        ..ledger.keys().unwrap().clone()
    };
    market.open_vault(fixture.lender.user, keys, fixture.world.nonce()).await.unwrap();
    let request = fixture.request(offer, Some(fixture.frog().await));
    let error = fixture.world.service.prepare_instant(&request).await.unwrap_err();
    assert!(matches!(error, LoanServiceError::UnsupportedAddresses(domain::Role::Lender)), "{error}");
}
