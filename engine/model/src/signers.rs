//! Several signers that share a vault, in any order of messages: offers admitted, cancelled and lent, signers that lie, are
//! away, or restart without the end of their log.
//!
//! The server is not trusted: whatever a lender has signed can reach any signer at any time and repeatedly, or never. The
//! honest signers are interchangeable, so a state lists them in order.

pub mod answers;
pub mod one_signer;
pub mod rules;
pub mod signer;

use stateright::{Model, Property};

use self::answers::{Loan, Loans};
use self::rules::Rules;
use self::signer::{Signer, SignerRules};

/// Signers that share a vault, and what is explored of them.
#[derive(Clone, Debug)]
pub struct Signers {
    /// The numbers of signers, of signatures, of liars and of acknowledgements.
    pub rules: Rules,
    /// The rules of each honest signer.
    pub signer: SignerRules,
    /// The loans that the server may ask signatures for.
    pub loans: Vec<Loan>,
    /// Whether messages age until signers may forget cancellations.
    pub ages: bool,
    /// Whether [`property::NOTHING_LENT`] is required, too.
    pub is_strict: bool,
}

/// The state of all signers, and what the lender knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignersState {
    /// The honest signers, in order.
    pub honest: Vec<Signer>,
    /// The loans that an honest signer had begun to sign when the cancellation was acknowledged to the lender; `None` before.
    pub begun: Option<Loans>,
    /// The loans that had enough signatures then.
    pub lent: Loans,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignersAction {
    /// A step of one honest signer, by its place.
    Signer(usize, SignerAction),
    /// Enough signers have logged the cancellation, and the lender gets the answer.
    AcknowledgeCancellation,
}

pub use signer::SignerAction;

impl SignersState {
    /// The number of signatures that a loan has: of honest signers that gave one, and of all liars.
    fn signatures(&self, rules: &Rules, loan: Loan) -> usize {
        self.honest.iter().filter(|signer| signer.given.has(loan)).count() + rules.liars
    }

    fn is_lent(&self, rules: &Rules, loan: Loan) -> bool {
        self.signatures(rules, loan) >= rules.required
    }

    fn cancelled(&self, rules: &Rules) -> usize {
        self.honest.iter().filter(|signer| signer.has_answered_cancellation).count() + rules.liars
    }
}

/// The names of the properties, as they are reported.
pub mod property {
    /// An offer is lent once.
    pub const LENT_ONCE: &str = "no two loans that can both start have enough signatures";
    /// Cancellations are final.
    pub const CANCELLED: &str = "after an acknowledged cancellation no loan is lent that no signer had signed";
    /// Money needs an honest signer.
    pub const HONEST: &str = "whatever has enough signatures was checked by an honest signer";
    /// Stricter than [`CANCELLED`], and not so: the server can keep a signature that it got before.
    pub const NOTHING_LENT: &str = "after an acknowledged cancellation nothing is lent";
    /// The model lends.
    pub const LENDS: &str = "an offer can be lent while the signers that are not needed are away";
    /// The model cancels.
    pub const CANCELS: &str = "a cancellation can be acknowledged while the signers that are not needed are away";
}

impl Model for Signers {
    type State = SignersState;
    type Action = SignersAction;

    fn init_states(&self) -> Vec<SignersState> {
        let honest = vec![Signer::default(); self.rules.signers - self.rules.liars];
        vec![SignersState { honest, begun: None, lent: Loans::default() }]
    }

    fn actions(&self, state: &SignersState, actions: &mut Vec<SignersAction>) {
        for (place, signer) in state.honest.iter().enumerate() {
            // Of equal signers the first one acts: the others would lead to the same state.
            if place > 0 && state.honest[place - 1] == *signer {
                continue;
            }
            let of_signer = signer.actions(&self.signer, &self.loans, self.ages);
            actions.extend(of_signer.into_iter().map(|action| SignersAction::Signer(place, action)));
        }
        if state.begun.is_none() && state.cancelled(&self.rules) >= self.rules.acknowledging {
            actions.push(SignersAction::AcknowledgeCancellation);
        }
    }

    fn next_state(&self, state: &SignersState, action: SignersAction) -> Option<SignersState> {
        let mut next = state.clone();
        match action {
            SignersAction::Signer(place, action) => {
                next.honest[place] = state.honest[place].after(&self.signer, action);
                next.honest.sort_unstable();
            }
            SignersAction::AcknowledgeCancellation => {
                let signed = |signer: &Signer| signer.written.signed.or(signer.given);
                let lent = self.loans.iter().filter(|loan| state.is_lent(&self.rules, **loan));
                next.lent = lent.fold(Loans::default(), |lent, loan| lent.with(*loan));
                next.begun = Some(state.honest.iter().map(signed).fold(Loans::default(), Loans::or));
            }
        }
        (next != *state).then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(property::LENT_ONCE, |model: &Self, state: &SignersState| {
                let lent: Vec<Loan> =
                    model.loans.iter().copied().filter(|loan| state.is_lent(&model.rules, *loan)).collect();
                lent.iter().all(|one| lent.iter().all(|other| one == other || one.conflicts_with(*other)))
            }),
            Property::always(property::CANCELLED, |model: &Self, state: &SignersState| {
                let Some(begun) = state.begun else { return true };
                model.loans.iter().all(|loan| begun.has(*loan) || !state.is_lent(&model.rules, *loan))
            }),
            Property::always(property::NOTHING_LENT, |model: &Self, state: &SignersState| {
                let is_lent = |loan: Loan| state.lent.has(loan) || !state.is_lent(&model.rules, loan);
                !model.is_strict || state.begun.is_none() || model.loans.iter().all(|loan| is_lent(*loan))
            }),
            Property::always(property::HONEST, |model: &Self, state: &SignersState| {
                let is_checked = |loan: Loan| state.honest.iter().any(|signer| signer.given.has(loan));
                model.loans.iter().all(|loan| !state.is_lent(&model.rules, *loan) || is_checked(*loan))
            }),
            Property::sometimes(property::LENDS, |model: &Self, state: &SignersState| {
                let away = state.honest.iter().filter(|signer| **signer == Signer::default()).count();
                away >= model.rules.spare() && model.loans.iter().any(|loan| state.is_lent(&model.rules, *loan))
            }),
            Property::sometimes(property::CANCELS, |model: &Self, state: &SignersState| {
                let away = state.honest.iter().filter(|signer| **signer == Signer::default()).count();
                away >= model.rules.signers - model.rules.acknowledging && state.begun.is_some()
            }),
        ]
    }
}
