//! The results of a measurement: printed as aligned tables, stored in a results file, and put into `RESULTS.md`.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::{
    machine::{Machine, Watch},
    picture::Picture,
    raw_data,
};

/// The number of cores busy with other processes above which a figure is marked as disturbed.
const QUIET_CORES: f64 = 0.1;

/// A table with a heading; every row has as many cells as there are columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    /// The title.
    pub title: String,
    /// The column headings.
    pub columns: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(title: &str, columns: &[&str]) -> Self {
        Self { title: title.to_owned(), columns: columns.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it does not fit the columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.columns.len(), "a row of {:?} fits its columns", self.title);
        self.rows.push(cells);
    }

    /// The table as Markdown with aligned columns: the first to the left, figures to the right.
    #[must_use]
    pub fn markdown(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| &row[column]);
            cells.chain([&self.columns[column]]).map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = format!("**{}**\n\n", self.title);
        let line = |cells: &[String]| {
            let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
        };
        text.push_str(&line(&self.columns));
        let rules: Vec<String> = widths.iter().enumerate().map(|(column, width)| rule(column, *width)).collect();
        let _ = writeln!(text, "| {} |", rules.join(" | "));
        for row in &self.rows {
            text.push_str(&line(row));
        }
        text
    }
}

fn rule(column: usize, width: usize) -> String {
    if column == 0 { "-".repeat(width) } else { format!("{}:", "-".repeat(width - 1)) }
}

/// The results of one measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Section {
    /// The subcommand, and the marker in `RESULTS.md`.
    pub name: String,
    /// The command that repeats it.
    pub command: String,
    /// The time of the measurement, in seconds since 1970.
    pub measured_at: u64,
    /// The machine.
    pub machine: Machine,
    /// The number of cores that other processes kept busy meanwhile.
    pub others_cores: f64,
    /// The tables.
    pub tables: Vec<Table>,
    /// Explanatory notes.
    pub notes: Vec<String>,
    /// The figures behind the tables.
    pub figures: BTreeMap<String, f64>,
    /// The pictures, with their titles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<ShownPicture>,
}

/// A picture that stands beside the tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShownPicture {
    /// The title.
    pub title: String,
    /// The file, relative to the results.
    pub file: String,
}

impl Section {
    /// The results of a measurement, with the machine load from `watch`.
    #[must_use]
    pub fn new(name: &str, watch: &Watch) -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970");
        Self {
            name: name.to_owned(),
            command: format!("cargo run --release -p benches -- {}", arguments.join(" ")),
            measured_at: since.as_secs(),
            machine: Machine::here(),
            others_cores: watch.others_cores(),
            tables: Vec::new(),
            notes: Vec::new(),
            figures: BTreeMap::new(),
            pictures: Vec::new(),
        }
    }

    /// Stores the raw data of the measurement in a file, and adds a note that names it.
    ///
    /// # Errors
    /// Those of [`raw_data::store`].
    pub fn raw_data(&mut self, data: &impl Serialize) -> io::Result<()> {
        let file = raw_data::store(&self.name, data)?;
        self.note(format!("Raw data: [`{file}`]({file})."));
        Ok(())
    }

    /// Stores a picture in a file, and shows it above the tables.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        let file = picture.store(&self.name)?;
        self.pictures.push(ShownPicture { title: picture.title.clone(), file });
        Ok(())
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.tables.push(table);
    }

    /// Adds a note.
    pub fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    /// Adds a machine-readable figure.
    pub fn figure(&mut self, name: impl Into<String>, value: f64) {
        self.figures.insert(name.into(), value);
    }

    /// The section as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for ShownPicture { title, file } in &self.pictures {
            let _ = writeln!(text, "![{title}]({file})\n");
        }
        for table in &self.tables {
            text.push_str(&table.markdown());
            text.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        let Machine { processor, cores, memory_gib, kernel } = &self.machine;
        let _ = writeln!(
            text,
            "- `{}` at {} on {processor}, {cores} cores, {memory_gib} GiB, Linux {kernel}.",
            self.command,
            utc(self.measured_at)
        );
        let others = self.others_cores;
        if others > QUIET_CORES {
            let _ = writeln!(
                text,
                "- **Disturbed**: other processes kept {others:.2} cores busy meanwhile. Rerun on an idle machine."
            );
        } else {
            let _ = writeln!(text, "- Undisturbed: other processes kept {others:.2} cores busy meanwhile.");
        }
        text
    }

    /// Prints the section and stores it in the results file and in `RESULTS.md`.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn publish(&self) -> io::Result<()> {
        print(&self.markdown());
        let mut results = read_results()?;
        results.insert(self.name.clone(), self.clone());
        let text = serde_json::to_string_pretty(&results).map_err(io::Error::other)?;
        fs::write(folder().join("results.json"), text + "\n")?;
        regenerate()
    }
}

/// Prints a text.
pub fn print(text: &str) {
    // Standard output may be closed; the files are written nevertheless.
    let _ = writeln!(io::stdout(), "{text}");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read_results() -> io::Result<BTreeMap<String, Section>> {
    match fs::read(folder().join("results.json")) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}

/// Puts the results file's tables between their markers in `RESULTS.md`.
///
/// # Errors
/// If a file cannot be read or written, or a marker is missing.
pub fn regenerate() -> io::Result<()> {
    let path = folder().join("RESULTS.md");
    let mut page = fs::read_to_string(&path)?;
    for (name, section) in read_results()? {
        page = replaced(&page, &name, &section.markdown())
            .ok_or_else(|| io::Error::other(format!("RESULTS.md has no markers for {name}")))?;
    }
    fs::write(path, page)
}

/// The page with the text between the markers of `name` replaced.
fn replaced(page: &str, name: &str, text: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}{text}{end}{after}"))
}

/// Formats seconds since 1970 as a date and time.
fn utc(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Days to civil date, by years of March to February (H. Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year_of_era + year;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", of_day / 3_600, of_day / 60 % 60)
}

/// The ratio of two figures, formatted for a table.
#[must_use]
pub fn ratio(one: f64, other: f64) -> String {
    let ratio = one / other;
    if ratio >= 100.0 { format!("{ratio:.0} x") } else { format!("{ratio:.2} x") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_goes_between_its_markers() {
        let page = "a\n<!-- book:begin -->\nold\n<!-- book:end -->\nz\n";
        let after = replaced(page, "book", "new\n");
        assert_eq!(after.as_deref(), Some("a\n<!-- book:begin -->\nnew\n<!-- book:end -->\nz\n"));
        assert_eq!(replaced(page, "actor", "new\n"), None);
    }

    #[test]
    fn a_table_is_aligned() {
        let mut table = Table::new("T", &["name", "figure"]);
        table.row(["a".into(), "1".into()]);
        assert_eq!(table.markdown(), "**T**\n\n| name | figure |\n| ---- | -----: |\n| a    |      1 |\n");
    }

    #[test]
    fn times_are_utc() {
        assert_eq!(utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(utc(1_709_210_096), "2024-02-29 12:34 UTC");
    }
}
