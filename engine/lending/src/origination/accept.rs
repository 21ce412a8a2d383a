//! The borrower's acceptance of a manual loan: its signatures are verified, stored, and never disclosed.

use bitcoin::Txid;
use domain::{CancelledBy, LoanAccount, LoanDeal, LoanId, LoanStage, ProcessType, ReservationId, UserId};
use engine::Refusal;
use escrow::contract::signatures::Signatures;
use escrow::contract::template::Template;

use crate::lookups::ports::Ports;
use crate::origination::prepare::{BORROWER_SIGNING_MS, LENDER_SIGNING_MS};
use crate::records::contract::{Contract, LoanTransactions, Source};
use crate::records::outpoint;
use crate::records::party::Party;
use crate::service::fee_bounds::OriginationStep;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

impl<P: Ports> LoanService<P> {
    /// Accepts the borrower's signatures of all prepared transactions, in their order; returns the txid of the loan's
    /// transaction. Idempotent.
    pub async fn accept(&self, borrower: UserId, id: LoanId, signed: &[String]) -> Result<Txid, LoanServiceError> {
        let loan = self.accepted_loan(borrower, id).await?;
        let contract = Contract::from_record(&loan.contract)?;
        if matches!(contract.source, Source::Vault(_)) {
            return Err(LoanServiceError::WrongProcess);
        }
        let beginning = contract.build()?;
        let signatures = check_returned(&beginning, signed, &contract.borrower)?;
        if loan.stage != LoanStage::Prepared {
            // The signatures are valid: a repeated request whose first answer was lost.
            return Ok(beginning.txid());
        }
        self.check_inputs(&contract, &beginning).await?;
        if !matches!(contract.source, Source::Rollover { .. }) {
            self.check_origination_rate(contract.fee_rate, ProcessType::Manual, OriginationStep::Submit).await?;
        }
        let answer = encode_signatures(&beginning, &signatures)?;
        self.cancel_competing(&loan, &contract).await?;
        if let Err(refusal) =
            self.market.await_lender(id, answer, self.signing_deadline(LENDER_SIGNING_MS, loan.sign_by())).await
        {
            // A concurrent duplicate of this request may have stored them already.
            let now = self.market.loan(id).await;
            let is_kept = |now: &LoanAccount| now.stage == LoanStage::AwaitingLender && now.contract == loan.contract;
            return if now.as_ref().is_some_and(is_kept) {
                Ok(beginning.txid())
            } else {
                Err(self.or_taken(id, refusal))
            };
        }
        Ok(beginning.txid())
    }

    /// Reserves offer, vault and collateral for the borrower of an instant loan, whose signatures were verified, unless
    /// they are reserved for this loan already.
    pub(crate) async fn reserve(&self, loan: &LoanAccount, contract: &Contract) -> Result<(), LoanServiceError> {
        if loan.coins_to_reserve.is_none() {
            return Ok(());
        }
        self.cancel_competing(loan, contract).await?;
        if let Err(refusal) =
            self.market.hold_loan(loan.id, self.signing_deadline(BORROWER_SIGNING_MS, loan.sign_by())).await
        {
            // A concurrent duplicate of this request may have reserved them already.
            let now = self.market.loan(loan.id).await;
            let is_held = |now: &LoanAccount| now.stage == LoanStage::Prepared && now.coins_to_reserve.is_none();
            return if now.as_ref().is_some_and(is_held) { Ok(()) } else { Err(self.or_taken(loan.id, refusal)) };
        }
        Ok(())
    }

    /// Checks before a reservation that the terms still apply, and cancels other loans that reserve the same
    /// collateral: its owner has signed this one.
    async fn cancel_competing(&self, loan: &LoanAccount, contract: &Contract) -> Result<(), LoanServiceError> {
        if loan.coins_to_reserve.is_none() {
            return Ok(());
        }
        self.check_terms(&loan.deal)?;
        let own: Vec<_> = contract.pledged.coins().iter().map(|coin| outpoint::to_domain(coin.coin.outpoint)).collect();
        for other in self.market.evictable(loan.deal.borrower, &own) {
            self.market.cancel_loan(other, CancelledBy::Owner).await?;
            tracing::info!(loan = %loan.id, evicted = %other, "the collateral's owner signed another loan");
        }
        Ok(())
    }

    /// Checks that the terms of the collection have not changed: a prepared loan reserves no offer.
    fn check_terms(&self, deal: &LoanDeal) -> Result<(), LoanServiceError> {
        let group = self.market.group(deal.group()).ok_or(Refusal::UnknownGroup)?;
        let terms = group.sub_collection(deal.sub_collection).ok_or(Refusal::UnknownGroup)?;
        let is_same = (terms.term, terms.interest) == (deal.term, deal.rate);
        if is_same { Ok(()) } else { Err(Refusal::DealChanged.into()) }
    }

    /// Returns the refusal, or that another borrower took the offer first where that is the reason.
    fn or_taken(&self, id: LoanId, refusal: Refusal) -> LoanServiceError {
        self.market.check_taken(id).map_or_else(|taken| Refusal::from(taken).into(), |()| refusal.into())
    }

    /// Returns a loan that this borrower accepts or has accepted: it waits for a signature, or was signed, whatever its
    /// stage since.
    pub(crate) async fn accepted_loan(&self, borrower: UserId, id: LoanId) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.deal.borrower == borrower);
        let Some(loan) = loan else {
            self.market.check_taken(id).map_err(Refusal::from)?;
            return Err(LoanServiceError::NoReservation(ReservationId(id.0)));
        };
        let is_wanted = matches!(loan.stage, LoanStage::Prepared | LoanStage::AwaitingLender) || loan.txid.is_some();
        if is_wanted { Ok(loan) } else { Err(LoanServiceError::WrongStage { stage: loan.stage }) }
    }

    /// Cancels a loan for its borrower, before the lender signs.
    pub async fn withdraw(&self, borrower: UserId, id: LoanId) -> Result<(), LoanServiceError> {
        self.loan_of_borrower(borrower, id).await?;
        Ok(self.market.cancel_loan(id, CancelledBy::Borrower).await?)
    }
}

/// Returns one party's signatures of each transaction.
pub(crate) fn check_returned(
    beginning: &LoanTransactions,
    signed: &[String],
    party: &Party,
) -> Result<Vec<Signatures>, LoanServiceError> {
    let templates: Vec<&Template> = beginning.templates().collect();
    if templates.len() != signed.len() {
        return Err(LoanServiceError::TransactionCount { wanted: templates.len(), found: signed.len() });
    }
    let both = templates.into_iter().zip(signed);
    both.map(|(template, text)| Ok(template.check_returned(text, &party.keys())?)).collect()
}

/// The borrower's signatures as stored in the journal: PSBTs in base64.
pub(crate) fn encode_signatures(
    beginning: &LoanTransactions,
    signatures: &[Signatures],
) -> Result<String, LoanServiceError> {
    let both = beginning.templates().zip(signatures);
    let texts = both.map(|(template, signatures)| Ok(template.signed_psbt(signatures)?.to_string()));
    let texts: Vec<String> = texts.collect::<Result<_, LoanServiceError>>()?;
    // Serializing a list of strings cannot fail.
    Ok(serde_json::to_string(&texts).unwrap_or_default())
}
