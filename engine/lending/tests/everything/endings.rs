//! The end of every loan: a borrower who pays gets the collateral, and the lender of an unpaid loan can claim it.

use bitcoin::FeeRate;
use domain::{LoanId, LoanStage};
use engine::asset_index::AssetIndex as _;
use engine::chain::Chain as _;
use engine::coin_index::CoinIndex as _;

use crate::request::{Answer, Request};
use crate::simulation::Simulation;

/// The fee rate of all of these transactions.
const RATE: FeeRate = FeeRate::from_sat_per_vb_u32(3);
/// Half a day.
const STEP_S: u32 = 12 * 3_600;
/// After so many steps every loan can be claimed: terms are 30 days at most.
const STEPS_MAX: u32 = 80;

impl Simulation {
    /// Ends every running loan: of two one is repaid, and the other claimed. Nothing fails any more, and no coin is moved
    /// otherwise.
    pub(crate) async fn end_all_loans(&self) {
        let mut running = self.running_loans().await;
        let repaid: Vec<LoanId> = running.iter().copied().step_by(2).collect();
        for loan in repaid {
            self.repay_and_own(loan).await;
        }
        running = self.running_loans().await;
        let mut refusals = Vec::new();
        for _ in 0..STEPS_MAX {
            if running.is_empty() {
                return self.check().await;
            }
            self.shared.server().world.pass(STEP_S);
            self.mine_and_watch().await;
            refusals.clear();
            for loan in std::mem::take(&mut running) {
                if let Err(why) = self.claim_and_own(loan).await {
                    refusals.push(why);
                    running.push(loan);
                }
            }
        }
        panic!("loans that are not repaid and cannot be claimed: {running:?}, {refusals:?}");
    }

    async fn running_loans(&self) -> Vec<LoanId> {
        let market = &self.shared.server().world.service.market;
        let mut running = Vec::new();
        let history = crate::journal_history::JournalHistory::read(&self.shared.server().world.journal);
        for id in history.loans.keys() {
            if let Some(loan) = market.loan(*id).await
                && matches!(loan.stage, LoanStage::Active | LoanStage::Expired)
            {
                running.push(*id);
            }
        }
        running
    }

    async fn mine_and_watch(&self) {
        self.shared.server().world.chain.mine(1).unwrap();
        self.run_watches().await;
    }

    /// The borrower has the money, repays, and owns the collateral in the next block.
    async fn repay_and_own(&self, loan: LoanId) {
        let server = self.shared.server();
        let deal = server.world.service.market.loan(loan).await.unwrap().deal;
        let borrower = self.shared.participants.borrower(deal.borrower);
        let person = &self.shared.participants.borrowers[borrower];
        server.world.fund(&person.payment_script(), deal.payout().get() + 100_000);
        let asked = Request::AskToRepay { borrower, loans: vec![loan], rate: RATE };
        let Answer::Ending(unsigned) = self.must(asked).await else { panic!("{loan} has another answer") };
        let signed = person.sign_one(&unsigned.transaction);
        self.must(Request::Repay { borrower, loans: vec![loan], signed }).await;
        self.mine_and_watch().await;
        self.assert_ended_for(loan, LoanStage::Repaid, &person.ordinals().script_pubkey()).await;
        self.shared.count("end: repaid");
    }

    /// The lender claims the collateral, if it is time, and owns it in the next block.
    async fn claim_and_own(&self, loan: LoanId) -> Result<(), String> {
        let server = self.shared.server();
        let deal = server.world.service.market.loan(loan).await.unwrap().deal;
        let lender = self.shared.participants.lender(deal.lender);
        let person = &self.shared.participants.lenders[lender];
        server.world.fund(&person.payment_script(), 100_000);
        let asked = Request::AskToClaim { lender, loan, rate: RATE };
        let Answer::Ending(unsigned) = self.send(asked).await? else { panic!("{loan} has another answer") };
        let signed = person.sign_one(&unsigned.transaction);
        self.must(Request::Claim { lender, loan, signed }).await;
        self.mine_and_watch().await;
        self.assert_ended_for(loan, LoanStage::Claimed, &person.ordinals().script_pubkey()).await;
        self.shared.count("end: claimed");
        Ok(())
    }

    /// Checks that a loan is over, and that this script has its collateral.
    async fn assert_ended_for(&self, loan: LoanId, stage: LoanStage, script: &bitcoin::Script) {
        let server = self.shared.server();
        let account = server.world.service.market.loan(loan).await.unwrap();
        assert_eq!(account.stage, stage, "{loan}");
        let chain = &server.world.chain;
        if account.deal.pledged_ids.is_empty() {
            let end = account.end.unwrap();
            let mut raw = 0;
            for outpoint in chain.outputs_of(script).await.unwrap() {
                if bitcoin::hashes::Hash::to_byte_array(outpoint.txid) == end.txid {
                    let carried = chain.assets_in(outpoint).await.unwrap().unwrap();
                    raw += carried.runes.iter().map(|(_, raw)| *raw).sum::<u128>();
                }
            }
            assert!(raw >= account.deal.pledged_raw, "{loan}: {raw} of {}", account.deal.pledged_raw);
        }
        for id in account.deal.pledged_ids.iter() {
            let place = chain.sat_point(id.parse().unwrap()).await.unwrap().unwrap();
            let unspent = chain.confirmed_unspent(place.0).await.unwrap().unwrap();
            assert_eq!(&*unspent.output.script_pubkey, script, "{loan}");
        }
    }

    /// Sends a request that must succeed.
    async fn must(&self, request: Request) -> Answer {
        let text = format!("{request:?}");
        self.send(request).await.unwrap_or_else(|why| panic!("{why}: {text}"))
    }

    async fn send(&self, request: Request) -> Result<Answer, String> {
        let server = self.shared.server();
        request.send(&server.world, &server.quotes, &self.shared.participants).await
    }
}
