//! The texts of notices by kind.

use domain::{NoticeFacts, NoticeKind, Role, Sats, UnixMs};
use engine::wire::LoanView;
use escrow::utc::utc;

use super::links::Links;
use super::message_text::MessageText;
use crate::share::figures::btc;

/// The largest part of a subject that a collection's name takes, in characters.
const NAME_LENGTH_MAX: usize = 80;

/// The subject of a notice, in its state when the message is written.
#[derive(Clone, Debug, Default)]
pub struct NoticeSubject {
    /// The loan.
    pub loan: Option<LoanView>,
    /// The principal of the offer.
    pub offer: Option<Sats>,
}

/// Writes the message of a notice.
#[must_use]
pub fn write(facts: &NoticeFacts, about: &NoticeSubject, links: &Links<'_>) -> MessageText {
    let name = in_one_line(&facts.collection_name);
    let is_lender = facts.role != Some(Role::Borrower);
    let mut paragraphs = vec![sum_of(&name, about)];
    paragraphs.push(what_now(facts.kind, is_lender, about.loan.as_ref()));
    MessageText {
        subject: format!("{} ({name})", subject(facts.kind, is_lender)),
        paragraphs,
        link: links.notice(facts),
    }
}

/// The same texts as in the app.
const fn subject(kind: NoticeKind, is_lender: bool) -> &'static str {
    match (kind, is_lender) {
        (NoticeKind::OfferAccepted, _) => "A borrower accepted your offer",
        (NoticeKind::CounterSignatureNeeded, _) => "Counter-sign within 12 hours",
        (NoticeKind::SignatureNeeded, _) => "Sign again: one of the loan's coins was spent",
        (NoticeKind::LoanStarted, _) => "The loan has started",
        (NoticeKind::DueIn72Hours, _) => "Due in three days",
        (NoticeKind::DueIn24Hours, _) => "Due in a day",
        (NoticeKind::Overdue, true) => "Not repaid in time",
        (NoticeKind::Overdue, false) => "Overdue: repay before the lender claims",
        (NoticeKind::RepaymentWaits, _) => "Your repayment is not confirmed yet: raise its fee",
        (NoticeKind::Claimable, _) => "You may claim the collateral",
        (NoticeKind::Repaid, true) => "You were repaid",
        (NoticeKind::Repaid, false) => "Repaid: the collateral is back",
        (NoticeKind::Claimed, true) => "The collateral is yours",
        (NoticeKind::Claimed, false) => "The lender took the collateral",
        (NoticeKind::Cancelled, _) => "The loan was cancelled",
        (NoticeKind::Lapsed, true) => "You did not sign in time",
        (NoticeKind::Lapsed, false) => "The lender did not sign in time",
        (NoticeKind::Failed, _) => "The loan could not start: one of its coins was spent",
        (NoticeKind::OfferPaused, _) => "Your offer is paused",
        (NoticeKind::TermChange, _) => "The terms of your offer change",
        (NoticeKind::OfferNotAdmitted, _) => "Your offer was removed: the vault cannot fund it",
        (NoticeKind::OfferTaken, _) => "Your prepared loan ended: the offer is no longer available",
        (NoticeKind::CollateralReclaimed, _) => "The owner pledged the collateral for another loan",
        (NoticeKind::CollateralMoved, _) => "The borrower moved the collateral: the loan was cancelled",
        (NoticeKind::OfferForYou, _) => "A lender made an offer to you",
        (NoticeKind::RequestFilled, _) => "A lender filled your request: sign the loan",
        (NoticeKind::CounterOffer, _) => "You have a counter-offer",
        (NoticeKind::CounterOfferAccepted, true) => "The borrower accepted your counter-offer",
        (NoticeKind::CounterOfferAccepted, false) => "The lender accepted your counter-offer: it is your turn to sign",
        (NoticeKind::CounterOfferDeclined, _) => "Your counter-offer was declined",
        (NoticeKind::RefinanceCheaper, _) => "Another loan would be cheaper",
        (NoticeKind::WebhookPaused, _) => "Your webhook is paused: it accepts no events",
        (NoticeKind::RefinanceOrdered, _) => "Your standing order has an offer: sign the next loan",
    }
}

/// Returns one line about the loan or offer.
fn sum_of(name: &str, about: &NoticeSubject) -> String {
    match (&about.loan, about.offer) {
        (Some(loan), _) => {
            let (principal, payout) = (btc(loan.principal), btc(loan.payout_sats));
            let due = loan.due_at.map_or_else(String::new, |at| format!(", due {}", time(at)));
            format!("Loan {} of {principal} against {name}; {payout} to repay{due}.", loan.loan_id.0)
        }
        (None, Some(principal)) => format!("Offer of {} against {name}.", btc(principal)),
        (None, None) => format!("It is about {name}."),
    }
}

/// Returns the meaning of the event, and what the user can do.
fn what_now(kind: NoticeKind, is_lender: bool, loan: Option<&LoanView>) -> String {
    let claim =
        loan.map_or_else(|| "after the claim time".to_owned(), |loan| format!("after {}", time(loan.claim_after)));
    let sign_by = loan
        .and_then(|loan| loan.expires_at)
        .map_or_else(|| "in time".to_owned(), |until| format!("before {}", time(until)));
    let agreed = if loan.is_some() { "extension" } else { "loan" };
    match (kind, is_lender) {
        (NoticeKind::OfferAccepted, _) => {
            "If your vault pays for it, there is nothing to do. A manual offer waits for your signature.".to_owned()
        }
        (NoticeKind::CounterSignatureNeeded, _) => {
            format!("Sign {sign_by}, or refuse. An unanswered request lapses and lowers your acceptance rate.")
        }
        (NoticeKind::SignatureNeeded, _) => format!("Sign the loan again {sign_by}, or it is cancelled."),
        (NoticeKind::LoanStarted, true) => "The term has begun. There is nothing to do until it is due.".to_owned(),
        (NoticeKind::LoanStarted, false) => format!(
            "The term has begun. Repay before it is due: {claim} the lender may take the collateral. No price liquidates it."
        ),
        (NoticeKind::DueIn72Hours | NoticeKind::DueIn24Hours, _) => {
            format!("Repay before it is due: {claim} the lender may take the collateral.")
        }
        (NoticeKind::Overdue, true) => {
            format!("You may take the collateral {claim}. Until you do, the borrower can still repay.")
        }
        (NoticeKind::Overdue, false) => {
            format!("You can repay until the lender takes the collateral, which may happen {claim}.")
        }
        (NoticeKind::RepaymentWaits, _) => {
            format!("You have signed the repayment, but it is not confirmed yet. The lender may take the collateral {claim}.")
        }
        (NoticeKind::Claimable, _) => "Until you take it, the borrower can still repay.".to_owned(),
        (NoticeKind::Repaid, _) if loan.is_some_and(|loan| loan.followed_by.is_some()) => {
            "The loan that follows it has repaid it.".to_owned()
        }
        (NoticeKind::Repaid, true) => "The repayment is confirmed.".to_owned(),
        (NoticeKind::Repaid, false) => "The repayment is confirmed, and the collateral is in your wallet.".to_owned(),
        (NoticeKind::Claimed, _) => "It was not repaid. The claim is confirmed, and the loan is over.".to_owned(),
        (NoticeKind::Cancelled | NoticeKind::Lapsed | NoticeKind::Failed, _) => {
            "It did not start: the collateral and the coins to be lent are available again.".to_owned()
        }
        (NoticeKind::OfferTaken, _) => "Nothing was pledged. Another offer may suit you as well.".to_owned(),
        (NoticeKind::CollateralReclaimed, _) => {
            "The key of its address signed another loan, so this one did not start. The coins to be lent are available again.".to_owned()
        }
        (NoticeKind::CollateralMoved, _) => {
            "It was spent before you signed. Your offer and your coins are available again, and the borrower's record shows it.".to_owned()
        }
        (NoticeKind::OfferPaused, _) => {
            "Its LTV rose above your limit, the vault holds too little, its terms changed, or it expired: see the app.".to_owned()
        }
        (NoticeKind::TermChange, _) => {
            "Accept the new terms before they take effect, or the offer is paused from then on.".to_owned()
        }
        (NoticeKind::OfferForYou, _) => {
            "Only you can take it, until its lender cancels it or it expires.".to_owned()
        }
        (NoticeKind::RequestFilled, _) => {
            "Only you can take the offer. If you do not sign before it expires, your request is open again.".to_owned()
        }
        (NoticeKind::CounterOffer, _) => {
            "Accept it, answer with other terms, or decline, before it expires: see the app.".to_owned()
        }
        (NoticeKind::CounterOfferAccepted, true) => {
            format!("The borrower has 12 hours to sign the {agreed}. Then you are asked to sign it.")
        }
        (NoticeKind::CounterOfferAccepted, false) => {
            format!("The terms are agreed. Sign the {agreed} within 12 hours; then the lender signs it.")
        }
        (NoticeKind::CounterOfferDeclined, _) => {
            "The negotiation is over. You may open another one.".to_owned()
        }
        (NoticeKind::RefinanceCheaper, _) => {
            "An offer has at least 10 percent less interest per day. Refinance before the loan is due: see the app.".to_owned()
        }
        (NoticeKind::RefinanceOrdered, _) => {
            "It is within the terms that you set. Others can take it first: open the loan and sign.".to_owned()
        }
        (NoticeKind::WebhookPaused, _) => {
            "Resume it in the notification settings once its server works again, and send the missed events again there.".to_owned()
        }
        (NoticeKind::OfferNotAdmitted, _) => {
            "The vault signer cannot fund it, so it was paused or removed from the order book.".to_owned()
        }
    }
}

/// Formats a time to the minute: `2030-03-17 17:46 UTC`.
#[must_use]
pub fn time(at: UnixMs) -> String {
    let exact = utc(u32::try_from(at.seconds()).unwrap_or(u32::MAX));
    exact.get(..16).map_or_else(|| exact.clone(), |minute| format!("{minute} UTC"))
}

fn in_one_line(name: &str) -> String {
    name.chars().take(NAME_LENGTH_MAX).map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::{GroupId, LoanId, OfferId};

    use super::*;
    use crate::config::public_url::PublicUrl;

    fn facts(kind: NoticeKind, role: Option<Role>) -> NoticeFacts {
        NoticeFacts {
            id: "id".to_owned(),
            kind,
            at: UnixMs(1_900_000_000_000),
            collection_name: "Paper Frogs\r\nBcc: x".to_owned(),
            loan: role.map(|_| LoanId(7)),
            role,
            offer: OfferId::new(GroupId(1), 42).filter(|_| role.is_none()),
        }
    }

    #[test]
    fn every_kind_has_a_text_for_each_side_and_a_link_into_the_app() {
        let url: PublicUrl = "https://lienbook.example".parse().unwrap();
        let links = Links { public_url: &url };
        let mut subjects = HashSet::new();
        for kind in NoticeKind::ALL {
            for role in [Some(Role::Lender), Some(Role::Borrower), None] {
                let letter = write(&facts(kind, role), &NoticeSubject::default(), &links);
                assert!(letter.subject.ends_with("(Paper Frogs  Bcc: x)"), "{}", letter.subject);
                let is_about_webhook = kind == NoticeKind::WebhookPaused;
                let page = if is_about_webhook { "settings/notifications" } else { "portfolio" };
                assert!(letter.link.starts_with(&format!("https://lienbook.example/{page}")), "{}", letter.link);
                assert_eq!(letter.paragraphs.len(), 2, "{kind:?}");
                assert!(!letter.as_chat().contains('\r'));
                subjects.insert(letter.subject);
            }
        }
        assert!(subjects.len() >= NoticeKind::ALL.len(), "{subjects:?}");
    }

    #[test]
    fn a_notice_about_an_offer_for_a_running_loan_opens_the_refinance_of_both() {
        let url: PublicUrl = "https://lienbook.example".parse().unwrap();
        let (links, offer) = (Links { public_url: &url }, OfferId::new(GroupId(1), 42).unwrap());
        for kind in NoticeKind::ALL {
            let facts = NoticeFacts { offer: Some(offer), ..facts(kind, Some(Role::Borrower)) };
            let is_refinance = matches!(kind, NoticeKind::RefinanceCheaper | NoticeKind::RefinanceOrdered);
            let link = links.notice(&facts);
            if kind == NoticeKind::WebhookPaused {
                continue;
            }
            assert_eq!(
                link.ends_with(&format!("?tab=loans&loan={}&refinance={offer}", LoanId(7))),
                is_refinance,
                "{link}"
            );
        }
    }

    #[test]
    fn times_are_formatted_to_the_minute() {
        assert_eq!(time(UnixMs(1_900_000_000_999)), "2030-03-17 17:46 UTC");
    }
}
