//! A complete breadth-first search of a model by Stateright, and its figures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug, Display, Formatter};
use std::hash::Hash;
use std::time::{Duration, Instant};

use stateright::{Checker as _, Expectation, HasDiscoveries, Model};

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The name of the model.
    pub name: String,
    /// The different states.
    pub states: usize,
    /// The steps that were taken, those to known states included.
    pub steps: usize,
    /// The length of the longest of the shortest paths.
    pub depth: usize,
    /// The time of the search.
    pub time: Duration,
    /// A path to each violation of a property, by the name of the property.
    pub violations: BTreeMap<&'static str, String>,
    /// The properties of which no state is an example, though one should be.
    pub unreached: Vec<&'static str>,
}

impl Exploration {
    /// Searches a model until every state was seen.
    #[must_use]
    pub fn of<M>(name: impl Into<String>, model: M) -> Self
    where
        M: Model + Send + Sync + 'static,
        M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
        M::Action: Clone + Debug + PartialEq + Send + Sync + 'static,
    {
        Self::ending(name.into(), model, HasDiscoveries::All)
    }

    /// Searches a model until this property is violated, or every state was seen.
    #[must_use]
    pub fn until<M>(name: impl Into<String>, model: M, property: &'static str) -> Self
    where
        M: Model + Send + Sync + 'static,
        M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
        M::Action: Clone + Debug + PartialEq + Send + Sync + 'static,
    {
        Self::ending(name.into(), model, HasDiscoveries::AnyOf(BTreeSet::from([property])))
    }

    fn ending<M>(name: String, model: M, ends: HasDiscoveries) -> Self
    where
        M: Model + Send + Sync + 'static,
        M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
        M::Action: Clone + Debug + PartialEq + Send + Sync + 'static,
    {
        let expectations: Vec<(&'static str, bool)> = model
            .properties()
            .iter()
            .map(|property| (property.name, matches!(property.expectation, Expectation::Sometimes)))
            .collect();
        let began_at = Instant::now();
        let checker = model.checker().threads(1).finish_when(ends).spawn_bfs().join();
        let mut discoveries = checker.discoveries();
        let (mut violations, mut unreached) = (BTreeMap::new(), Vec::new());
        for (property, is_example) in expectations {
            match (discoveries.remove(property), is_example) {
                (Some(path), false) => {
                    violations.insert(property, format!("{:?}", path.into_actions()));
                }
                (None, true) => unreached.push(property),
                (Some(_), true) | (None, false) => {}
            }
        }
        Self {
            name,
            states: checker.unique_state_count(),
            steps: checker.state_count(),
            depth: checker.max_depth(),
            time: began_at.elapsed(),
            violations,
            unreached,
        }
    }

    /// Whether every property holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.violations.is_empty() && self.unreached.is_empty()
    }
}

impl Display for Exploration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, states, steps, depth, time, violations, unreached } = self;
        write!(f, "{name}: {states} states, {steps} steps, depth {depth}, {:.2} s", time.as_secs_f64())?;
        violations.iter().try_for_each(|(property, path)| write!(f, "\n  violated: {property}\n    by {path}"))?;
        unreached.iter().try_for_each(|property| write!(f, "\n  never so: {property}"))
    }
}
