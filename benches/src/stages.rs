//! How long the parts of a loan take within the server, by the spans that the lending desk gives them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use tracing::{Metadata, Subscriber, span};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt as _},
    registry::LookupSpan,
};

/// Nanoseconds of every span that has ended, by its name.
pub type Durations = BTreeMap<String, Vec<u64>>;

/// Notes how long each span of the desk lasts, from its beginning to its end: what it waits for is in it.
#[derive(Clone, Debug, Default)]
pub struct Stages(Arc<Mutex<Durations>>);

impl Stages {
    /// Notes all of this process from now on.
    ///
    /// # Panics
    /// When somebody listens already.
    #[must_use]
    pub fn listen() -> Self {
        let stages = Self::default();
        let subscriber = tracing_subscriber::registry().with(stages.clone());
        tracing::subscriber::set_global_default(subscriber).expect("nobody listens yet");
        stages
    }

    /// What has ended since this was asked last.
    #[must_use]
    pub fn take(&self) -> Durations {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
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
        let mut durations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        durations.entry(span.name().to_owned()).or_default().push(nanoseconds);
    }
}
