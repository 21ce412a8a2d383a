//! The clients' requests, exactly equal when they are repeated.

use std::fmt::Debug;

use bitcoin::{FeeRate, Txid};
use domain::{CancelReason, Command, GroupId, LoanId, OfferDraft, OfferId};
use lending::ending::repay::UnsignedEnding;
use lending::instant_offers::service::{InstantOfferState, InstantOffers, SignedAction};
use lending::lookups::ports::Ports as _;
use lending::origination::countersign::{Countersigned, UnsignedCountersignature};
use lending::origination::loan_request::LoanRequest;
use lending::service::unsigned_transactions::UnsignedLoan;
use lending::vaults::lender_order::SignedOrder;
use lending::vaults::payment::{PaymentRequest, PreparedPayment};
use lending::vaults::withdrawal::{PreparedWithdrawal, WithdrawalRequest};

use crate::kit::world::World;
use crate::memory::LastingAnswer;
use crate::participants::Participants;

/// A request. Participants are given by index.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Quote {
        lender: usize,
        group: GroupId,
        draft: OfferDraft,
        replaces: Option<OfferId>,
        is_instant: bool,
        signed_action: SignedAction,
    },
    Cancel {
        lender: usize,
        offer: OfferId,
        is_instant: bool,
        signed_action: SignedAction,
    },
    Prepare {
        request: LoanRequest,
        is_instant: bool,
    },
    Sign {
        borrower: usize,
        loan: LoanId,
        signed: Vec<String>,
        is_instant: bool,
    },
    GiveUp {
        borrower: usize,
        loan: LoanId,
    },
    AskToCountersign {
        lender: usize,
        loan: LoanId,
    },
    Countersign {
        lender: usize,
        loan: LoanId,
        signed: Countersigned,
    },
    Refuse {
        lender: usize,
        loan: LoanId,
    },
    AskToRepay {
        borrower: usize,
        loans: Vec<LoanId>,
        rate: FeeRate,
    },
    Repay {
        borrower: usize,
        loans: Vec<LoanId>,
        signed: String,
    },
    AskToClaim {
        lender: usize,
        loan: LoanId,
        rate: FeeRate,
    },
    Claim {
        lender: usize,
        loan: LoanId,
        signed: String,
    },
    AskToDeposit {
        lender: usize,
        request: PaymentRequest,
    },
    Deposit {
        lender: usize,
        signed: String,
    },
    AskToWithdraw {
        lender: usize,
        request: WithdrawalRequest,
    },
    Withdraw {
        lender: usize,
        order: SignedOrder,
    },
}

/// The server's answers.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Done,
    Offer(OfferId),
    Handout(UnsignedLoan),
    ForLender(Box<UnsignedCountersignature>),
    Ending(UnsignedEnding),
    Deposit(PreparedPayment),
    Withdrawal(PreparedWithdrawal),
    Sent(Txid),
}

impl Answer {
    /// The part of the answer that a repeated request must get again.
    pub(crate) const fn lasting(&self) -> Option<LastingAnswer> {
        match self {
            Self::Sent(txid) => Some(LastingAnswer::Sent(*txid)),
            Self::Offer(offer) => Some(LastingAnswer::Offer(*offer)),
            _ => None,
        }
    }
}

impl Request {
    /// The kind of the request.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Quote { replaces: None, is_instant: false, .. } => "quote manual",
            Self::Quote { replaces: None, is_instant: true, .. } => "quote instant",
            Self::Quote { replaces: Some(_), .. } => "edit",
            Self::Cancel { .. } => "cancel",
            Self::Prepare { request, .. } if request.refinances.is_some() => "prepare refinance",
            Self::Prepare { is_instant: false, .. } => "prepare manual",
            Self::Prepare { is_instant: true, .. } => "prepare instant",
            Self::Sign { is_instant: false, .. } => "accept",
            Self::Sign { is_instant: true, .. } => "submit instant",
            Self::GiveUp { .. } => "give up",
            Self::AskToCountersign { .. } => "prepare countersign",
            Self::Countersign { .. } => "countersign",
            Self::Refuse { .. } => "refuse",
            Self::AskToRepay { .. } => "prepare repayment",
            Self::Repay { .. } => "repay",
            Self::AskToClaim { .. } => "prepare claim",
            Self::Claim { .. } => "claim",
            Self::AskToDeposit { .. } => "prepare deposit",
            Self::Deposit { .. } => "deposit",
            Self::AskToWithdraw { .. } => "prepare withdrawal",
            Self::Withdraw { .. } => "withdraw",
        }
    }

    /// Sends the request to the server; a refusal is returned by its name.
    pub(crate) async fn send(
        self,
        world: &World,
        state: &InstantOfferState,
        participants: &Participants,
    ) -> Result<Answer, String> {
        let service = &world.service;
        let lender_of = |lender: usize| participants.lenders[lender].user;
        let borrower_of = |borrower: usize| participants.borrowers[borrower].user;
        let quotes = InstantOffers { market: &service.market, signer: service.ports.signer(), state };
        match self {
            Self::Quote { lender, group, draft, replaces, is_instant: true, signed_action } => {
                let user = lender_of(lender);
                let offer = match replaces {
                    None => quotes.create(group, user, draft, signed_action).await,
                    Some(offer) => quotes.edit(offer, user, draft, signed_action).await,
                };
                offer.map(|offer| Answer::Offer(offer.offer_id.0)).map_err(why)
            }
            Self::Quote { lender, group, draft, replaces, is_instant: false, signed_action } => {
                let lender = lender_of(lender);
                let command = match replaces {
                    None => Command::Create { lender, draft, count: 1, usable: None },
                    Some(offer) => Command::Edit { lender, offer, draft, usable: None },
                };
                let applied =
                    service.market.command(group, command, Some(signed_action.nonce_use)).await.map_err(why)?;
                Ok(Answer::Offer(applied.offers.last().unwrap().offer_id.0))
            }
            Self::Cancel { lender, offer, is_instant: true, signed_action } => {
                let mut done = quotes.cancel(lender_of(lender), &[offer], signed_action).await.map_err(why)?;
                done.remove(0).map(|()| Answer::Done).map_err(why)
            }
            Self::Cancel { lender, offer, is_instant: false, signed_action } => {
                let command = Command::Cancel { lender: lender_of(lender), offer };
                let applied =
                    service.market.command(offer.group(), command, Some(signed_action.nonce_use)).await.map_err(why)?;
                let reason = CancelReason::ByLender;
                assert!(applied.events.contains(&domain::BookEvent::OfferCancelled { offer, reason }));
                Ok(Answer::Done)
            }
            Self::Prepare { request, is_instant: false } => {
                service.prepare(&request).await.map(Answer::Handout).map_err(why)
            }
            Self::Prepare { request, is_instant: true } => {
                service.prepare_instant(&request).await.map(Answer::Handout).map_err(why)
            }
            Self::Sign { borrower, loan, signed, is_instant: false } => {
                service.accept(borrower_of(borrower), loan, &signed).await.map(Answer::Sent).map_err(why)
            }
            Self::Sign { borrower, loan, signed, is_instant: true } => {
                service.submit_instant(borrower_of(borrower), loan, &signed).await.map(Answer::Sent).map_err(why)
            }
            Self::GiveUp { borrower, loan } => {
                service.withdraw(borrower_of(borrower), loan).await.map(|()| Answer::Done).map_err(why)
            }
            Self::AskToCountersign { lender, loan } => {
                let asked = service.prepare_countersign(lender_of(lender), loan).await;
                asked.map(|handout| Answer::ForLender(Box::new(handout))).map_err(why)
            }
            Self::Countersign { lender, loan, signed } => {
                service.countersign(lender_of(lender), loan, &signed).await.map(Answer::Sent).map_err(why)
            }
            Self::Refuse { lender, loan } => {
                service.refuse(lender_of(lender), loan).await.map(|()| Answer::Done).map_err(why)
            }
            Self::AskToRepay { borrower, loans, rate } => {
                let asked = service.prepare_repayment(borrower_of(borrower), &loans, rate).await;
                asked.map(Answer::Ending).map_err(why)
            }
            Self::Repay { borrower, loans, signed } => {
                service.submit_repayment(borrower_of(borrower), &loans, &signed).await.map(Answer::Sent).map_err(why)
            }
            Self::AskToClaim { lender, loan, rate } => {
                service.prepare_claim(lender_of(lender), loan, rate).await.map(Answer::Ending).map_err(why)
            }
            Self::Claim { lender, loan, signed } => {
                service.submit_claim(lender_of(lender), loan, &signed).await.map(Answer::Sent).map_err(why)
            }
            Self::AskToDeposit { lender, request } => {
                service.prepare_deposit(lender_of(lender), request).await.map(Answer::Deposit).map_err(why)
            }
            Self::Deposit { lender, signed } => {
                service.submit_deposit(lender_of(lender), &signed).await.map(Answer::Sent).map_err(why)
            }
            Self::AskToWithdraw { lender, request } => {
                service.prepare_withdrawal(lender_of(lender), request).await.map(Answer::Withdrawal).map_err(why)
            }
            Self::Withdraw { lender, order } => {
                let sent = service.submit_withdrawal(lender_of(lender), &order).await;
                sent.map(|sent| Answer::Sent(sent.txid)).map_err(why)
            }
        }
    }
}

/// Errors that must never occur here.
const IMPOSSIBLE: [&str; 9] = [
    "Record",
    "OutOfRange",
    "UnsupportedAddresses",
    "Signature",
    "OtherTransaction",
    "Finish",
    "TransactionMismatch",
    "Nonsense",
    "Unsound",
];

/// The name of an error without its fields.
fn why(error: impl Debug) -> String {
    let text = format!("{error:?}");
    let name = text.chars().take_while(|letter| letter.is_alphabetic() || *letter == '(');
    let name = name.collect::<String>().replace('(', " ");
    assert!(!IMPOSSIBLE.iter().any(|word| name.split(' ').any(|part| part == *word)), "{text}");
    name
}
