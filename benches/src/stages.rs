//! The durations of the stages of a loan within the server, from the spans of the lending service.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Instant,
};

use engine::locks::MutexExt as _;
use tracing::{Metadata, Subscriber, span};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
    registry::LookupSpan,
};

/// The durations in nanoseconds of all ended spans, by name.
pub type Durations = BTreeMap<String, Vec<u64>>;

/// A tracing layer that records the duration of each lending span from start to end, waiting included.
#[derive(Clone, Debug, Default)]
pub struct Stages(Arc<Mutex<Durations>>);

impl Stages {
    /// Starts recording all spans of this process.
    ///
    /// # Panics
    /// If a global subscriber is already set.
    #[must_use]
    pub fn listen() -> Self {
        let stages = Self::default();
        let subscriber = tracing_subscriber::registry().with(stages.clone());
        tracing::subscriber::set_global_default(subscriber).expect("no global subscriber is set");
        stages
    }

    /// Returns the spans that have ended since the last call.
    #[must_use]
    pub fn take(&self) -> Durations {
        std::mem::take(&mut *self.0.lock_unpoisoned())
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Stages {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.is_span() && metadata.target().starts_with("lending")
    }

    fn on_new_span(&self, _: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(Instant::now());
        }
    }

    fn on_close(&self, id: span::Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(begun) = span.extensions().get::<Instant>().copied() else { return };
        let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let mut durations = self.0.lock_unpoisoned();
        durations.entry(span.name().to_owned()).or_default().push(nanoseconds);
    }
}
