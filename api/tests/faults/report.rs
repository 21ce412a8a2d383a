//! The line of progress, and the table at the end.

use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::thread;
use std::time::Duration;

use super::fault::KINDS;
use super::record::{Record, Takeover, get};
use super::replay::Replay;

/// Shows where a run is: on a terminal in one line that is written again, elsewhere in a line now and then.
pub fn progress(record: &Record, until: Option<Duration>, is_due: bool) {
    let figures = &record.figures;
    let (faults, elapsed) = (record.faults().values().sum::<u64>(), record.elapsed().as_secs());
    let until = until.map(|until| format!(" of {} s", until.as_secs())).unwrap_or_default();
    let line = format!(
        "{elapsed} s{until}: {faults} faults, {} writes, {} repeated, {} takeovers, {} views compared, {} violations",
        record.accepted(),
        get(&figures.repeated),
        record.takeovers().len(),
        get(&figures.views),
        record.violations().len()
    );
    let mut out = std::io::stdout().lock();
    // A closed output does not end the run.
    let _ = if out.is_terminal() {
        write!(out, "\r{line}\x1b[K").and_then(|()| out.flush())
    } else if is_due {
        writeln!(out, "{line}")
    } else {
        Ok(())
    };
}

/// The page that the table can be written into, and the lines that it stands between.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/RESULTS.md");
const BEGIN: &str = "<!-- faults:begin -->\n";
const END: &str = "<!-- faults:end -->";

/// Returns the table of a run of a seed, `asked` to take as long.
pub fn table((seed, asked): (u64, Option<Duration>), record: &Record, replay: &Replay, lost: usize) -> String {
    let (figures, faults, takeovers) = (&record.figures, record.faults(), record.takeovers());
    let total = faults.values().sum::<u64>();
    let mut lines = vec![
        format!("**{total} faults in {} s, one to three at once**", record.elapsed().as_secs()),
        String::new(),
        "| fault | times |".to_owned(),
        "| --- | ---: |".to_owned(),
    ];
    for kind in KINDS {
        lines.push(format!("| {} | {} |", kind.name(), faults.get(kind.name()).copied().unwrap_or(0)));
    }
    let counts = [
        ("writes acknowledged", u64::try_from(record.accepted()).unwrap()),
        ("attempts repeated, because an answer was lost or put off", get(&figures.repeated)),
        ("writes lost, or carried out although they were refused", u64::try_from(lost).unwrap()),
        ("writes doubled", u64::try_from(replay.doubled()).unwrap()),
        ("loans of vaults", u64::try_from(replay.loans()).unwrap()),
        ("reads of a session's own offers, compared with its writes", get(&figures.own_reads)),
        ("comparisons of the books of all nodes", get(&figures.comparisons)),
        ("nodes that left by themselves and were started again", get(&figures.left)),
        ("connections of feed clients", get(&figures.reconnects)),
        ("of these, continued by a delta", get(&figures.continued)),
        ("snapshots on the feed", get(&figures.snapshots)),
        ("deltas on the feed", get(&figures.deltas)),
        ("copies of feed clients, compared after each frame", get(&figures.views)),
        ("checksums on the feed, compared", get(&figures.checksums)),
    ];
    lines.extend([String::new(), "| figure | |".to_owned(), "| --- | ---: |".to_owned()]);
    lines.extend(counts.map(|(name, figure)| format!("| {name} | {figure} |")));
    lines.extend([
        String::new(),
        "| from the loss of the writer to the first write that began later | times | median | p99 | max |".to_owned(),
        "| --- | ---: | ---: | ---: | ---: |".to_owned(),
    ]);
    for kind in KINDS.into_iter().filter(|kind| kind.loses_writer()) {
        let chosen = |takeover: &&Takeover| takeover.cause == kind.name() && !takeover.is_hindered;
        lines.push(times(&format!("{}, and no other fault", kind.name()), takeovers.iter().filter(chosen)));
    }
    let hindered = takeovers.iter().filter(|takeover| takeover.is_hindered);
    lines.push(times("any of these, while or soon after other faults", hindered));
    lines.push(String::new());
    lines.push(format!(
        "- `make faults{} SEED={seed}` on {} cores.",
        asked.map_or_else(String::new, |asked| format!(" FAULT_SECONDS={}", asked.as_secs())),
        thread::available_parallelism().map_or(0, usize::from)
    ));
    lines.join("\n") + "\n"
}

/// A row of times in milliseconds: their number, the median, the 99th percentile and the maximum.
fn times<'a>(name: &str, takeovers: impl Iterator<Item = &'a Takeover>) -> String {
    let mut times: Vec<u128> = takeovers.filter_map(|takeover| Some(takeover.took?.as_millis())).collect();
    times.sort_unstable();
    let at = |hundredths: usize| {
        let place = (times.len().saturating_sub(1) * hundredths).div_ceil(100);
        times.get(place).map_or_else(|| "-".to_owned(), |time| format!("{time} ms"))
    };
    format!("| {name} | {} | {} | {} | {} |", times.len(), at(50), at(99), at(100))
}

/// Writes the table into the page of results.
pub fn write(table: &str) {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the table");
    let (_, after) = rest.split_once(END).expect("the place for the table ends");
    fs::write(PAGE, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
}
