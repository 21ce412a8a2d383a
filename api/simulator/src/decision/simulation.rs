//! A randomized simulation of the whole market in memory: every lender decides, books follow, prices move, and every
//! action is checked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{CollateralType, GroupId, Ltv, OfferId, ProcessType, Sats, UnitPrice, UnixMs};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;

use super::{ACTIONS_MAX, DecisionContext, decide, quote_initial};
use crate::amount::{PRINCIPAL_MAX, STEP, ltv};
use crate::demo_market::DemoMarket;
use crate::limits::Limits;
use crate::offer_action::{OfferAction, Quote};
use crate::own_offer::OwnOffer;
use crate::price_feed::PriceFeed;
use crate::profile::{LTV_MIN, Profile};
use crate::public_book::{PublicBook, PublicOffer};
use crate::vacancy::{Vacancy, vacancies};

const NOW: UnixMs = UnixMs(1_800_000_000_000);
const LIMITS: Limits = Limits::all(50_000);

struct SimulatedLender {
    profile: Profile,
    rng: ChaCha8Rng,
    own: Vec<OwnOffer>,
    next_visit_at: UnixMs,
}

#[derive(Debug, Default)]
struct Counts {
    quotes: u32,
    edits: u32,
    cancels: u32,
    pauses: u32,
    resumes: u32,
    ltvs: Vec<u32>,
}

struct Simulation {
    seed: u64,
    market: DemoMarket,
    feed: PriceFeed,
    books: BTreeMap<GroupId, PublicBook>,
    lenders: Vec<SimulatedLender>,
    sequence: u64,
    counts: Counts,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let market = DemoMarket::new(seed);
        let feed = market.price_feed(NOW);
        let open =
            |id: GroupId| market.groups.iter().any(|group| group.group.id == id && group.group.is_lending_allowed);
        let book =
            |(group, price)| (group, PublicBook { price: Some(price), is_open: open(group), offers: HashMap::new() });
        let books = feed.prices().into_iter().map(book).collect();
        let lender = |index| SimulatedLender {
            profile: Profile::draw(seed, index, &market.groups),
            rng: Profile::rng(seed, "rehearsal", index),
            own: Vec::new(),
            next_visit_at: NOW,
        };
        let lenders = (0..market.lenders).map(lender).collect();
        Self { seed, feed, books, lenders, sequence: 0, counts: Counts::default(), market }
    }

    /// Lets one lender decide about one group.
    fn visit(&mut self, index: usize, group: GroupId, now: UnixMs, opening: bool) {
        let lender = &mut self.lenders[index];
        let demo = self.market.groups.iter().find(|demo| demo.group.id == group).unwrap();
        let book = &self.books[&group];
        let own: Vec<OwnOffer> = lender.own.iter().filter(|own| own.group == group).copied().collect();
        let is_vacant = vacancies(demo, book).next().is_some();
        let offer_capacity = lender.profile.offer_capacity(lender.own.len(), is_vacant);
        let vault = Some(lender.profile.vault).filter(|vault| *vault > Sats::ZERO);
        let price = book.price.unwrap();
        let context =
            DecisionContext { group: demo, book, price, limits: &LIMITS, own: &own, offer_capacity, vault, now };
        let actions = if opening {
            quote_initial(&lender.profile, &context, &mut lender.rng).into_iter().collect()
        } else {
            decide(&lender.profile, &context, &mut lender.rng)
        };
        assert!(actions.len() <= ACTIONS_MAX, "seed {}", self.seed);
        for action in actions {
            self.apply(index, group, price, now, &action);
        }
    }

    fn check(&self, index: usize, price: UnitPrice, quote: &Quote) {
        let seed = self.seed;
        let profile = &self.lenders[index].profile;
        let demo = self.market.groups.iter().find(|demo| demo.group.id == quote.group).unwrap();
        let sub = demo.group.sub_collection(quote.sub).unwrap();
        assert!(demo.group.is_lending_allowed && sub.accepts(quote.process), "seed {seed}: {quote:?}");
        assert_eq!(quote.principal.get() % STEP, 0, "seed {seed}: {quote:?}");
        assert!(
            quote.principal >= LIMITS.min_principal(&demo.group.collateral, quote.process),
            "seed {seed}: {quote:?}"
        );
        assert!(quote.principal <= PRINCIPAL_MAX, "seed {seed}: {quote:?}");
        let current = ltv(price, quote.principal, quote.quantity);
        assert!(current <= profile.cap_for(demo, sub) && current <= Ltv::CEILING, "seed {seed}: {current} {quote:?}");
        assert!(current >= LTV_MIN, "seed {seed}: {current} {quote:?}");
        assert!((1..=5).contains(&quote.count), "seed {seed}: {quote:?}");
        match (quote.process, quote.max_ltv) {
            (ProcessType::Manual, None) => {}
            (ProcessType::Instant, Some(cap)) => {
                assert!(
                    cap <= Ltv::CEILING && cap.basis_points() >= current.basis_points() + 400,
                    "seed {seed}: {quote:?}"
                );
                assert!(quote.principal <= profile.vault && quote.count == 1, "seed {seed}: {quote:?}");
            }
            _ => panic!("seed {seed}: {quote:?}"),
        }
        if demo.group.collateral == CollateralType::Inscription {
            assert_eq!(quote.quantity.raw, 1, "seed {seed}: {quote:?}");
        }
    }

    fn apply(&mut self, index: usize, group: GroupId, price: UnitPrice, now: UnixMs, action: &OfferAction) {
        match action {
            OfferAction::Quote(quote) => {
                self.check(index, price, quote);
                self.counts.quotes += 1;
                for _ in 0..quote.count {
                    self.place(index, now, quote);
                }
            }
            OfferAction::Edit { offer, quote } => {
                let old = self.own(index, *offer);
                assert!(!old.is_reserved && old.used == Sats::ZERO && old.principal != quote.principal);
                assert_eq!((old.sub, old.process, old.quantity), (quote.sub, quote.process, quote.quantity));
                self.check(index, price, quote);
                self.counts.edits += 1;
                self.remove(index, group, *offer);
                self.place(index, now, quote);
            }
            OfferAction::Cancel(offer) => {
                self.own(index, *offer);
                self.counts.cancels += 1;
                self.remove(index, group, *offer);
            }
            OfferAction::Pause(offer) => {
                assert!(!self.own(index, *offer).is_paused_by_hand);
                self.counts.pauses += 1;
                self.books.get_mut(&group).unwrap().offers.remove(offer);
                self.lenders[index]
                    .own
                    .iter_mut()
                    .filter(|own| own.id == *offer)
                    .for_each(|own| own.is_paused_by_hand = true);
            }
            OfferAction::Resume(offer) => {
                let own = self.own(index, *offer);
                assert!(own.is_paused_by_hand);
                self.counts.resumes += 1;
                self.lenders[index]
                    .own
                    .iter_mut()
                    .filter(|own| own.id == *offer)
                    .for_each(|own| own.is_paused_by_hand = false);
                self.add_to_book(&own);
            }
            OfferAction::AcceptTerm(offer, _) => unreachable!("no terms changed for {offer}"),
        }
        let own = self.lenders[index].own.len();
        assert!(own <= self.lenders[index].profile.offers_max + 2, "seed {}: {own} offers", self.seed);
    }

    fn own(&self, index: usize, offer: OfferId) -> OwnOffer {
        *self.lenders[index].own.iter().find(|own| own.id == offer).expect("an act on the lender's own offer")
    }

    fn remove(&mut self, index: usize, group: GroupId, offer: OfferId) {
        self.lenders[index].own.retain(|own| own.id != offer);
        self.books.get_mut(&group).unwrap().offers.remove(&offer);
    }

    fn place(&mut self, index: usize, now: UnixMs, quote: &Quote) {
        self.sequence += 1;
        let own = OwnOffer {
            id: OfferId::new(quote.group, self.sequence).unwrap(),
            group: quote.group,
            sub: quote.sub,
            process: quote.process,
            principal: quote.principal,
            used: Sats::ZERO,
            quantity: quote.quantity,
            is_pegged: quote.least.is_some(),
            is_paused_by_hand: false,
            new_terms: None,
            is_reserved: false,
            quoted_at: self.books[&quote.group].price,
            created_at: now,
        };
        self.lenders[index].own.push(own);
        self.add_to_book(&own);
    }

    fn add_to_book(&mut self, own: &OwnOffer) {
        let OwnOffer { id, sub, process, principal, quantity, .. } = *own;
        let public_offer = PublicOffer { offer: id, sub, process, principal, quantity, is_reserved: false };
        self.books.get_mut(&own.group).unwrap().offers.insert(id, public_offer);
    }

    /// Moves prices, and lets the lenders who are due decide.
    fn step(&mut self, now: UnixMs) {
        for tick in self.feed.next_ticks(now) {
            self.books.get_mut(&tick.group).unwrap().price = Some(tick.price);
        }
        let vacant = self.vacancies();
        for index in 0..self.lenders.len() {
            let lender = &mut self.lenders[index];
            if lender.next_visit_at > now {
                continue;
            }
            let rest = lender.profile.rest_ms(&self.market.pace, &mut lender.rng);
            lender.next_visit_at = now.plus_ms(rest);
            if let Some(group) = lender.profile.next_group(&lender.own, &vacant, &mut lender.rng) {
                self.visit(index, group, now, false);
            }
        }
    }

    fn vacancies(&self) -> Vec<Vacancy> {
        self.market.groups.iter().flat_map(|demo| vacancies(demo, &self.books[&demo.group.id])).collect()
    }

    /// Lets all lenders enter, then runs the market for `duration_ms`.
    fn run(&mut self, duration_ms: u64) {
        for index in 0..self.lenders.len() {
            let preferred_groups = self.lenders[index].profile.preferred_groups.clone();
            for _ in 0..2 {
                for (group, _) in &preferred_groups {
                    self.visit(index, *group, NOW, true);
                }
            }
        }
        let opened = self.counts.quotes;
        let mut now = NOW;
        while now < NOW.plus_ms(duration_ms) {
            now = now.plus_ms(250);
            self.step(now);
        }
        self.counts.quotes -= opened;
        for book in self.books.values() {
            let price = book.price.unwrap();
            self.counts.ltvs.extend(book.offers.values().map(|o| ltv(price, o.principal, o.quantity).basis_points()));
        }
        self.counts.ltvs.sort_unstable();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn lenders_make_a_market(seed: u64) {
        const MINUTES: u32 = 10;
        let mut simulation = Simulation::new(seed);
        simulation.run(u64::from(MINUTES) * 60_000);
        let counts = &simulation.counts;
        let actions = counts.quotes + counts.edits + counts.cancels + counts.pauses + counts.resumes;
        let per_second = f64::from(actions) / f64::from(MINUTES * 60);
        prop_assert!((4.0..15.0).contains(&per_second), "seed {}: {} actions a second", seed, per_second);
        for (name, count) in [("quotes", counts.quotes), ("edits", counts.edits), ("cancels", counts.cancels), ("pauses", counts.pauses), ("resumes", counts.resumes)] {
            prop_assert!(count > 20, "seed {}: {} {}", seed, count, name);
        }
        prop_assert!(counts.ltvs.len() > 200, "seed {}: {} offers", seed, counts.ltvs.len());
        let inside = counts.ltvs.iter().filter(|ltv| (3_000..=8_000).contains(*ltv)).count();
        prop_assert!(inside * 20 >= counts.ltvs.len() * 19, "seed {}: {:?}", seed, counts.ltvs);
        let quoted: BTreeSet<GroupId> = simulation.books.iter().filter(|(_, book)| !book.offers.is_empty()).map(|(id, _)| *id).collect();
        prop_assert!(quoted.len() >= 30, "seed {}: {} books are quoted", seed, quoted.len());
    }
}
