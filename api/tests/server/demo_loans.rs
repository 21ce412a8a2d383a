//! Test of the loans of simulated users: loans reach every kind of end, and the chain holds the agreed amounts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, Network, ScriptBuf, Transaction, Txid};
use devchain::EmbeddedChain;
use domain::{Ending, LoanAccount, LoanStage, ProcessType};
use engine::asset_index::AssetIndex as _;
use engine::chain::{Chain as _, ChainPosition};
use simulator::{DemoMarket, Pace};

use super::rig::Rig;

const LENDERS: usize = 8;
/// The time limit on a busy machine. Alone the test takes less than a minute; the other tests of this program run beside
/// it, and hurried lenders edit their offers while borrowers are about to sign.
const TIMEOUT: Duration = Duration::from_mins(10);

fn demo() -> DemoMarket {
    DemoMarket::new(7).with_lenders(LENDERS, Pace::HURRIED)
}

/// Every loan of the simulated users.
async fn loans(rig: &Rig) -> Vec<LoanAccount> {
    let mut loans = BTreeMap::new();
    for index in 0..demo().borrowers {
        let wallet = demo().borrower_wallet(index, Network::Regtest).unwrap();
        if let Some(user) = rig.app().market.user_of(&wallet.payment_address().to_string()).await {
            loans.extend(rig.app().market.loans_of(user).await.into_iter().map(|loan| (loan.id.0, loan)));
        }
    }
    loans.into_values().collect()
}

/// The kinds of events of a market of loans that did not happen yet.
fn missing(loans: &[LoanAccount]) -> Vec<&'static str> {
    let some = |wanted: &dyn Fn(&LoanAccount) -> bool| loans.iter().any(wanted);
    let of = |process| move |loan: &LoanAccount| loan.deal.process == process && loan.stage == LoanStage::Active;
    let claims = loans.iter().filter(|loan| loan.stage == LoanStage::Claimed).count();
    let seen = [
        ("a manual loan that runs", some(&of(ProcessType::Manual))),
        ("an instant loan that runs", some(&of(ProcessType::Instant))),
        (
            "an instant loan that was repaid",
            some(&|loan| loan.deal.process == ProcessType::Instant && loan.stage == LoanStage::Repaid),
        ),
        // One claim is in the simulated past of the market.
        ("a claim", claims > 1),
    ];
    seen.into_iter().filter(|(_, is_seen)| !is_seen).map(|(what, _)| what).collect()
}

async fn confirmed(chain: &EmbeddedChain, txid: [u8; 32]) -> Transaction {
    let seen = chain.transaction(Txid::from_byte_array(txid)).await.unwrap().unwrap();
    assert!(matches!(seen.position, ChainPosition::Confirmed { .. }));
    seen.transaction
}

fn pays(transaction: &Transaction, script: &ScriptBuf, sats: u64) -> bool {
    transaction.output.iter().any(|out| out.script_pubkey == *script && out.value == Amount::from_sat(sats))
}

/// The payment and ordinals scripts of a user.
async fn scripts(rig: &Rig, user: domain::UserId) -> (ScriptBuf, ScriptBuf) {
    let addresses = rig.app().market.account(user).await.unwrap().addresses;
    let script = |text: &str| {
        let address: bitcoin::Address<_> = text.parse().unwrap();
        address.require_network(Network::Regtest).unwrap().script_pubkey()
    };
    (script(&addresses.payment_address), script(&addresses.ordinal_address))
}

/// Compares a loan with the chain.
async fn audit(rig: &Rig, chain: &EmbeddedChain, loan: &LoanAccount) {
    let deal = &loan.deal;
    let (lender, lender_home) = scripts(rig, deal.lender).await;
    let (borrower, borrower_home) = scripts(rig, deal.borrower).await;
    let beginning = confirmed(chain, loan.txid.unwrap()).await;
    let platform = lienbook::signer_handle::platform_script(&rig.app().settings).unwrap().unwrap();
    if deal.platform_fee.get() > 0 {
        assert!(pays(&beginning, &platform, deal.platform_fee.get()), "{loan:?}");
    }
    let received = beginning.output.iter().filter(|out| out.script_pubkey == borrower).map(|out| out.value.to_sat());
    let received: u64 = received.sum();
    if deal.follows.is_none() {
        // The borrower pays the fee out of it.
        let least = deal.principal.get().saturating_sub(20_000);
        assert!((least..=deal.principal.get() + 5_000).contains(&received), "{received} of {}", deal.principal);
    }
    let Some(end) = loan.end.as_ref().filter(|end| end.mined.is_some()) else { return };
    let ending = confirmed(chain, end.txid).await;
    match end.ending {
        Ending::Repayment | Ending::Refinance(_) => {
            assert!(pays(&ending, &lender, deal.payout().get()), "{loan:?}");
        }
        Ending::Claim => {
            assert!(ending.output.iter().any(|out| out.script_pubkey == lender_home), "{loan:?}");
            let id = deal.pledged_ids.first().unwrap().parse().unwrap();
            let (outpoint, _) = chain.sat_point(id).await.unwrap().unwrap();
            let holder = chain.unspent(outpoint).await.unwrap().unwrap().output.script_pubkey;
            assert!(holder == lender_home && holder != borrower_home);
        }
        Ending::Extension(_) => {}
    }
}

#[actix_web::test]
async fn simulated_users_take_sign_repay_and_claim_loans_and_continue_after_a_restart() {
    let rig = Rig::start_demo(demo(), |settings| settings.demo_block_seconds = 1).await;
    let began = Instant::now();
    let past = loans(&rig).await.len();
    assert!(past >= demo().borrowers, "{past} loans of the past");
    let mut known = Vec::new();
    while began.elapsed() < TIMEOUT {
        known = loans(&rig).await;
        if missing(&known).is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    assert_eq!(missing(&known), Vec::<&str>::new(), "{} loans", known.len());

    let rig = rig.restart_demo(demo(), |_| {}).await;
    let chain = rig.server.demo().unwrap().devnet().unwrap().chain.clone();
    let open: Vec<_> = known.iter().filter(|loan| loan.stage == LoanStage::Active).map(|loan| loan.id).collect();
    let over = |loan: &LoanAccount| open.contains(&loan.id) && loan.stage == LoanStage::Repaid;
    let again = Instant::now();
    let mut known = loans(&rig).await;
    while again.elapsed() < TIMEOUT && !known.iter().any(over) {
        tokio::time::sleep(Duration::from_millis(250)).await;
        known = loans(&rig).await;
    }
    assert!(known.iter().any(over), "no loan survived the restart");
    let mut audited = 0;
    for loan in known.iter().filter(|loan| loan.began.is_some()) {
        audit(&rig, &chain, loan).await;
        audited += 1;
    }
    assert!(audited > past, "{audited} loans");
    rig.server.stop().await;
}
