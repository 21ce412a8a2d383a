//! A rule that duplicates an existing offer, placed just before it, gets exactly the fills of that offer.

use std::collections::BTreeMap;
use std::sync::Arc;

use backtest::{Principal, Tape, TapeBounds, run, run_on_acceptances};
use domain::{
    BookEvent, CancelReason, GroupId, Limits, LoanEnd, OfferId, OrderBook, ProcessType, Sats, SubCollectionId, UnixMs,
};
use proptest::prelude::*;

use super::record::{BookOf, Record, confirm, day, end, group, half_of_floor, price, release};

#[derive(Clone, Debug)]
enum Act {
    Create {
        sub: u16,
        principal: u64,
    },
    Cancel(prop::sample::Index),
    /// A borrower takes the best offer of a sub-collection; it becomes a loan or not.
    Accept {
        sub: u16,
        is_signed: bool,
    },
    End {
        is_repaid: bool,
    },
    Price(u64),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        // Few different principals, so that equal quotes are common.
        4 => (0_u16..2, 3_u64..7).prop_map(|(sub, hundreds)| Act::Create { sub, principal: hundreds * 100_000 }),
        1 => any::<prop::sample::Index>().prop_map(Act::Cancel),
        4 => (0_u16..2, any::<bool>()).prop_map(|(sub, is_signed)| Act::Accept { sub, is_signed }),
        1 => any::<bool>().prop_map(|is_repaid| Act::End { is_repaid }),
        1 => (500_000_u64..2_000_000).prop_map(Act::Price),
    ]
}

/// The life of an offer in a record.
#[derive(Clone, Debug)]
struct Life {
    sub: u16,
    principal: u64,
    created: UnixMs,
    gone: Option<UnixMs>,
    is_lent: bool,
}

struct Market {
    record: Record,
    book: OrderBook,
    lives: BTreeMap<OfferId, Life>,
    now: UnixMs,
    signing: Option<(u128, OfferId, UnixMs, bool)>,
    running: Vec<u128>,
    serial: u128,
}

impl Market {
    fn new() -> Self {
        let group = group(1, "paper-frogs");
        let book = OrderBook::new(Arc::new(group.clone()), Arc::new(Limits::default()));
        let record = Record { groups: vec![group], ..Record::default() };
        let mut market =
            Self { record, book, lives: BTreeMap::new(), now: day(0), signing: None, running: Vec::new(), serial: 0 };
        market.push(price(1_000_000, day(0)));
        market
    }

    fn push(&mut self, event: BookEvent) {
        self.now = self.now.plus_ms(1_000);
        self.book.apply(&event, self.now, &mut Vec::new());
        self.record.events.push((GroupId(1), self.now, event));
    }

    /// Ends the signing that is open, so that at most one is.
    fn settle(&mut self) {
        let Some((number, offer, accepted, is_signed)) = self.signing.take() else { return };
        if is_signed {
            self.push(confirm(number));
            self.running.push(number);
            let life = self.lives.get_mut(&offer).unwrap();
            (life.gone, life.is_lent) = (Some(accepted), true);
        } else {
            self.push(release(number));
        }
    }

    fn act(&mut self, act: &Act, is_settled: bool) {
        if is_settled {
            self.settle();
        }
        let book = BookOf(1);
        match act {
            Act::Create { sub, principal } => {
                let number = u64::try_from(self.lives.len()).unwrap() + 1;
                self.push(book.offer(number, 1, *sub, *principal));
                let life = Life { sub: *sub, principal: *principal, created: self.now, gone: None, is_lent: false };
                self.lives.insert(book.offer_id(number), life);
            }
            Act::Cancel(index) => {
                let signing = self.signing.map(|(_, offer, _, _)| offer);
                let open: Vec<OfferId> = self
                    .lives
                    .iter()
                    .filter(|(id, life)| life.gone.is_none() && Some(**id) != signing)
                    .map(|(id, _)| *id)
                    .collect();
                if !open.is_empty() {
                    let offer = *index.get(&open);
                    self.push(BookEvent::OfferCancelled { offer, reason: CancelReason::ByLender });
                    self.lives.get_mut(&offer).unwrap().gone = Some(self.now);
                }
            }
            Act::Accept { sub, is_signed } => {
                self.settle();
                let best =
                    self.book.best(SubCollectionId(*sub), ProcessType::Manual).map(|best| (best.id, best.principal));
                if let Some((offer, principal)) = best {
                    self.serial += 1;
                    self.push(book.reserve(self.serial, offer.sequence(), principal.get()));
                    self.signing = Some((self.serial, offer, self.now, *is_signed));
                }
            }
            Act::End { is_repaid } => {
                if let Some(loan) = self.running.pop() {
                    self.push(end(loan, if *is_repaid { LoanEnd::Repaid } else { LoanEnd::Claimed }));
                }
            }
            Act::Price(sats) => self.push(price(*sats, self.now)),
        }
    }
}

proptest! {
    #[test]
    fn a_duplicate_gets_exactly_the_fills_of_its_original(acts in prop::collection::vec((act(), any::<bool>()), 1..80)) {
        let mut market = Market::new();
        for (act, is_settled) in &acts {
            market.act(act, *is_settled);
        }
        market.settle();
        for (offer, life) in &market.lives {
            let mut rule = half_of_floor(life.principal);
            rule.principal = Principal::Fixed(Sats::new(life.principal));
            rule.term = Some(market.record.groups[0].sub_collections[usize::from(life.sub)].term);
            (rule.from, rule.until) = (Some(life.created), life.gone);
            let total = run(&rule, &market.record).unwrap().total;
            prop_assert_eq!(total.loans, u64::from(life.is_lent), "{} {:?}", offer, life);
            prop_assert_eq!(total.lent_sats, if life.is_lent { life.principal } else { 0 });
        }
    }

    /// Running loans and the principal of defaults are within the budget.
    #[test]
    fn what_is_lent_is_never_above_the_budget(acts in prop::collection::vec((act(), any::<bool>()), 1..80), budget in 0_u64..3_000_000) {
        let mut market = Market::new();
        for (act, is_settled) in &acts {
            market.act(act, *is_settled);
        }
        let report = run(&half_of_floor(budget), &market.record).unwrap();
        let days = u128::from(report.until.0 - report.from.0);
        prop_assert!(report.total.running.principal_sats + report.total.defaults.principal_sats <= budget);
        prop_assert!(days == 0 || report.total.lent_sats == 0 || budget > 0);
    }
}

proptest! {
    /// A book that keeps its tape as it goes gives the same report as one that is read from the record.
    #[test]
    fn a_tape_gives_the_report_of_the_record(acts in prop::collection::vec((act(), any::<bool>()), 1..80), budget in 0_u64..3_000_000) {
        let mut market = Market::new();
        for (act, is_settled) in &acts {
            market.act(act, *is_settled);
        }
        let (tape, group) = (tape_of(&market.record, None), &market.record.groups[0]);
        let rule = half_of_floor(budget);
        let of_record = run(&rule, &market.record).unwrap();
        let began = tape.began().unwrap();
        let of_tape = run_on_acceptances(&rule, group, tape.acceptances(), &BTreeMap::new(), began, of_record.until);
        prop_assert_eq!(of_tape, of_record);
    }

    #[test]
    fn a_bounded_tape_keeps_the_latest(acts in prop::collection::vec((act(), any::<bool>()), 1..80), most in 1_usize..10, days in 0_u64..40) {
        let mut market = Market::new();
        for (act, is_settled) in &acts {
            market.act(act, *is_settled);
        }
        let all = tape_of(&market.record, None);
        let kept = tape_of(&market.record, Some(TapeBounds { days, acceptances: most }));
        let dropped = all.acceptances().len() - kept.acceptances().len();
        prop_assert!(kept.acceptances().len() <= most);
        prop_assert!(all.acceptances().iter().skip(dropped).eq(kept.acceptances()));
    }
}

fn tape_of(record: &Record, bounds: Option<TapeBounds>) -> Tape {
    let group = &record.groups[0];
    let mut tape = Tape::new(group, bounds);
    let mut book = OrderBook::new(Arc::new(group.clone()), Arc::new(Limits::default()));
    for (_, at, event) in &record.events {
        tape.record(&book, event, *at);
        book.apply(event, *at, &mut Vec::new());
    }
    tape
}
