//! A borrower takes a manual offer: everything is looked up, held, and handed out to be signed.

use bitcoin::{Amount, FeeRate, OutPoint};
use domain::{LoanAccount, LoanEvent, LoanId, LoanStage, ProcessType, UnixMs, UserId};
use escrow::contract::bill::FeePayer;
use escrow::contract::coin::Coin;
use escrow::contract::coin_choice::Wanted;
use escrow::contract::template::Spend;

use crate::borrowing::{Borrowing, Draft};
use crate::contract::{Contract, Pledged, Source};
use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::handout::Handout;
use crate::lookup::LookupError;
use crate::outpoint;
use crate::party::Party;
use crate::ports::Ports;

/// How long a prepared loan can be signed for which nothing is held, in milliseconds.
pub const SOFT_MS: u64 = 5 * 60 * 1_000;
/// How long offer, collateral and money are held for a borrower: until the vault's signer has signed, or until the
/// borrower has signed what was made anew; in milliseconds.
pub const BORROWER_MS: u64 = 15 * 60 * 1_000;
/// How long a lender has to counter-sign, in milliseconds.
pub const LENDER_MS: u64 = 12 * 60 * 60 * 1_000;

impl<P: Ports> Desk<P> {
    /// Prepares a manual loan. Asked again like this by the same borrower it gives the same answer, as long as that can be
    /// signed.
    pub async fn prepare(&self, wish: &Borrowing) -> Result<Handout, DeskError> {
        if let Some(handout) = self.prepared_before(wish).await? {
            return Ok(handout);
        }
        let draft = self.draft(wish, ProcessType::Manual, BORROWER_MS + LENDER_MS).await?;
        let spends: Vec<_> = draft.pledged.coins().iter().map(|coin| Spend::Coin(&coin.coin)).collect();
        let is_exact = matches!(draft.pledged, Pledged::Note { .. });
        let coins = self.money(&draft.lender, draft.lender_pays()?, is_exact, wish.fee_rate, &spends, None).await?;
        let contract = self.contract(&draft, LoanId(rand::random()), Source::Coins(coins), wish.fee_rate)?;
        let contract = self.with_own_coins(contract).await?;
        self.keep_prepared(draft, &contract).await
    }

    /// The terms of a draft as a contract.
    pub(crate) fn contract(
        &self,
        draft: &Draft,
        loan: LoanId,
        source: Source,
        fee_rate: FeeRate,
    ) -> Result<Contract, DeskError> {
        Ok(Contract {
            loan,
            borrower: draft.borrower,
            lender: draft.lender,
            claim_after: draft.claim_after()?,
            pledged: draft.pledged.clone(),
            source,
            principal: draft.principal(),
            payout: draft.payout(),
            platform_fee: self.platform_output(&draft.deal),
            fee_rate,
        })
    }

    /// Looks everything up once more, keeps the loan, and hands it out. Nothing is held before the borrower has signed.
    pub(crate) async fn keep_prepared(&self, draft: Draft, contract: &Contract) -> Result<Handout, DeskError> {
        let beginning = contract.begin()?;
        let expires_at = self.until(SOFT_MS, draft.deal.sign_by());
        let handout = self.hand_out(contract, &beginning, &draft.borrower.keys(), expires_at).await?;
        let (deal, record, coins) = (Box::new(draft.deal), contract.to_record(), contract.to_hold());
        let prepared = LoanEvent::SoftPrepared { deal, contract: record, expires_at, coins };
        self.market.prepare_loan(contract.loan, prepared).await?;
        Ok(handout)
    }

    /// What was prepared for the same wish and still waits for the borrower.
    pub(crate) async fn prepared_before(&self, wish: &Borrowing) -> Result<Option<Handout>, DeskError> {
        let now = self.market.now();
        let is_same = |loan: &LoanAccount| {
            let deal = &loan.deal;
            loan.stage == LoanStage::Prepared
                && loan.expires_at > now
                && (deal.borrower, deal.offer) == (wish.borrower, wish.offer)
                && deal.follows == wish.follows
                && wish.inscription.is_none_or(|id| id.to_string() == deal.pledged_id)
                && wish.amount_raw.is_none_or(|raw| raw == deal.pledged_raw)
        };
        let Some(loan) = self.market.open_loan_of(wish.borrower, is_same).await else { return Ok(None) };
        let contract = Contract::from_record(&loan.contract)?;
        if contract.fee_rate != wish.fee_rate {
            // Another rate is another transaction: the first one is given up.
            self.market.give_up_loan(&loan, domain::CancelledBy::Borrower).await?;
            return Ok(None);
        }
        let beginning = contract.begin()?;
        let handed = self.hand_out(&contract, &beginning, &contract.borrower.keys(), loan.expires_at).await;
        if let Err(DeskError::Lookup(LookupError::Spent(gone))) = &handed {
            // Nobody can ever sign it.
            tracing::debug!(loan = %loan.id, %gone, "a prepared loan was given up");
            self.market.give_up_loan(&loan, domain::CancelledBy::Market).await?;
            return Ok(None);
        }
        handed.map(Some)
    }

    /// The transactions of a loan that waits for its borrower, once more: the answer was lost, or they were made anew.
    pub async fn prepared(&self, borrower: UserId, id: LoanId) -> Result<Handout, DeskError> {
        let loan = self.loan_of_borrower(borrower, id).await?;
        if loan.stage != LoanStage::Prepared {
            return Err(DeskError::WrongStage { stage: loan.stage });
        }
        let contract = Contract::from_record(&loan.contract)?;
        let beginning = contract.begin()?;
        self.hand_out(&contract, &beginning, &contract.borrower.keys(), loan.expires_at).await
    }

    /// A loan of this borrower's.
    pub(crate) async fn loan_of_borrower(&self, borrower: UserId, id: LoanId) -> Result<LoanAccount, DeskError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        loan.ok_or(DeskError::UnknownLoan(id))
    }

    /// A loan of this lender's.
    pub(crate) async fn loan_of_lender(&self, lender: UserId, id: LoanId) -> Result<LoanAccount, DeskError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.lender == lender);
        loan.ok_or(DeskError::UnknownLoan(id))
    }

    /// What of the lender's payment address can fund a loan now: confirmed, plain coins that nothing was promised.
    ///
    /// # Errors
    /// [`DeskError::Lookup`], when nobody can say.
    pub async fn spendable(&self, lender: &Party) -> Result<Amount, DeskError> {
        let holdings = self.lookup().holdings(&lender.payment).await?;
        let free = holdings.plain().map(|held| &held.coin).filter(|coin| self.is_free(coin.outpoint, None));
        Ok(free.map(|coin| coin.output.value).sum())
    }

    /// Confirmed, plain coins of the lender's payment address that no other loan was promised; others than those that
    /// borrowers were handed a moment ago, where there are enough.
    pub(crate) async fn money(
        &self,
        lender: &Party,
        amount: Amount,
        is_exact: bool,
        fee_rate: FeeRate,
        inputs: &[Spend<'_>],
        loan: Option<LoanId>,
    ) -> Result<Vec<Coin>, DeskError> {
        let holdings = self.lookup().holdings(&lender.payment).await?;
        let is_free = |coin: &Coin| self.is_free(coin.outpoint, loan);
        let now = self.market.now();
        if is_exact {
            let fits = |coin: &&Coin| coin.output.value == amount && is_free(coin);
            let exact: Vec<&Coin> = holdings.plain().map(|held| &held.coin).filter(fits).collect();
            return self.handed.choose(now, now.plus_ms(SOFT_MS), |handed| {
                let fresh = exact.iter().find(|coin| !handed.contains(&outpoint::to_domain(coin.outpoint)));
                let coin = fresh.or(exact.first()).map(|coin| vec![(*coin).clone()]);
                coin.ok_or(DeskError::LenderNotExact { wanted: amount })
            });
        }
        let mut candidates = holdings.candidates();
        candidates.retain(|candidate| match &candidate.spend {
            Spend::Coin(coin) => is_free(coin),
            Spend::Script { .. } => false,
        });
        let change = lender.purse();
        let wanted = Wanted { amount, fee_payer: FeePayer::Others, fee_rate, inputs, outputs: &[], change: &change };
        self.handed.choose(now, now.plus_ms(SOFT_MS), |handed| {
            let mut fresh = candidates.clone();
            fresh.retain(|candidate| !handed.contains(&outpoint::to_domain(candidate.spend.outpoint())));
            let choice =
                wanted.choose(&fresh).or_else(|_| wanted.choose(&candidates)).map_err(DeskError::LenderShort)?;
            let coins = choice.spends.into_iter().filter_map(|spend| match spend {
                Spend::Coin(coin) => Some(coin.clone()),
                Spend::Script { .. } => None,
            });
            Ok(coins.collect())
        })
    }

    /// Whether an output is promised to nobody, or only to this loan.
    pub(crate) fn is_free(&self, output: OutPoint, loan: Option<LoanId>) -> bool {
        let output = outpoint::to_domain(output);
        let holder = self.market.holder_of(&output).map(|holder| LoanId(holder.0));
        (holder.is_some() && holder == loan) || self.market.promised([output]).is_empty()
    }

    /// Until when somebody who has the next word can say it: not so late that the term or the grace would be cut.
    pub(crate) fn until(&self, allowance_ms: u64, sign_by: UnixMs) -> UnixMs {
        self.market.now().plus_ms(allowance_ms).min(sign_by)
    }
}
