//! One honest signer by itself, without what it answered before: the part of the model that is replayed on a real signer.

use stateright::Model;

use super::answers::{Loan, Loans};
use super::signer::{Signer, SignerAction, SignerRules};

/// A signer, and what is explored of it.
#[derive(Clone, Debug)]
pub struct OneSigner {
    /// Its rules.
    pub rules: SignerRules,
    /// The loans that the server may ask signatures for.
    pub loans: Vec<Loan>,
    /// Whether messages age.
    pub ages: bool,
}

impl Model for OneSigner {
    type State = Signer;
    type Action = SignerAction;

    fn init_states(&self) -> Vec<Signer> {
        vec![Signer::default()]
    }

    fn actions(&self, state: &Signer, actions: &mut Vec<SignerAction>) {
        actions.extend(state.actions(&self.rules, &self.loans, self.ages));
    }

    fn next_state(&self, state: &Signer, action: SignerAction) -> Option<Signer> {
        let after = state.after(&self.rules, action);
        Some(Signer { has_answered_cancellation: false, given: Loans::default(), ..after })
    }
}
