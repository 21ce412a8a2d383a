//! Tests of loans that both sides sign.

use domain::LoanStage;

use super::fixture::{INTEREST_SATS, MarketFixture, PLATFORM_SATS, POSTAGE_SATS, PRINCIPAL_SATS};
use super::users::{BORROWER, LENDER, PLATFORM};
use testkit::test_wallet::TestWallet;
use testkit::world::World;

#[actix_web::test]
async fn a_loan_is_originated_and_repaid_and_core_and_ord_agree_on_every_sat() {
    lend_against_a_frog(MarketFixture::new().await).await;
}

/// A loan from the quote to the repayment, with every sat accounted for.
pub async fn lend_against_a_frog<W: World>(fixture: MarketFixture<W>) {
    let frog = fixture.frog().await;
    let before = [fixture.balance(LENDER).await, fixture.balance(BORROWER).await];
    let (loan, txid) = fixture.sent(frog).await;
    assert_eq!(fixture.state(&fixture.lender, &loan).await, "ACTIVATING");
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Active]).await;
    for user in [&fixture.lender, &fixture.borrower] {
        assert_eq!(fixture.state(user, &loan).await, "ACTIVE");
    }

    let origination = fixture.confirmed_transaction(&txid).await;
    let fee = fixture.fee(&origination).await;
    let vbytes = u64::try_from(origination.vsize()).unwrap();
    assert!((vbytes * 3..vbytes * 4).contains(&fee), "{fee} sats for {vbytes} vbytes");
    let escrow = fixture.location(frog).await;
    assert_eq!((escrow.txid, escrow.vout), (origination.compute_txid(), 0));
    assert_eq!(origination.output[0].value.to_sat(), POSTAGE_SATS);
    let homes = [LENDER, BORROWER].map(|seed| TestWallet::new(seed).ordinals_script());
    assert!(!homes.contains(&origination.output[0].script_pubkey), "the collateral is in the escrow");
    let lent = before[0] - fixture.balance(LENDER).await;
    assert_eq!(lent, PRINCIPAL_SATS + PLATFORM_SATS);
    assert_eq!(fixture.balance(BORROWER).await - before[1], PRINCIPAL_SATS - fee);
    assert_eq!(fixture.balance(PLATFORM).await, PLATFORM_SATS);

    let txid = fixture.repay(&loan).await;
    assert_eq!(fixture.state(&fixture.lender, &loan).await, "REPAYING");
    fixture.world.mine(1).await;
    fixture.until(&loan, &[LoanStage::Repaid]).await;
    let repayment = fixture.confirmed_transaction(&txid).await;
    assert!(fixture.owns_inscription(BORROWER, frog).await);
    assert_eq!(fixture.location(frog).await.txid, repayment.compute_txid());
    assert_eq!(fixture.balance(LENDER).await, before[0] - PLATFORM_SATS + INTEREST_SATS);
    // The collateral's coin keeps only its required value; the excess returned to the borrower.
    let home = fixture.location(frog).await;
    let kept = repayment.output[usize::try_from(home.vout).unwrap()].value.to_sat();
    let fees = fee + fixture.fee(&repayment).await;
    assert_eq!(fixture.balance(BORROWER).await + kept, before[1] + POSTAGE_SATS - INTEREST_SATS - fees);
    assert_eq!(fixture.state(&fixture.borrower, &loan).await, "REPAID");
    fixture.rig.server.stop().await;
}
