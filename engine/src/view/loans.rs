//! A loan's view for one of its two sides.

use domain::{CollateralType, CollectionGroup, Ending, LoanNotice, LoanSummary, ReservationId, Role, UnixMs};

use crate::wire::{AsString, LoanState, LoanView, NoticeKind, NoticeView, Percent, ProcessName, Txid};

use super::collateral;

/// Returns the view of a loan for `role` at `now`.
pub(crate) fn loan_view(group: &CollectionGroup, loan: &LoanSummary, role: Role, now: UnixMs) -> LoanView {
    let deal = &loan.deal;
    let is_inscription = group.collateral == CollateralType::Inscription;
    let (rune_id, rune_name) = collateral::rune(&group.collateral);
    let is_overdue = loan.is_overdue(now);
    let followed_by = loan.end.as_ref().and_then(|end| match end.ending {
        Ending::Refinance(id) | Ending::Extension(id) => Some(AsString(id)),
        Ending::Repayment | Ending::Claim => None,
    });
    LoanView {
        loan_id: AsString(loan.id),
        offer_accept_request_id: AsString(ReservationId(loan.id.0)),
        role: role.into(),
        stage: loan.stage.into(),
        state: LoanState::of(loan.stage, is_overdue),
        waits_for: loan.pending_action(role, now).map(Into::into),
        is_overdue,
        offer_id: AsString(deal.offer),
        lender_id: AsString(deal.lender),
        borrower_id: AsString(deal.borrower),
        group_id: AsString(group.id),
        group_slug: group.slug.clone(),
        collection_name: group.name.clone(),
        collection_symbol: group.symbol.clone(),
        collection_img_url: group.image.clone(),
        collection_slug: group.sub_collection(deal.sub_collection).map(|sub| sub.slug.clone()),
        collateral_type: collateral::name(&group.collateral),
        inscription_id: deal.pledged_ids.first().map(str::to_owned).filter(|_| is_inscription),
        inscription_ids: deal.pledged_ids.iter().filter(|_| is_inscription).map(str::to_owned).collect(),
        fungible_amount: (!is_inscription).then_some(AsString(deal.pledged_raw)),
        rune_id,
        rune_name,
        rune_decimals: collateral::decimals(&group.collateral),
        ticker: collateral::ticker(&group.collateral),
        loan_process_type: ProcessName::from(deal.process).capitalised(),
        principal: deal.principal,
        interest: deal.rate.into(),
        apy: Percent::apy(deal.rate, deal.term),
        interest_sats: deal.interest,
        payout_sats: deal.payout(),
        platform_fee_sats: (role == Role::Lender).then_some(deal.platform_fee),
        term: deal.term.0,
        prepared_at: loan.prepared_at,
        expires_at: (!loan.stage.is_running() && !loan.stage.is_over()).then_some(loan.expires_at),
        accepted_date: loan.accepted_at,
        started_at: loan.began.map(|began| began.at),
        due_at: loan.due_at(),
        extended_until: loan.extended_until,
        claim_after: deal.claim_after,
        ended_at: loan.ended_at(),
        updated_at: loan.updated_at,
        transaction_id: loan.txid.map(|txid| AsString(Txid(txid))),
        ending: loan.end.as_ref().map(|end| end.ending.into()),
        ending_transaction_id: loan.end.as_ref().map(|end| AsString(Txid(end.txid))),
        follows: deal.follows.map(AsString),
        followed_by,
        refinance_order: loan.refinance_order.filter(|_| role == Role::Borrower).map(Into::into),
        refinance_refusal: group.refinance_obstacle(deal.pledged_raw).map(Into::into),
        points: loan.points(role, group.points_multiplier).get(),
    }
}

/// Returns the view of a notice about a loan for `role`.
pub(crate) fn loan_notice(group: &CollectionGroup, loan: &LoanSummary, role: Role, notice: LoanNotice) -> NoticeView {
    let kind = NoticeKind::from(notice.kind);
    NoticeView {
        id: format!("{}-{}", loan.id, kind.name()),
        kind,
        at: notice.at,
        collection_name: group.name.clone(),
        loan_id: Some(AsString(loan.id)),
        role: Some(role.into()),
        offer_id: Some(AsString(loan.deal.offer)),
    }
}
