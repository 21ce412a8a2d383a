//! The line of progress, and the table at the end.

use std::io::{IsTerminal as _, Write as _};
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

/// Times in milliseconds: the number, the median, the 99th percentile and the maximum.
pub fn times(takeovers: &[Takeover], is_chosen: impl Fn(&Takeover) -> bool) -> String {
    let chosen = takeovers.iter().filter(|takeover| is_chosen(takeover));
    let mut times: Vec<u128> = chosen.filter_map(|takeover| Some(takeover.took?.as_millis())).collect();
    times.sort_unstable();
    let at = |hundredths: usize| times.get((times.len() * hundredths / 100).min(times.len().saturating_sub(1)));
    match (at(50), at(99), times.last()) {
        (Some(median), Some(late), Some(max)) => {
            format!("{} times, median {median} ms, p99 {late} ms, max {max} ms", times.len())
        }
        _ => "none".to_owned(),
    }
}

/// Prints the table.
pub fn print(seed: u64, record: &Record, replay: &Replay, lost: usize) {
    let (figures, faults, takeovers) = (&record.figures, record.faults(), record.takeovers());
    let mut lines = vec![
        String::new(),
        format!("seed {seed}, {} s", record.elapsed().as_secs()),
        format!("| faults | {} |", faults.values().sum::<u64>()),
        "| --- | --- |".to_owned(),
    ];
    for kind in KINDS {
        lines.push(format!("| {} | {} |", kind.name(), faults.get(kind.name()).copied().unwrap_or(0)));
    }
    lines.extend([
        String::new(),
        "| figure | |".to_owned(),
        "| --- | --- |".to_owned(),
        format!("| writes acknowledged | {} |", record.accepted()),
        format!("| attempts repeated | {} |", get(&figures.repeated)),
        format!("| writes lost | {lost} |"),
        format!("| writes doubled | {} |", replay.doubled()),
        format!("| loans of vaults | {} |", replay.loans()),
        format!("| own reads compared | {} |", get(&figures.own_reads)),
        format!("| comparisons of all nodes | {} |", get(&figures.comparisons)),
        format!("| nodes that left by themselves | {} |", get(&figures.left)),
        format!("| feed connections | {} |", get(&figures.reconnects)),
        format!("| feed continued by a delta | {} |", get(&figures.continued)),
        format!("| feed snapshots | {} |", get(&figures.snapshots)),
        format!("| feed deltas | {} |", get(&figures.deltas)),
        format!("| feed views compared | {} |", get(&figures.views)),
        format!("| feed checksums compared | {} |", get(&figures.checksums)),
        format!("| takeovers, no other fault | {} |", times(&takeovers, |takeover| !takeover.is_hindered)),
        format!("| takeovers, with others | {} |", times(&takeovers, |takeover| takeover.is_hindered)),
    ]);
    for kind in KINDS.into_iter().filter(|kind| kind.loses_writer()) {
        let chosen = |takeover: &Takeover| takeover.cause == kind.name() && !takeover.is_hindered;
        lines.push(format!("| takeovers, {} | {} |", kind.name(), times(&takeovers, chosen)));
    }
    println!("{}", lines.join("\n"));
}
