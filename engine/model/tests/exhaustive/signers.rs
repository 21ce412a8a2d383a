//! The rules of t of n: what they bear, and that one liar more, or one signer fewer, is found.

use model::signers::answers::Loan;
use model::signers::rules::Rules;
use model::signers::signer::SignerRules;
use model::signers::{Signers, property};

use crate::{holds, violates};

/// Sizes with more than half.
const SIZES: [(usize, usize); 8] = [(1, 1), (2, 2), (2, 3), (3, 3), (3, 4), (3, 5), (4, 5), (5, 7)];

fn atomic(rules: Rules) -> Signers {
    Signers { rules, signer: SignerRules::ATOMIC, loans: Loan::TWO.to_vec(), ages: false, is_strict: false }
}

fn named(rules: &Rules) -> String {
    let Rules { signers, required, liars, acknowledging } = rules;
    format!("{required} of {signers}, {liars} liars, {acknowledging} acknowledge")
}

#[test]
fn two_of_three_that_crash_and_whose_messages_age_keep_every_rule() {
    let rules = Rules::of(2, 3, 0);
    let signer = SignerRules::REAL;
    let crashing = Signers { rules, signer, loans: Loan::TWO.to_vec(), ages: false, is_strict: false };
    holds("signers: 2 of 3 that crash", crashing);
    let aging = Signers { rules, signer: SignerRules::ATOMIC, loans: Loan::ALL.to_vec(), ages: true, is_strict: false };
    holds("signers: 2 of 3 whose messages age, with conflicting loans", aging);
}

#[test]
fn any_majority_keeps_every_rule_without_liars() {
    for (required, signers) in SIZES {
        let rules = Rules::of(required, signers, 0);
        holds(&format!("signers: {}", named(&rules)), atomic(rules));
    }
}

#[test]
fn an_offer_bears_two_t_minus_n_minus_one_liars_and_not_one_more() {
    for (required, signers) in SIZES.into_iter().filter(|(required, _)| *required > 1) {
        let liars = Rules::liars_for_offers(required, signers);
        let borne = Rules::of(required, signers, liars);
        if liars > 0 {
            holds(&format!("signers: {}", named(&borne)), atomic(borne));
        }
        let one_more = Rules::of(required, signers, liars + 1);
        if one_more.liars < required {
            violates(&named(&one_more), atomic(one_more), property::LENT_ONCE);
        }
    }
}

#[test]
fn half_of_the_signers_lend_an_offer_twice() {
    for (required, signers) in [(1, 2), (2, 4)] {
        assert!(!Rules::is_majority(required, signers));
        let rules = Rules::of(required, signers, 0);
        violates(&named(&rules), atomic(rules), property::LENT_ONCE);
    }
}

#[test]
fn t_liars_pay_and_fewer_do_not() {
    for (required, signers) in SIZES.into_iter().filter(|(_, signers)| *signers > 1) {
        for liars in 1..=required {
            let rules = Rules { acknowledging: signers, ..Rules::of(required, signers, liars) };
            let found = model::exploration::Exploration::of(named(&rules), atomic(rules));
            assert_eq!(found.violations.contains_key(property::HONEST), liars >= required, "{found}");
        }
    }
}

#[test]
fn one_acknowledgement_fewer_or_one_liar_more_does_not_end_an_offer() {
    for (required, signers) in SIZES.into_iter().filter(|(required, signers)| *required > 1 && required <= signers) {
        for liars in 0..=Rules::liars_for_offers(required, signers) {
            let enough = Rules::of(required, signers, liars);
            if liars > 0 {
                holds(&format!("signers: {}", named(&enough)), atomic(enough));
            }
            let fewer = Rules { acknowledging: enough.acknowledging - 1, ..enough };
            violates(&named(&fewer), atomic(fewer), property::CANCELLED);
            let one_more = Rules { liars: liars + 1, ..enough };
            violates(&named(&one_more), atomic(one_more), property::CANCELLED);
        }
    }
}

#[test]
fn each_rule_of_a_signer_is_needed() {
    let of = |signer: SignerRules| Signers {
        rules: Rules::of(2, 3, 0),
        signer,
        loans: Loan::TWO.to_vec(),
        ages: false,
        is_strict: false,
    };
    let real = SignerRules::REAL;
    let early = SignerRules { syncs_before_answers: false, ..real };
    violates("answers before the sync", of(early), property::CANCELLED);
    violates("answers before the sync", of(early), property::LENT_ONCE);
    let unremembered = SignerRules { remembers_cancellations: false, ..SignerRules::ATOMIC };
    violates("cancellations of offers that arrive later are not remembered", of(unremembered), property::CANCELLED);
    let forgotten = SignerRules { remembers_long_enough: false, ..SignerRules::ATOMIC };
    violates("cancellations are forgotten while messages are fresh", of(forgotten), property::CANCELLED);
    let uncounted = SignerRules { counts_uses: false, ..SignerRules::ATOMIC };
    violates("uses are not counted", of(uncounted), property::LENT_ONCE);
}

#[test]
fn a_loan_that_a_signer_had_signed_can_be_completed_after_an_acknowledged_cancellation() {
    let strict = Signers { is_strict: true, ..atomic(Rules::of(2, 3, 0)) };
    violates("signers: nothing is lent after a cancellation", strict, property::NOTHING_LENT);
}
