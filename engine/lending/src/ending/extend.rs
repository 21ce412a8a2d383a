//! Extension: a new term for a running loan, requested by its borrower and agreed to by its lender, as a new loan
//! between the same two parties.
//!
//! At its beginning the borrower pays the interest of the current term; the next term starts at the end of that one,
//! with the same principal. As no principal is paid, no offer is taken and there is no platform fee.

use bitcoin::{Amount, FeeRate};
use domain::{
    GRACE_MS, LoanAccount, LoanDeal, LoanEvent, LoanId, LoanStage, LoanTerms, NegotiationId, NegotiationRejection,
    ProcessType, Rejection, Sats, SubCollection, SubCollectionId, TermDays, UnixMs, UserId,
};
use engine::Refusal;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::transaction::coin::CoinKey;
use escrow::kit::Kit;

use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::records::contract::{Contract, Pledged, Source};
use crate::records::outpoint;
use crate::records::party::Party;
use crate::records::running_record::Running;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::signing_times::{BORROWER_SIGNING_MS, LENDER_SIGNING_MS};
use crate::service::unsigned_transactions;

/// A borrower's request for an extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionRequest {
    /// The borrower.
    pub borrower: UserId,
    /// The loan to extend.
    pub loan: LoanId,
    /// The term that follows: the loan's own, one that its collection has, or the agreed one.
    pub days: TermDays,
    /// The negotiation in which both sides agreed on interest and term; `None` for the terms of the collection.
    pub agreed_in: Option<NegotiationId>,
    /// The fee rate, paid by the borrower.
    pub fee_rate: FeeRate,
    /// Whether a hardware wallet would sign.
    pub is_hardware_wallet: bool,
}

/// An extension for the borrower's wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedExtension {
    /// The transaction, and the loan that follows by it.
    pub unsigned: unsigned_transactions::UnsignedLoan,
    /// The lender's payment by it: the interest of the current term.
    pub interest_now: Sats,
    /// The terms of the next term.
    pub deal: LoanDeal,
    /// The due time of the extended loan.
    pub due_at: UnixMs,
}

impl<P: Ports> LoanService<P> {
    /// Prepares an extension of a manual loan. Idempotent for the same borrower and request while it can be signed. It
    /// is accepted, withdrawn and counter-signed like a manual loan.
    ///
    /// # Errors
    /// [`LoanServiceError::HardwareWallet`], [`LoanServiceError::NotExtendable`] for an instant loan and for one
    /// against BRC-20, [`LoanServiceError::NoSuchTerm`], [`LoanServiceError::DueTooSoon`] when it could be due before
    /// the lender signs, and the errors of the coin lookups.
    pub async fn prepare_extension(&self, request: &ExtensionRequest) -> Result<UnsignedExtension, LoanServiceError> {
        if request.is_hardware_wallet {
            return Err(LoanServiceError::HardwareWallet);
        }
        self.check_fee_rate(request.fee_rate)?;
        self.market.lapse_outside_book().await?;
        let old = self.loan_of_borrower(request.borrower, request.loan).await?;
        let next = self.next_terms(request, &old).await?;
        if let Some(prepared) = self.existing_extension(request, &old, next).await? {
            return Ok(prepared);
        }
        let running = check_extendable(&old)?;
        let (deal, due_at) = self.next_deal(&old, next)?;
        let contract = extension(self.loan_ids.next(), &old, &deal, running, request.fee_rate)?;
        let contract = self.with_borrower_coins(contract).await?;
        let beginning = contract.build()?;
        let expires_at = self.signing_deadline(BORROWER_SIGNING_MS, due_at);
        let unsigned = self.unsigned_loan(&deal, &contract, &beginning, &contract.borrower.keys(), expires_at).await?;
        let reserved = contract.reserved_outputs().into_iter().map(outpoint::to_domain).collect();
        let (record, kept) = (contract.to_record(), Box::new(deal.clone()));
        let prepared = LoanEvent::ExtensionPrepared { deal: kept, contract: record, expires_at, due_at };
        self.market.prepare_extension(contract.loan, prepared, reserved).await?;
        Ok(UnsignedExtension { unsigned, interest_now: old.deal.interest, deal, due_at })
    }

    /// Returns a loan that can be extended now by these days, to one of its two sides, for a negotiation about the next
    /// term.
    ///
    /// # Errors
    /// [`LoanServiceError::UnknownLoan`] for others, [`LoanServiceError::WrongStage`], [`LoanServiceError::NotExtendable`],
    /// [`LoanServiceError::DueTooSoon`].
    pub async fn extendable_loan(
        &self,
        user: UserId,
        id: LoanId,
        days: TermDays,
    ) -> Result<LoanAccount, LoanServiceError> {
        let loan = self.market.loan(id).await.filter(|loan| loan.role_of(user).is_some());
        let loan = loan.ok_or(LoanServiceError::UnknownLoan(id))?;
        check_extendable(&loan)?;
        self.next_due(&loan, days)?;
        Ok(loan)
    }

    /// Returns what was prepared for the same request and still waits for the borrower; another request for the loan
    /// gives it up.
    async fn existing_extension(
        &self,
        request: &ExtensionRequest,
        old: &LoanAccount,
        (sub_collection, terms): (SubCollectionId, LoanTerms),
    ) -> Result<Option<UnsignedExtension>, LoanServiceError> {
        let follows = |loan: &LoanAccount| {
            loan.stage == LoanStage::Prepared && loan.deal.follows == Some(old.id) && loan.extended_until.is_some()
        };
        let Some(loan) = self.market.open_loan_of(request.borrower, follows).await else { return Ok(None) };
        let contract = Contract::from_record(&loan.contract)?;
        let is_same = loan.deal.terms() == terms && loan.deal.sub_collection == sub_collection;
        if contract.fee_rate != request.fee_rate || !is_same {
            self.market.cancel_loan_at_stage(&loan, domain::CancelledBy::Borrower).await?;
            return Ok(None);
        }
        let beginning = contract.build()?;
        let keys = contract.borrower.keys();
        let unsigned = self.unsigned_loan(&loan.deal, &contract, &beginning, &keys, loan.expires_at).await;
        if let Err(LoanServiceError::Lookup(LookupError::Spent(gone))) = &unsigned {
            // It can never be signed.
            tracing::debug!(loan = %loan.id, %gone, "a prepared extension was given up");
            self.market.cancel_loan_at_stage(&loan, domain::CancelledBy::Market).await?;
            return Ok(None);
        }
        let due_at = loan.extended_until.ok_or(LoanServiceError::OutOfRange)?;
        Ok(Some(UnsignedExtension { unsigned: unsigned?, interest_now: old.deal.interest, deal: loan.deal, due_at }))
    }

    /// Returns the interest and the term that both sides agreed on; `None` if the request names no negotiation.
    async fn agreed_terms(&self, request: &ExtensionRequest) -> Result<Option<LoanTerms>, LoanServiceError> {
        let Some(negotiation) = request.agreed_in else { return Ok(None) };
        let agreed = self.market.agreed_extension(request.loan, negotiation).await?;
        let unknown = || Rejection::Negotiation(NegotiationRejection::Unknown(negotiation));
        let agreed = agreed.ok_or_else(unknown).map_err(Refusal::from)?;
        if agreed.days == request.days { Ok(Some(agreed)) } else { Err(LoanServiceError::NoSuchTerm(request.days)) }
    }

    /// Returns the sub-collection, the interest and the term of the next loan.
    async fn next_terms(
        &self,
        request: &ExtensionRequest,
        old: &LoanAccount,
    ) -> Result<(SubCollectionId, LoanTerms), LoanServiceError> {
        let own = old.deal.sub_collection;
        if let Some(agreed) = self.agreed_terms(request).await? {
            return Ok((own, agreed));
        }
        let days = request.days;
        if days == old.deal.term {
            return Ok((own, old.deal.terms()));
        }
        let group = self.market.group(old.deal.group()).ok_or(Refusal::UnknownGroup)?;
        let bundle = group.sub_collection(own).ok_or(Refusal::UnknownGroup)?.bundle;
        let fits = |sub: &&SubCollection| sub.term == days && sub.bundle == bundle && sub.manual;
        let next = group.sub_collections.iter().find(fits).ok_or(LoanServiceError::NoSuchTerm(days))?;
        Ok((next.id, LoanTerms { interest: next.interest, days }))
    }

    /// Returns the due time of the next loan, which leaves both sides the time to sign.
    fn next_due(&self, old: &LoanAccount, days: TermDays) -> Result<UnixMs, LoanServiceError> {
        let due_at = old.due_at().ok_or(LoanServiceError::WrongStage { stage: old.stage })?;
        let due_at = due_at.plus_ms(days.ms());
        if due_at <= self.market.now().plus_ms(BORROWER_SIGNING_MS + LENDER_SIGNING_MS) {
            return Err(LoanServiceError::DueTooSoon(due_at));
        }
        Ok(due_at)
    }

    /// Returns the deal of the next loan, and its due time.
    fn next_deal(
        &self,
        old: &LoanAccount,
        (sub_collection, terms): (SubCollectionId, LoanTerms),
    ) -> Result<(LoanDeal, UnixMs), LoanServiceError> {
        let LoanTerms { interest: rate, days } = terms;
        let due_at = self.next_due(old, days)?;
        let deal = LoanDeal {
            sub_collection,
            rate,
            interest: rate.of(old.deal.principal).ok_or(LoanServiceError::OutOfRange)?,
            platform_fee: Sats::ZERO,
            term: days,
            claim_after: due_at.plus_ms(GRACE_MS),
            follows: Some(old.id),
            ..old.deal.clone()
        };
        Ok((deal, due_at))
    }
}

/// Checks that a loan runs, and that its contract and its collateral can move to another escrow of the same two sides.
///
/// # Errors
/// [`LoanServiceError::WrongStage`], [`LoanServiceError::NotExtendable`].
fn check_extendable(loan: &LoanAccount) -> Result<Running, LoanServiceError> {
    if !matches!(loan.stage, LoanStage::Active | LoanStage::Expired) {
        return Err(LoanServiceError::WrongStage { stage: loan.stage });
    }
    let running = Running::of(loan)?;
    let is_transfer = matches!(running.record().loan.pledge, Pledge::TransferInscription { .. });
    if loan.deal.process != ProcessType::Manual || is_transfer {
        return Err(LoanServiceError::NotExtendable(loan.id));
    }
    Ok(running)
}

/// Builds the extension's contract between the keys of the running loan.
fn extension(
    loan: LoanId,
    old: &LoanAccount,
    deal: &LoanDeal,
    running: Running,
    fee_rate: FeeRate,
) -> Result<Contract, LoanServiceError> {
    let terms = running.record().loan.escrow.terms();
    let party = |ordinals, payment: CoinKey| Party { ordinals, payment };
    let borrower = party(terms.borrower, *running.borrower.payment());
    let lender = party(terms.lender, running.lender_payment);
    let sats = |amount: Sats| Amount::from_sat(amount.get());
    Ok(Contract {
        loan,
        borrower,
        lender,
        claim_after: u32::try_from(deal.claim_after.seconds()).map_err(|_| LoanServiceError::OutOfRange)?,
        pledged: Pledged::Running { kit: Kit::Borrower(Box::new(running.borrower)).write(), coins: Vec::new() },
        source: Source::Rollover { interest: sats(old.deal.interest) },
        principal: sats(deal.principal),
        payout: sats(deal.payout()),
        platform_fee: None,
        fee_rate,
    })
}
