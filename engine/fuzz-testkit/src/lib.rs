//! The replay of fuzzing corpora in ordinary tests, with deterministic mutations of their inputs.
//!
//! A subject is a function that parses untrusted bytes, checks the properties that hold for any input, and returns whether
//! the bytes were accepted. The fuzzer and [`Corpus::replay`] call the same one.

mod mutator;

pub use mutator::Mutator;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io, thread};

/// A function that parses bytes, panics if a property does not hold, and returns whether the bytes were accepted.
pub type Subject = fn(&[u8]) -> bool;

/// The number of mutations that a replay tries.
const MUTATIONS: usize = 2_000;

/// The seed of the mutations, so that a failure is repeated by running the test again.
const SEED: u64 = 21;

/// The prefix of the names of files that hold seed inputs; the others were found by fuzzing.
const SEED_PREFIX: &str = "seed-";

/// The kept inputs of one subject.
#[derive(Debug)]
pub struct Corpus {
    name: String,
    folder: PathBuf,
}

/// Writes the input to the output of the test if the subject panics.
struct Report<'a> {
    name: &'a str,
    origin: String,
    bytes: &'a [u8],
}

impl Drop for Report<'_> {
    #[expect(clippy::print_stderr, reason = "the output of a failed test")]
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{} failed on {}, bytes in hexadecimal:\n{:02x?}", self.name, self.origin, self.bytes);
        }
    }
}

impl Corpus {
    /// The corpus of a subject in a folder of corpora.
    #[must_use]
    pub fn new(folder: impl AsRef<Path>, name: &str) -> Self {
        Self { name: name.to_owned(), folder: folder.as_ref().join(name) }
    }

    /// Passes the kept inputs, the seed inputs and [`MUTATIONS`] mutations of both to the subject. With
    /// `LIENBOOK_WRITE_GOLDEN=1`, the seed inputs are kept for the fuzzer first.
    ///
    /// # Panics
    /// If a property does not hold, a seed input is refused, no input is refused, or files cannot be read or written.
    pub fn replay(&self, subject: Subject, seeds: &[Vec<u8>]) {
        if std::env::var_os("LIENBOOK_WRITE_GOLDEN").is_some() {
            self.write(seeds).unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()));
        }
        let kept = self.read().unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()));
        for (number, seed) in seeds.iter().enumerate() {
            assert!(self.is_accepted(subject, seed, format!("seed {number}")), "{} refuses seed {number}", self.name);
        }
        // Formerly accepted inputs may be refused once their subject has changed.
        let refused_kept = kept.iter().filter(|bytes| !self.is_accepted(subject, bytes, "a kept input".to_owned()));
        let refused_kept = refused_kept.count();
        let bases: Vec<&[u8]> = seeds.iter().chain(&kept).map(Vec::as_slice).collect();
        let mut mutator = Mutator::new(SEED);
        let refused = (0..MUTATIONS).filter(|number| {
            let bytes = mutator.mutate(&bases);
            !self.is_accepted(subject, &bytes, format!("mutation {number} of seed {SEED}"))
        });
        let refused = refused.count() + refused_kept;
        assert!(refused > 0, "{} refuses nothing", self.name);
    }

    fn is_accepted(&self, subject: Subject, bytes: &[u8], origin: String) -> bool {
        let _report = Report { name: &self.name, origin, bytes };
        subject(bytes)
    }

    fn write(&self, seeds: &[Vec<u8>]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(self.folder.join(format!("{SEED_PREFIX}{number}")), seed)?;
        }
        Ok(())
    }

    /// Reads the kept inputs, in the order of their names.
    fn read(&self) -> io::Result<Vec<Vec<u8>>> {
        let entries = fs::read_dir(&self.folder)?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<BTreeSet<_>>>()?;
        paths.iter().map(fs::read).collect()
    }
}
