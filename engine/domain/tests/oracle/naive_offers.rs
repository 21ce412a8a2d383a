//! The offers of the naive book: a draft is checked rule by rule, and enters the book.

use domain::{
    Bundle, ConditionRejection, Ltv, OfferConditions, OfferDraft, OfferId, ProcessType, Quantity, Rejection, Sats,
    UnixMs, UserId,
};

use super::{NaiveBook, NaiveOffer, check_time, ltv_of, naive_conditions, naive_pegs, quote_of};

impl NaiveBook {
    pub(super) fn create(
        &mut self,
        lender: UserId,
        draft: &OfferDraft,
        count: u8,
        usable: Option<Sats>,
        (now, old): (UnixMs, Option<UnixMs>),
        (replaced, requested): (Option<OfferId>, Option<Quantity>),
    ) -> Result<(), Rejection> {
        let edit = replaced.is_some();
        if !self.group.is_lending_allowed {
            return Err(Rejection::LendingNotAllowed);
        }
        let sub = self.group.sub_collection(draft.sub_collection);
        let sub = sub.ok_or(Rejection::UnknownSubCollection(draft.sub_collection))?;
        let instant = draft.process == ProcessType::Instant;
        if !(if instant { sub.instant } else { sub.manual }) {
            return Err(Rejection::ProcessNotTaken(draft.process));
        }
        let price = self.price.ok_or(Rejection::NoPrice)?;
        let min = self.limits.min_offer(&self.group.collateral, draft.process);
        if draft.principal < min {
            return Err(Rejection::BelowMinOffer { min });
        }
        if draft.principal > self.limits.max_offer_sats {
            return Err(Rejection::AboveMaxOffer { max: self.limits.max_offer_sats });
        }
        let open = sub.bundle == Bundle::Open;
        let quantity = match (sub.bundle, draft.quantity) {
            (Bundle::Fixed(bundle), None) => requested.unwrap_or(bundle),
            (Bundle::Open, Some(asked)) if asked.raw != 0 && asked.decimals == self.group.collateral.decimals() => {
                asked
            }
            _ => return Err(Rejection::WrongQuantity),
        };
        let ltv = ltv_of(quote_of(draft.principal.get(), quantity), price);
        let is_pegged = draft.principal_min.is_some();
        if let Some(least) = draft.principal_min {
            let covered = usable.filter(|_| !edit);
            self.check_peg(draft, quantity, least, (price, min))?;
            let range = (least.get(), draft.principal.get());
            let cap = draft.max_ltv.map_or(0, Ltv::basis_points);
            let principal = naive_pegs::principal_at(range, cap, quantity, price);
            if instant && usable.is_none() {
                return Err(Rejection::NoVault);
            }
            if let Some(balance) = covered.filter(|balance| instant && principal > balance.get()) {
                return Err(Rejection::InsufficientVault { usable: balance });
            }
        }
        let shown = Ltv::from_basis_points(u32::try_from(ltv).unwrap_or(u32::MAX));
        if ltv >= 9_900 && !is_pegged {
            return Err(Rejection::AboveCeiling { ltv: shown });
        }
        if !instant && draft.max_ltv.is_some() && !is_pegged {
            return Err(Rejection::ManualMaxLtv);
        }
        if instant && !is_pegged {
            let cap = draft.max_ltv.map_or(0, Ltv::basis_points);
            if cap == 0 {
                return Err(Rejection::NoMaxLtv);
            }
            if cap > 9_800 {
                return Err(Rejection::MaxLtvAboveCeiling { max_ltv: Ltv::from_basis_points(cap) });
            }
            let too_close = open && u128::from(cap) < ltv + 400 && cap < 9_800;
            if u128::from(cap) < ltv || too_close {
                return Err(Rejection::MaxLtvBelowCurrent { ltv: shown });
            }
            let balance = usable.ok_or(Rejection::NoVault)?;
            if draft.principal > balance && !edit {
                return Err(Rejection::InsufficientVault { usable: balance });
            }
        }
        // An edit may leave the time of an offer that has not expired.
        if !(edit && draft.good_until == old && old.is_none_or(|time| time > now)) {
            check_time(draft.good_until, now)?;
        }
        if let Some(asked) = &draft.conditions {
            naive_conditions::check_draft(asked, lender, &self.group)?;
        }
        if let Some(named) = draft.conditions.as_ref().and_then(|asked| asked.borrower.as_ref()) {
            let names =
                |offer: &&NaiveOffer| offer.conditions.as_ref().is_some_and(|it| it.borrower.as_ref() == Some(named));
            let is_fill = |id: OfferId| {
                self.agreed.contains_key(&id) || self.requests.iter().any(|request| request.filled_by == Some(id))
            };
            let is_other = |offer: &&NaiveOffer| Some(offer.id) != replaced && !is_fill(offer.id);
            let others = self.offers.iter().filter(names).filter(is_other).count();
            if others + usize::from(count) > 20 {
                return Err(ConditionRejection::TooManyForBorrower { max: 20 }.into());
            }
        }
        if let Some(balance) = usable.filter(|_| instant) {
            self.usable.insert(lender, balance.get());
        }
        // An edit of an offer whose time was set without a signature leaves it unsigned.
        let signs_time = replaced.is_none_or(|id| self.find(id).is_some_and(|old| old.time_signed));
        let smallest = if open { min.get() } else { draft.principal.get() };
        for _ in 0..count {
            self.insert(lender, draft, (quantity, smallest), signs_time);
        }
        Ok(())
    }

    pub(super) fn insert(
        &mut self,
        lender: UserId,
        draft: &OfferDraft,
        (quantity, smallest): (Quantity, u64),
        signs_time: bool,
    ) {
        self.latest += 1;
        self.offers.push(NaiveOffer {
            id: OfferId::new(self.group.id, self.latest).unwrap(),
            lender,
            sub: draft.sub_collection,
            process: draft.process,
            principal: draft.principal.get(),
            quantity,
            smallest,
            cap: draft.max_ltv.map(Ltv::basis_points),
            peg: draft.principal_min.map(|min| (min.get(), draft.principal.get())),
            consents: draft.accepts_next_term,
            accepted: None,
            paused_by_lender: false,
            paused_by_terms: false,
            unfunded: false,
            good_until: draft.good_until,
            time_signed: draft.process == ProcessType::Instant && draft.good_until.is_some() && signs_time,
            expired: false,
            conditions: draft.conditions.clone().filter(|it| **it != OfferConditions::default()),
            used: 0,
            cancels_on_disconnect: draft.cancels_on_disconnect,
        });
    }
}
