//! Tests that a vault is opened, and is the same after a crash.

use domain::Sats;

use crate::kit::world::World;

#[actix::test]
async fn a_vault_is_open_for_signer_and_market_also_after_a_restart() {
    let world = World::new().await;
    let lender = world.lender().await;
    let vault = world.open_vault(&lender).await;
    let world = world.restarted();
    let keys = world.service.market.vault_ledger(lender.user).await.unwrap().keys().cloned().unwrap();
    assert_eq!(Some(vault.terms().signers.clone()), lending::vaults::vault::signers(&keys.signers));
    assert_eq!(world.service.market.vault(lender.user).await.unwrap().balance_sats, Sats::ZERO);
    assert_eq!(world.service.market.vaults(), [lender.user]);
}
