//! `lienbook serve` and `lienbook demo`: the server.

use actix_web::rt::System;
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::terminal::{note, say};
use crate::config::public_url::PublicUrl;
use crate::config::settings::Settings;
use crate::demo::Demo;
use crate::failure::Failure;
use crate::program_log::ProgramLog;
use crate::server::{Server, open_files};

/// The kind of market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The market in the data folder only.
    Serve,
    /// A market with simulated collections, prices, lenders and borrowers.
    Demo,
}

/// The exit code of a process that was interrupted twice.
const EXIT_INTERRUPTED: i32 = 130;

/// Serves until the process receives a signal to stop.
pub(super) fn run(settings: Settings, mode: Mode) -> Result<(), Failure> {
    let log = ProgramLog::start(&settings)?;
    open_files::raise_limit();
    let served = System::new().block_on(serve(settings, mode));
    log.stop();
    served
}

async fn serve(settings: Settings, mode: Mode) -> Result<(), Failure> {
    let mut stop = StopSignals::listen()?;
    let data = settings.data.clone();
    let shown_url = settings.public_url.clone();
    let demo = if mode == Mode::Demo { Some(Demo::of(&settings)?) } else { None };
    let mut server = Server::builder(settings).demo(demo).progress(&|line| say(line)).start().await?;
    let url = shown_url.unwrap_or_else(|| PublicUrl::of_listener(server.address));
    if let Some(demo) = server.demo() {
        say(demo.announcement());
        say("");
        say(format_args!("  Open {url}"));
        say("");
        say(format_args!("The market is kept in {}; starting again continues it. Stop with Ctrl-C.", data.display()));
    } else {
        say(format_args!("Serving {url}; stop with Ctrl-C."));
    }
    tell_service_manager(NotifyState::Ready);
    tokio::select! {
        ended = server.ended() => return ended,
        () = stop.received() => {}
    }
    tell_service_manager(NotifyState::Stopping);
    note("Stopping: finishing what was accepted ...");
    tokio::select! {
        () = server.stop() => {}
        () = stop.received() => {
            note("Stopped at once. Everything that was acknowledged is kept.");
            std::process::exit(EXIT_INTERRUPTED);
        }
    }
    note("Stopped.");
    Ok(())
}

/// Tells systemd that the server is ready or stops, if that has started it as a service that says so.
fn tell_service_manager(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        // A unit that waits for it is ended by systemd, and so the reason is seen.
        tracing::warn!(%error, "systemd cannot be notified");
    }
}

/// The signals that stop the server: interrupt and terminate.
pub(super) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    pub(super) fn listen() -> Result<Self, Failure> {
        let on = |kind| signal(kind).map_err(|error| Failure::new(error).while_doing("cannot listen for signals"));
        Ok(Self { interrupt: on(SignalKind::interrupt())?, terminate: on(SignalKind::terminate())? })
    }

    pub(super) async fn received(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
