//! The log of the program on standard error, and its traces.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, registry};

use crate::config::log_format::LogFormat;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::traces::TraceExport;

/// The log and the traces of this process.
#[derive(Debug)]
pub struct ProgramLog(Option<TraceExport>);

impl ProgramLog {
    /// Starts the log, and the export of traces if it is configured. A process has one.
    ///
    /// # Errors
    /// One line: directives that are not understood, or a collector that cannot be used.
    pub fn start(settings: &Settings) -> Result<Self, Failure> {
        let filter = EnvFilter::try_new(&settings.log)
            .map_err(|error| Failure::new(format!("the setting log is not understood: {error}")))?;
        let traces = settings.traces.otlp.as_deref().map(TraceExport::start).transpose()?;
        let lines = match settings.log_format {
            LogFormat::Text => layer().with_ansi(stderr().is_terminal()).with_writer(stderr).boxed(),
            LogFormat::Json => {
                let json = layer().json().flatten_event(true).with_current_span(false).with_span_list(false);
                json.with_writer(stderr).boxed()
            }
        };
        let export = traces.as_ref().map(TraceExport::layer);
        registry().with(lines.with_filter(filter)).with(export).try_init().map_err(Failure::new)?;
        Ok(Self(traces))
    }

    /// Exports the last traces. Blocks; not for asynchronous code.
    pub fn stop(self) {
        if let Some(traces) = self.0 {
            traces.stop();
        }
    }
}
