//! A model that remembers the step before: paths that take each of its steps take every pair of steps of the original.
//!
//! Two states that the model merges and the code keeps apart differ only in the step after.

use stateright::Model;

/// A model, each state of which has the action that led to it.
#[derive(Clone, Debug)]
pub struct Pairs<M>(pub M);

impl<M: Model> Model for Pairs<M>
where
    M::Action: Clone,
{
    type State = (M::State, Option<M::Action>);
    type Action = M::Action;

    fn init_states(&self) -> Vec<Self::State> {
        self.0.init_states().into_iter().map(|state| (state, None)).collect()
    }

    fn actions(&self, (state, _): &Self::State, actions: &mut Vec<M::Action>) {
        self.0.actions(state, actions);
    }

    fn next_state(&self, (state, _): &Self::State, action: M::Action) -> Option<Self::State> {
        let next = self.0.next_state(state, action.clone())?;
        Some((next, Some(action)))
    }
}
