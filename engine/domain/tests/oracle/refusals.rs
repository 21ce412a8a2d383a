//! The refusals that random commands reach: a refusal that none of them reaches is compared with nothing.

use std::collections::BTreeSet;

use domain::{Limits, NegotiationState, UnixMs};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::naive_book::{NaiveBook, NaiveNegotiation};
use super::random_command::{groups, random_command};

/// The refusals of a book, except those that need 2^40 offers and the like.
const REFUSALS: &[&str] = &[
    "Conditions TooManyNumberRanges",
    "TokensRequested",
    "Conditions EmptyNumberRange",
    "UnknownSubCollection",
    "ProcessNotTaken",
    "NoPrice",
    "BelowMinOffer",
    "AboveMaxOffer",
    "WrongQuantity",
    "AboveCeiling",
    "NoMaxLtv",
    "ManualMaxLtv",
    "MaxLtvBelowCurrent",
    "MaxLtvAboveCeiling",
    "NoVault",
    "InsufficientVault",
    "CountOutOfRange",
    "TooManyOffers",
    "UnknownOffer",
    "NotOwner",
    "UnderOffer",
    "AlreadyPaused",
    "NotPausedByLender",
    "EditChangesProcess",
    "PriceOutOfRange",
    "OwnOffer",
    "OfferPaused",
    "OfferExpired",
    "OfferForOtherBorrower",
    "TooFewRepaidLoans",
    "DefaultTooRecent",
    "InscriptionNotChosen",
    "Conditions ForOwnLender",
    "Conditions BorrowerWithLink",
    "Conditions TooManyInscriptions",
    "Conditions TokensAreNotChosen",
    "Conditions AboveMax",
    "GoodUntilOutOfRange",
    "OfferUsed",
    "GoodUntilSigned",
    "NoTermOfRequest",
    "TooManyRequests",
    "AlreadyRequested",
    "UnknownRequest",
    "NotYourRequest",
    "RequestFilled",
    "RequestExpired",
    "OwnRequest",
    "PrincipalOfRequest",
    "InterestAboveRequest",
    "TermOutsideRequest",
    "QuantityOfRequest",
    "OverLendingLimits",
    "Peg Fill",
    "Peg OpenBundle",
    "Peg AboveMax",
    "Negotiation Unknown",
    "Negotiation Over",
    "Negotiation Replaced",
    "Negotiation NotYourTurn",
    "Negotiation TooManyRounds",
    "Negotiation AlreadyOpen",
    "Negotiation LenderLimited",
    "Negotiation PrincipalChanged",
    "Negotiation Agreed",
    "Negotiation InterestOutOfRange",
    "Negotiation TermOutOfRange",
    "Negotiation TooMany",
    "PartOutOfRange",
    "ExpiresInThePast",
    "DuplicateReservation",
    "UnknownReservation",
    "ReservationExpired",
    "DuplicateLoan",
    "UnknownLoan",
    "ChangeInThePast",
    "ChangePending",
    "UnknownChange",
    "ManualTerms",
];

fn agreed_extension(negotiation: &NaiveNegotiation) -> Option<String> {
    (negotiation.state == NegotiationState::ExtensionAgreed).then(|| "ExtensionAgreed".to_owned())
}

#[test]
fn random_commands_reach_every_refusal() {
    let mut seen = BTreeSet::new();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for group in groups() {
        let limits = Limits { offers_per_lender_max: 10, ..Limits::default() };
        let mut naive = NaiveBook::new(group, limits);
        let mut now = UnixMs(1);
        for _ in 0..60_000 {
            let command = random_command(&naive, &mut now, 50, &mut rng);
            seen.extend(naive.negotiations.iter().find_map(agreed_extension));
            if let Err(rejection) = naive.execute(&command, now) {
                let text = format!("{rejection:?}");
                let mut words = text.split([' ', '(', ')']);
                let name = words.next().unwrap_or_default();
                let about = if ["Negotiation", "Peg", "Conditions"].contains(&name) { words.next() } else { None };
                seen.insert(about.map_or_else(|| name.to_owned(), |about| format!("{name} {about}")));
            }
        }
    }
    println!("{seen:?}");
    for expected in REFUSALS.iter().chain(&["ExtensionAgreed"]) {
        assert!(seen.contains(*expected), "no random command was refused as {expected}");
    }
}
