//! The explored graph of a model: every state, every step, and paths that together take every step.

use std::collections::{BTreeSet, VecDeque};
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};
use stateright::Model;

/// A step of a path: the action, and the number of the state that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<A> {
    /// The action.
    pub action: A,
    /// The state that it leads to.
    pub to: usize,
}

/// All states that a model reaches from its one initial state, in the order of a breadth-first search, and all steps between them.
#[derive(Debug)]
pub struct Graph<M: Model> {
    states: Vec<M::State>,
    steps: Vec<Vec<Step<M::Action>>>,
    /// The state and the place of the step by which each state was first reached; `None` for the initial state.
    reached_by: Vec<Option<Taken>>,
}

impl<M> Graph<M>
where
    M: Model,
    M::State: Clone + Eq + Hash,
    M::Action: Clone,
{
    /// Explores a model completely.
    #[must_use]
    pub fn explore(model: &M) -> Self {
        let mut numbers: FxHashMap<M::State, usize> = FxHashMap::default();
        let mut graph = Self { states: Vec::new(), steps: Vec::new(), reached_by: Vec::new() };
        for state in model.init_states().into_iter().take(1) {
            graph.number(&mut numbers, state, None);
        }
        let mut next = 0;
        while let Some(state) = graph.states.get(next).cloned() {
            let mut steps = Vec::new();
            for (action, reached) in model.next_steps(&state) {
                let to = graph.number(&mut numbers, reached, Some((next, steps.len())));
                steps.push(Step { action, to });
            }
            graph.steps.push(steps);
            next += 1;
        }
        graph
    }

    fn number(&mut self, numbers: &mut FxHashMap<M::State, usize>, state: M::State, by: Option<Taken>) -> usize {
        let next = self.states.len();
        let number = *numbers.entry(state.clone()).or_insert(next);
        if number == next {
            self.states.push(state);
            self.reached_by.push(by);
        }
        number
    }

    /// A state by its number.
    #[must_use]
    pub fn state(&self, number: usize) -> &M::State {
        &self.states[number]
    }

    /// The number of states.
    #[must_use]
    pub const fn states_count(&self) -> usize {
        self.states.len()
    }

    /// The number of steps.
    #[must_use]
    pub fn steps_count(&self) -> usize {
        self.steps.iter().map(Vec::len).sum()
    }

    /// The first state from which no path leads to a state that `is_goal` selects, with the actions that reach it.
    #[must_use]
    pub fn cut_off(&self, is_goal: impl Fn(&M::State) -> bool) -> Option<(usize, Vec<M::Action>)> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (from, steps) in self.steps.iter().enumerate() {
            for step in steps {
                before[step.to].push(from);
            }
        }
        let mut can_reach: Vec<bool> = self.states.iter().map(is_goal).collect();
        let mut open: Vec<usize> = (0..self.states.len()).filter(|number| can_reach[*number]).collect();
        while let Some(number) = open.pop() {
            for from in &before[number] {
                if !can_reach[*from] {
                    can_reach[*from] = true;
                    open.push(*from);
                }
            }
        }
        let found = can_reach.iter().position(|can| !can)?;
        Some((found, self.path_to(found).into_iter().map(|taken| self.step(taken).action.clone()).collect()))
    }

    /// Paths from the initial state that together take every step, each of about `length_max` steps at most.
    #[must_use]
    pub fn covering_paths(&self, length_max: usize) -> Vec<Vec<Step<M::Action>>> {
        let mut left = Left(self.steps.iter().map(|steps| (0..steps.len()).collect()).collect());
        let mut paths = Vec::new();
        for start in 0..self.states.len() {
            while left.has(start) {
                let mut path = self.path_to(start);
                for taken in &path {
                    left.take(*taken);
                }
                // One step at least is taken, however deep the state is.
                let (mut at, least) = (start, path.len() + 1);
                while path.len() < length_max.max(least) {
                    let way = match left.next(at) {
                        Some(place) => vec![(at, place)],
                        None => match self.detour(at, &left) {
                            Some(detour) => detour,
                            None => break,
                        },
                    };
                    for taken in way {
                        left.take(taken);
                        at = self.step(taken).to;
                        path.push(taken);
                    }
                }
                paths.push(path.into_iter().map(|taken| self.step(taken).clone()).collect());
            }
        }
        paths
    }

    fn step(&self, (from, place): Taken) -> &Step<M::Action> {
        &self.steps[from][place]
    }

    /// The shortest path to a state.
    fn path_to(&self, number: usize) -> Vec<Taken> {
        let (mut path, mut at) = (Vec::new(), number);
        while let Some(taken) = self.reached_by[at] {
            path.push(taken);
            at = taken.0;
        }
        path.reverse();
        path
    }

    /// A short path to a near state with a step that is left.
    fn detour(&self, from: usize, left: &Left) -> Option<Vec<Taken>> {
        const STATES_MAX: usize = 1_024;
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut open = VecDeque::from([(from, Vec::new())]);
        while let Some((at, path)) = open.pop_front() {
            if left.has(at) {
                return Some(path);
            }
            for (place, step) in self.steps[at].iter().enumerate() {
                if seen.len() < STATES_MAX && seen.insert(step.to) {
                    let longer = path.iter().copied().chain([(at, place)]).collect();
                    open.push_back((step.to, longer));
                }
            }
        }
        None
    }
}

/// A step by the state that it leaves, and its place among the steps of that state.
type Taken = (usize, usize);

/// The steps of each state that no path has taken yet.
struct Left(Vec<BTreeSet<usize>>);

impl Left {
    fn has(&self, state: usize) -> bool {
        !self.0[state].is_empty()
    }

    fn next(&self, state: usize) -> Option<usize> {
        self.0[state].first().copied()
    }

    fn take(&mut self, (state, place): Taken) {
        self.0[state].remove(&place);
    }
}
