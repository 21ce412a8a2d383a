//! Random commands: mostly valid, sometimes absurd, with times that only increase.

use std::sync::Arc;

use domain::{
    Allowance, Bundle, CollateralType, CollectionGroup, Command, GroupId, Inscription, InterestRate, LinkKey, LoanEnd,
    LoanId, LoanTerms, Ltv, NamedBorrower, NegotiationId, NegotiationState, NegotiationSubject, NumberRange,
    OfferConditions, OfferDraft, OfferId, ProcessType, ProposedTerms, Quantity, RequestId, RequestTerms, ReservationId,
    Role, Sats, SubCollection, SubCollectionId, Taker, TermChange, TermChangeId, TermDays, UnitPrice, UnixMs, UserId,
};
use rand::{RngExt, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use super::naive_book::{NaiveBook, NaiveNegotiation};

/// A group of each kind: inscriptions by term, a rune with bundles and open terms, BRC-20 bundles.
pub(crate) fn groups() -> [CollectionGroup; 3] {
    let fixed = |raw, decimals| Bundle::Fixed(Quantity::tokens(raw, decimals));
    let rune = CollateralType::Rune { rune_id: "840000:1".into(), rune_name: "A•RUNE".into(), decimals: 2 };
    let brc20 = CollateralType::Brc20 { ticker: "abcd".into(), decimals: 18 };
    [
        group(1, CollateralType::Inscription, &[(fixed(1, 0), true, true), (fixed(1, 0), true, true)]),
        group(2, rune, &[(fixed(5_000_000, 2), true, false), (Bundle::Open, false, true), (Bundle::Open, false, true)]),
        group(3, brc20, &[(fixed(1_000_000_000_000_000_000_000, 18), true, false)]),
    ]
}

fn group(id: u32, collateral: CollateralType, subs: &[(Bundle, bool, bool)]) -> CollectionGroup {
    let sub_collections = subs.iter().enumerate().map(|(index, (bundle, manual, instant))| SubCollection {
        id: SubCollectionId(u16::try_from(index).unwrap()),
        slug: format!("group-{id}-{index}").parse().unwrap(),
        term: TermDays(30),
        interest: InterestRate::from_basis_points(250),
        bundle: *bundle,
        manual: *manual,
        instant: *instant,
    });
    CollectionGroup {
        id: GroupId(id),
        slug: format!("group-{id}").parse().unwrap(),
        name: format!("Group {id}").into(),
        symbol: format!("G{id}").into(),
        image: "".into(),
        external_link: None,
        collateral,
        points_multiplier: 0,
        is_lending_allowed: true,
        sub_collections: sub_collections.collect(),
    }
}

/// A price at which drafts of a group can trigger every rule.
fn price(group: &CollectionGroup, rng: &mut ChaCha8Rng) -> UnitPrice {
    let around: u64 = match group.collateral {
        CollateralType::Inscription => 1_000_000 * 100_000_000, // 0.01 BTC
        CollateralType::Rune { .. } => 20 * 100_000_000,
        CollateralType::Brc20 { .. } => 1_000 * 100_000_000,
    };
    match rng.random_range(0..100) {
        0 => UnitPrice::from_scaled(rng.random()),
        1 => UnitPrice::from_scaled(0),
        _ => UnitPrice::from_scaled(around / 100 * rng.random_range(60..160) + rng.random_range(0..1_000)),
    }
}

/// A time until which an offer may be good: mostly none, seldom out of range.
fn good_until(now: UnixMs, rng: &mut ChaCha8Rng) -> Option<UnixMs> {
    match rng.random_range(0..50) {
        0 => Some(UnixMs(rng.random())),
        1 => Some(now.plus_ms(rng.random_range(0..600_000))),
        2..15 => Some(now.plus_ms(rng.random_range(600_000..700_000))),
        _ => None,
    }
}

fn draft(book: &NaiveBook, now: UnixMs, rng: &mut ChaCha8Rng) -> OfferDraft {
    let group = &book.group;
    let beyond = u16::from(rng.random_bool(0.01));
    let subs = u16::try_from(group.sub_collections.len()).unwrap();
    let sub = SubCollectionId(rng.random_range(0..subs + beyond));
    let listed = group.sub_collection(sub);
    let wrong = rng.random_bool(0.02);
    let instant = listed
        .is_some_and(|listed| if listed.manual && listed.instant { rng.random() } else { listed.instant })
        ^ wrong;
    let open = listed.is_some_and(|listed| listed.bundle == Bundle::Open) ^ rng.random_bool(0.02);
    let decimals = group.collateral.decimals() + u8::from(rng.random_bool(0.01));
    let principal = match rng.random_range(0..50) {
        0 => rng.random(),
        1 => rng.random_range(0..60_000),
        // Coarse steps yield equal quotes, which are then ranked by age.
        _ => 20_000 * rng.random_range(2..55),
    };
    // Pegs are for bundles that are taken as a whole.
    let is_pegged = (!open && rng.random_bool(0.3)) ^ rng.random_bool(0.01);
    let least = if rng.random_bool(0.05) {
        rng.random_range(0..2_000_000)
    } else {
        principal / 100 * rng.random_range(20..101)
    };
    OfferDraft {
        cancels_on_disconnect: !instant && rng.random_bool(0.3),
        sub_collection: sub,
        process: if instant { ProcessType::Instant } else { ProcessType::Manual },
        principal: Sats::new(principal),
        quantity: open.then(|| Quantity::tokens(u128::from(rng.random_range(0_u32..80)) * 100_000, decimals)),
        max_ltv: ((instant || is_pegged) ^ rng.random_bool(0.02))
            .then(|| Ltv::from_basis_points(rng.random_range(0..100) * 100)),
        principal_min: is_pegged.then_some(Sats::new(least)),
        accepts_next_term: rng.random(),
        good_until: good_until(now, rng),
        conditions: rng.random_bool(0.2).then(|| Arc::new(conditions(rng))),
    }
}

/// One of few inscriptions.
fn inscription(rng: &mut ChaCha8Rng) -> Inscription {
    Inscription { txid: [1; 32], index: rng.random_range(0..4) }
}

/// Conditions that takers often fail, seldom out of range; sometimes none at all.
fn conditions(rng: &mut ChaCha8Rng) -> OfferConditions {
    let mut sometimes = |max: u16| if rng.random_bool(0.3) { rng.random_range(0..max) } else { 0 };
    let (repaid_min, default_free_days) = (sometimes(4), sometimes(3));
    let chosen = if rng.random_bool(0.3) { rng.random_range(0..3) } else { 0 };
    let mut asked = OfferConditions {
        borrower: rng.random_bool(0.4).then(|| {
            let user = user(rng);
            NamedBorrower { user, payment_address: format!("payment-{user}") }
        }),
        link_key: rng.random_bool(0.2).then(|| LinkKey(rng.random())),
        repaid_min,
        default_free_days,
        inscriptions: (0..chosen).map(|_| inscription(rng)).collect(),
        numbers: Vec::new(),
    };
    if rng.random_bool(0.1) {
        let range = |rng: &mut ChaCha8Rng| NumberRange { first: rng.random_range(0..9), last: rng.random_range(6..99) };
        asked.numbers = (0..rng.random_range(1..4)).map(|_| range(rng)).collect();
    }
    if rng.random_bool(0.9) && asked.borrower.is_some() {
        asked.link_key = None;
    }
    asked.inscriptions.sort_unstable();
    match rng.random_range(0..100) {
        0 => asked.repaid_min = rng.random(),
        1 => asked.default_free_days = rng.random(),
        2 => asked.inscriptions = vec![inscription(rng); 501],
        3 => asked.numbers = vec![NumberRange { first: 1, last: 1 }; 21],
        _ => {}
    }
    asked
}

fn taker(now: UnixMs, rng: &mut ChaCha8Rng) -> Taker {
    Taker {
        user: user(rng),
        repaid: rng.random_range(0..4),
        last_claimed_at: rng.random_bool(0.3).then(|| UnixMs(now.0.saturating_sub(rng.random_range(0..400_000_000)))),
        inscriptions: if rng.random_bool(0.8) { pledged(rng) } else { Vec::new() },
    }
}

/// Inscriptions to pledge together, mostly one.
fn pledged(rng: &mut ChaCha8Rng) -> Vec<Inscription> {
    let count = if rng.random_bool(0.7) { 1 } else { rng.random_range(2..4) };
    let mut inscriptions: Vec<Inscription> = (0..count).map(|_| inscription(rng)).collect();
    if rng.random_bool(0.98) {
        inscriptions.sort_unstable();
        inscriptions.dedup();
    }
    inscriptions
}

/// A request that mostly fits a term of the group.
fn request(book: &NaiveBook, now: UnixMs, rng: &mut ChaCha8Rng) -> RequestTerms {
    let group = &book.group;
    let sub = group.sub_collections.choose(rng).unwrap();
    let (mut quantity, is_inscription) = match sub.bundle {
        Bundle::Fixed(bundle) => (bundle, group.collateral == CollateralType::Inscription),
        Bundle::Open => {
            (Quantity::tokens(u128::from(rng.random_range(1_u32..80)) * 100_000, group.collateral.decimals()), false)
        }
    };
    let inscriptions = if is_inscription ^ rng.random_bool(0.02) { pledged(rng) } else { Vec::new() };
    if is_inscription {
        quantity.raw = u128::try_from(inscriptions.len()).unwrap();
    }
    if rng.random_bool(0.03) {
        quantity.raw = u128::from(rng.random_range(0_u32..10));
    }
    let user = user(rng);
    let term = sub.term.0;
    RequestTerms {
        borrower: NamedBorrower { user, payment_address: format!("payment-{user}") },
        inscriptions,
        quantity,
        principal: Sats::new(if rng.random_bool(0.03) { rng.random() } else { 20_000 * rng.random_range(1..55) }),
        interest_max: InterestRate::from_basis_points(
            (sub.interest.basis_points() + rng.random_range(0..3) * 50).saturating_sub(10),
        ),
        term_min: TermDays(term.saturating_sub(rng.random_range(0..9))),
        term_max: TermDays(term.saturating_add(rng.random_range(0..9))),
        good_until: good_until(now, rng).unwrap_or(now.plus_ms(650_000)),
    }
}

/// A draft that mostly fits a request.
fn filling(book: &NaiveBook, request: RequestId, now: UnixMs, rng: &mut ChaCha8Rng) -> OfferDraft {
    let mut draft = draft(book, now, rng);
    let Some(asked) = book.find_request(request).map(|request| &request.terms) else { return draft };
    if rng.random_bool(0.95) {
        draft.principal = asked.principal;
    }
    if draft.quantity.is_some() && rng.random_bool(0.95) {
        draft.quantity = Some(asked.quantity);
    }
    if draft.process == ProcessType::Instant && rng.random_bool(0.8) {
        draft.max_ltv = Some(Ltv::from_basis_points(9_800));
    }
    draft
}

/// Terms that are mostly within the limits.
fn proposed_terms(rng: &mut ChaCha8Rng) -> ProposedTerms {
    let principal = if rng.random_bool(0.03) { rng.random() } else { 20_000 * rng.random_range(2..40) };
    let interest = if rng.random_bool(0.03) { rng.random_range(0..20_000) } else { rng.random_range(1..900) };
    let days = if rng.random_bool(0.03) { rng.random_range(0..1_000) } else { rng.random_range(1..90) };
    let loan = LoanTerms { interest: InterestRate::from_basis_points(interest), days: TermDays(days) };
    ProposedTerms { principal: Sats::new(principal), loan }
}

/// A command about one of the negotiations, or one that opens another.
fn negotiating(book: &NaiveBook, offer: OfferId, request: RequestId, now: UnixMs, rng: &mut ChaCha8Rng) -> Command {
    // One is answered more often than the others, so that it becomes long.
    let favoured = book.negotiations.iter().find(|known| known.state == NegotiationState::Open);
    let some = favoured.filter(|_| rng.random()).or(book.negotiations.choose(rng));
    let negotiation = some.map_or(NegotiationId(rng.random()), |known| known.id);
    let latest = some.and_then(|known| known.proposals.last()).map(|latest| latest.by);
    let next = some.zip(latest).map_or(UserId(1), |(known, by)| match by {
        Role::Borrower => known.loan.lender,
        Role::Lender => known.loan.borrower.user,
    });
    let user = if rng.random_bool(0.9) { next } else { user(rng) };
    let round = some.map_or(1, |known| known.proposals.len()) + usize::from(rng.random_bool(0.03));
    let mut terms = proposed_terms(rng);
    let extended = some.and_then(|known| book.loans.iter().find(|loan| is_about(known, loan.id)));
    if let Some(extended) = extended.filter(|_| rng.random_bool(0.9)) {
        terms.principal = Sats::new(extended.principal);
    }
    let good_until = good_until(now, rng).unwrap_or(now.plus_ms(650_000));
    match rng.random_range(0..40) {
        0..12 => {
            let taker = taker(now, rng);
            let is_inscription = book.group.collateral == CollateralType::Inscription;
            let found = book.find(offer).and_then(|offer| book.group.sub_collection(offer.sub));
            let is_open = found.is_some_and(|sub| sub.bundle == Bundle::Open) ^ rng.random_bool(0.02);
            let decimals = book.group.collateral.decimals();
            Command::NegotiateOffer {
                borrower: NamedBorrower { user: taker.user, payment_address: format!("payment-{}", taker.user) },
                taker: Taker { inscriptions: if is_inscription { pledged(rng) } else { Vec::new() }, ..taker },
                offer,
                quantity: is_open
                    .then(|| Quantity::tokens(u128::from(rng.random_range(0_u32..80)) * 100_000, decimals)),
                terms,
                good_until,
            }
        }
        12..16 => Command::NegotiateRequest { lender: self::user(rng), request, terms, good_until },
        16..18 => negotiate_loan(book, terms, good_until, rng),
        18..36 => Command::Propose { user, negotiation, round, terms, good_until },
        36..38 => {
            let lender = some.map_or(UserId(1), |known| known.loan.lender);
            let known = book.allowances.get(&lender).copied().unwrap_or_default();
            let allowance = if rng.random_bool(0.9) { known } else { allowance(rng) };
            Command::AcceptProposal { user, negotiation, round, allowance }
        }
        38 if rng.random() => {
            Command::EndNegotiation { user: if rng.random() { user } else { self::user(rng) }, negotiation, round }
        }
        _ => Command::ExpireNegotiations,
    }
}

fn is_about(negotiation: &NaiveNegotiation, loan: LoanId) -> bool {
    negotiation.loan.subject == NegotiationSubject::Loan(loan)
}

/// A command that opens a negotiation about one of the running loans.
fn negotiate_loan(book: &NaiveBook, terms: ProposedTerms, good_until: UnixMs, rng: &mut ChaCha8Rng) -> Command {
    let some = book.loans.choose(rng);
    let (lender, borrower) = some.map_or((UserId(1), UserId(2)), |loan| (loan.lender, loan.borrower));
    let own = if rng.random() { lender } else { borrower };
    let borrower = if rng.random_bool(0.03) { user(rng) } else { borrower };
    let principal = some.filter(|_| rng.random_bool(0.95)).map_or(terms.principal, |loan| Sats::new(loan.principal));
    let count = some.filter(|_| rng.random_bool(0.95)).map_or(1, |loan| loan.pledged_raw);
    let is_inscription = book.group.collateral == CollateralType::Inscription;
    let count = if is_inscription { u8::try_from(count).unwrap_or(1) } else { u8::from(rng.random_bool(0.03)) };
    Command::NegotiateLoan {
        user: if rng.random_bool(0.03) { user(rng) } else { own },
        loan: some.map_or(LoanId(rng.random()), |loan| loan.id),
        borrower: NamedBorrower { user: borrower, payment_address: format!("payment-{borrower}") },
        inscriptions: (0..count).map(|index| Inscription { txid: [index; 32], index: 0 }).collect(),
        terms: ProposedTerms { principal, ..terms },
        good_until,
    }
}

fn usable(book: &NaiveBook, lender: UserId, rng: &mut ChaCha8Rng) -> Option<Sats> {
    match rng.random_range(0..20) {
        0 => None,
        1..5 => Some(Sats::new(rng.random_range(0..3_000_000))),
        _ => Some(Sats::new(book.usable.get(&lender).copied().unwrap_or(1_000_000))),
    }
}

fn allowance(rng: &mut ChaCha8Rng) -> Allowance {
    let available = rng.random_bool(0.8).then(|| Sats::new(rng.random_range(0..1_500_000)));
    Allowance { available, is_absent: rng.random_bool(0.1) }
}

fn user(rng: &mut ChaCha8Rng) -> UserId {
    UserId(rng.random_range(1..8))
}

/// The next command for the book; `now` advances to its time.
pub(crate) fn random_command(book: &NaiveBook, now: &mut UnixMs, size: usize, rng: &mut ChaCha8Rng) -> Command {
    // Now and then so much time passes that offers expire.
    *now = now.plus_ms(if rng.random_bool(0.002) { 300_000 } else { rng.random_range(0..50) });
    let some = |rng: &mut ChaCha8Rng| book.offers.choose(rng).map_or(OfferId(rng.random()), |offer| offer.id);
    let offer = if rng.random_bool(0.01) { OfferId(rng.random()) } else { some(rng) };
    let owner = book.find(offer).map_or(UserId(1), |offer| offer.lender);
    let lender = if rng.random_bool(0.02) { user(rng) } else { owner };
    let reservation = match book.reservations.choose(rng) {
        Some(held) if rng.random_bool(0.9) => held.id,
        _ => ReservationId(rng.random_range(0..200)),
    };
    let sub_collection = SubCollectionId(rng.random_range(0..3));
    let change = TermChangeId(rng.random_range(0..6));
    let crowded = book.offers.len() > size;
    let request = match book.requests.choose(rng) {
        Some(request) if rng.random_bool(0.95) => request.id,
        _ => RequestId(rng.random()),
    };
    if rng.random_bool(0.1) {
        return negotiating(book, offer, request, *now, rng);
    }
    if rng.random_bool(0.12) {
        let borrower = book.find_request(request).map_or(UserId(1), |request| request.terms.borrower.user);
        let borrower = if rng.random_bool(0.1) { user(rng) } else { borrower };
        let lender = user(rng);
        return match rng.random_range(0..20) {
            0..9 => {
                let terms = self::request(book, *now, rng);
                let held_raw = (terms.inscriptions.is_empty() && rng.random_bool(0.5))
                    .then(|| terms.quantity.raw.saturating_mul(rng.random_range(0..6)));
                Command::PlaceRequest { terms: Arc::new(terms), held_raw }
            }
            9 => Command::WithdrawRequest { borrower, request },
            10 => Command::CloseRequest { request },
            11 if rng.random_bool(0.3) => Command::ExpireRequests,
            _ => {
                let draft = filling(book, request, *now, rng);
                let known = book.allowances.get(&lender).copied().unwrap_or_default();
                let allowance = if rng.random_bool(0.9) { known } else { allowance(rng) };
                Command::FillRequest { lender, request, draft, usable: usable(book, lender, rng), allowance }
            }
        };
    }
    match rng.random_range(0..100) {
        0..30 if !crowded => {
            let (lender, count) = (user(rng), rng.random_range(0..20));
            let count = if count < 18 { 1 } else { rng.random_range(0..7) };
            Command::Create { lender, draft: draft(book, *now, rng), count, usable: usable(book, lender, rng) }
        }
        0..38 => Command::Cancel { lender, offer },
        38..46 => {
            let mut draft = draft(book, *now, rng);
            if rng.random_bool(0.3) {
                draft.good_until = book.find(offer).and_then(|offer| offer.good_until);
            }
            Command::Edit { lender, offer, draft, usable: usable(book, lender, rng) }
        }
        46..50 => Command::Pause { lender, offer },
        50..55 => Command::Resume { lender, offer },
        55..65 => Command::SetPrice { price: price(&book.group, rng), observed_at: *now },
        65..68 => Command::SetVaultBalance { lender: user(rng), usable: Sats::new(rng.random_range(0..3_000_000)) },
        68..70 => Command::SetAllowance { lender: user(rng), allowance: allowance(rng) },
        70 => Command::EndConnection { offers: (0..rng.random_range(0..12)).map(|_| some(rng)).collect() },
        71..73 => {
            let mut few = || -> Vec<OfferId> { (0..rng.random_range(0..4)).map(|_| some(rng)).collect() };
            Command::SetFunding { unfunded: few(), funded: few() }
        }
        73..83 => {
            let pledged_raw = match rng.random_range(0..4) {
                0 => Some(rng.random_range(0..8_000_000)),
                1 => book.find(offer).map(|offer| offer.quantity.raw / rng.random_range(1..6)),
                _ => None,
            };
            let expires_at = now.plus_ms(rng.random_range(0..3_000));
            Command::Reserve {
                reservation: ReservationId(rng.random_range(0..200)),
                offer,
                taker: taker(*now, rng),
                pledged_raw,
                expires_at,
            }
        }
        83 => Command::ExtendReservation { reservation, expires_at: now.plus_ms(rng.random_range(0..5_000)) },
        84..88 => Command::Confirm { reservation, loan: LoanId(rng.random_range(0..60)) },
        88..90 => Command::Release { reservation },
        90 => Command::ExpireReservations,
        91 if rng.random_bool(0.3) => Command::ExpireOffers,
        91 => Command::SetGoodUntil { lender, offer, good_until: good_until(*now, rng) },
        92 => {
            let mut loan = || LoanId(rng.random_range(0..60));
            Command::ReplaceLoan { loan: loan(), successor: loan() }
        }
        93..94 => Command::EndLoan { loan: LoanId(rng.random_range(0..60)), end: LoanEnd::Repaid },
        94..96 => {
            let (interest, term) =
                (InterestRate::from_basis_points(rng.random_range(1..900)), TermDays(rng.random_range(1..99)));
            let change_at = UnixMs((now.0 + rng.random_range(0..5_000)).saturating_sub(100));
            Command::ScheduleTermChange { sub_collection, change: TermChange { id: change, interest, term, change_at } }
        }
        96..97 => Command::ActivateTermChanges,
        _ => Command::AcceptTerm { lender, offer, change },
    }
}
