//! More time for a loan: its borrower asks for it, its lender agrees, and a loan of the same two people follows it.
//!
//! The borrower pays the interest of the term that runs when the extension begins; the next term runs on from its end, at
//! the same principal. Nobody lends anything anew, so no offer is taken and the platform gets no fee.

use bitcoin::{Amount, FeeRate};
use domain::{
    Ending, GRACE_MS, LoanAccount, LoanDeal, LoanEvent, LoanId, LoanStage, ProcessType, Sats, SubCollection, TermDays,
    UnixMs, UserId,
};
use engine::Refusal;
use escrow::contract::coin::CoinKey;
use escrow::contract::pledge::Pledge;
use escrow::kit::Kit;

use crate::contract::{Contract, Pledged, Source};
use crate::desk::Desk;
use crate::desk_error::DeskError;
use crate::handout::Handout;
use crate::lookup::LookupError;
use crate::outpoint;
use crate::party::Party;
use crate::ports::Ports;
use crate::prepare::{BORROWER_MS, LENDER_MS};
use crate::running_record::Running;

const DAY_MS: u64 = 86_400_000;

/// What a borrower asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extending {
    /// Who.
    pub borrower: UserId,
    /// Which loan is to run longer.
    pub loan: LoanId,
    /// The term that follows: one that loans of this kind have.
    pub days: TermDays,
    /// What the borrower pays the miners.
    pub fee_rate: FeeRate,
    /// Whether a hardware wallet would sign.
    pub is_hardware_wallet: bool,
}

/// An extension for the borrower's wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionHandout {
    /// The transaction, and the loan that it makes follow.
    pub handout: Handout,
    /// What the lender is paid by it: the interest of the term that runs.
    pub interest_now: Sats,
    /// What both agree on for the next term.
    pub deal: LoanDeal,
    /// When the loan is due then.
    pub due_at: UnixMs,
}

impl<P: Ports> Desk<P> {
    /// Prepares an extension of a manual loan. Asked again like this by the same borrower it gives the same answer, as
    /// long as that can be signed. It is accepted, withdrawn and counter-signed as a manual loan is.
    ///
    /// # Errors
    /// [`DeskError::HardwareWallet`], [`DeskError::NotExtendable`] for an instant loan and for one against BRC-20, [`DeskError::NoSuchTerm`],
    /// [`DeskError::TooShort`] when it could be due before the lender signs, and those of looking its coins up.
    pub async fn prepare_extension(&self, wish: &Extending) -> Result<ExtensionHandout, DeskError> {
        if wish.is_hardware_wallet {
            return Err(DeskError::HardwareWallet);
        }
        self.check_fee_rate(wish.fee_rate)?;
        self.market.lapse_unbooked().await?;
        let old = self.loan_of_borrower(wish.borrower, wish.loan).await?;
        if let Some(handout) = self.extension_before(wish, &old).await? {
            return Ok(handout);
        }
        if !matches!(old.stage, LoanStage::Active | LoanStage::Expired) {
            return Err(DeskError::WrongStage { stage: old.stage });
        }
        let running = Running::of(&old)?;
        if old.deal.process != ProcessType::Manual || matches!(running.record().loan.pledge, Pledge::Note { .. }) {
            return Err(DeskError::NotExtendable(old.id));
        }
        let (deal, due_at) = self.next_deal(&old, wish.days)?;
        let contract = extension(&old, &deal, running, wish.fee_rate)?;
        let contract = self.with_own_coins(contract).await?;
        let beginning = contract.begin()?;
        let expires_at = self.until(BORROWER_MS, due_at);
        let handout = self.hand_out(&contract, &beginning, &contract.borrower.keys(), expires_at).await?;
        let promised = contract.promised().into_iter().map(outpoint::to_domain).collect();
        let (record, kept) = (contract.to_record(), Box::new(deal.clone()));
        let prepared = LoanEvent::ExtensionPrepared { deal: kept, contract: record, expires_at, due_at };
        self.market.prepare_extension(contract.loan, prepared, promised).await?;
        Ok(ExtensionHandout { handout, interest_now: old.deal.interest, deal, due_at })
    }

    /// What was prepared for the same wish and still waits for the borrower; another wish gives it up.
    async fn extension_before(
        &self,
        wish: &Extending,
        old: &LoanAccount,
    ) -> Result<Option<ExtensionHandout>, DeskError> {
        let follows = |loan: &LoanAccount| {
            loan.stage == LoanStage::Prepared && loan.deal.follows == Some(old.id) && loan.extended_until.is_some()
        };
        let Some(loan) = self.market.open_loan_of(wish.borrower, follows).await else { return Ok(None) };
        let contract = Contract::from_record(&loan.contract)?;
        if contract.fee_rate != wish.fee_rate || loan.deal.term != wish.days {
            self.market.give_up_loan(&loan, domain::CancelledBy::Borrower).await?;
            return Ok(None);
        }
        let beginning = contract.begin()?;
        let handed = self.hand_out(&contract, &beginning, &contract.borrower.keys(), loan.expires_at).await;
        if let Err(DeskError::Lookup(LookupError::Spent(gone))) = &handed {
            // Nobody can ever sign it.
            tracing::debug!(loan = %loan.id, %gone, "a prepared extension was given up");
            self.market.give_up_loan(&loan, domain::CancelledBy::Market).await?;
            return Ok(None);
        }
        let due_at = loan.extended_until.ok_or(DeskError::OutOfRange)?;
        Ok(Some(ExtensionHandout { handout: handed?, interest_now: old.deal.interest, deal: loan.deal, due_at }))
    }

    /// What both would agree on, and when it would be due.
    fn next_deal(&self, old: &LoanAccount, days: TermDays) -> Result<(LoanDeal, UnixMs), DeskError> {
        let group = self.market.group(old.deal.group()).ok_or(Refusal::UnknownGroup)?;
        let own = group.sub_collection(old.deal.sub_collection).ok_or(Refusal::UnknownGroup)?;
        let (sub_collection, rate) = if days == old.deal.term {
            (own.id, old.deal.rate)
        } else {
            let fits = |sub: &&SubCollection| sub.term == days && sub.bundle == own.bundle && sub.manual;
            let next = group.sub_collections.iter().find(fits).ok_or(DeskError::NoSuchTerm(days))?;
            (next.id, next.interest)
        };
        let due_at = old.due_at().ok_or(DeskError::WrongStage { stage: old.stage })?;
        let due_at = due_at.plus_ms(u64::from(days.0).saturating_mul(DAY_MS));
        if due_at <= self.market.now().plus_ms(BORROWER_MS + LENDER_MS) {
            return Err(DeskError::TooShort(due_at));
        }
        let deal = LoanDeal {
            sub_collection,
            rate,
            interest: rate.of(old.deal.principal).ok_or(DeskError::OutOfRange)?,
            platform_fee: Sats::ZERO,
            term: days,
            claim_after: due_at.plus_ms(GRACE_MS),
            follows: Some(old.id),
            ..old.deal.clone()
        };
        Ok((deal, due_at))
    }
}

/// The extension as a contract between the keys that signed the loan.
fn extension(old: &LoanAccount, deal: &LoanDeal, running: Running, fee_rate: FeeRate) -> Result<Contract, DeskError> {
    let terms = *running.record().loan.escrow.terms();
    let party = |ordinals, payment: CoinKey| Party { ordinals, payment };
    let borrower = party(terms.borrower, *running.borrower.payment());
    let lender = party(terms.lender, running.lender_payment);
    let sats = |amount: Sats| Amount::from_sat(amount.get());
    Ok(Contract {
        loan: LoanId(rand::random()),
        borrower,
        lender,
        claim_after: u32::try_from(deal.claim_after.seconds()).map_err(|_| DeskError::OutOfRange)?,
        pledged: Pledged::Running { kit: Kit::Borrower(Box::new(running.borrower)).write(), coins: Vec::new() },
        source: Source::Lent { interest: sats(old.deal.interest) },
        principal: sats(deal.principal),
        payout: sats(deal.payout()),
        platform_fee: None,
        fee_rate,
    })
}

/// How a loan ends that another one with this source follows.
pub(crate) const fn ending(source: &Source, follower: LoanId) -> Ending {
    match source {
        Source::Lent { .. } => Ending::Extension(follower),
        Source::Coins(_) | Source::Vault(_) => Ending::Refinance(follower),
    }
}
