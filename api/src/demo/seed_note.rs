//! A note of the seed that the market in a folder grew from, so that it never goes on as another one.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use crate::failure::Failure;

/// The file within the data folder.
const FILE_NAME: &str = "demo.seed";

/// Notes the seed in a folder that has no note yet.
///
/// # Errors
/// When the market in the folder grew from another seed, or the note cannot be kept.
pub(super) fn keep(data: &Path, seed: u64) -> Result<(), Failure> {
    let file = data.join(FILE_NAME);
    match fs::read_to_string(&file) {
        Ok(text) => match text.trim().parse::<u64>() {
            Ok(kept) if kept == seed => Ok(()),
            Ok(kept) => Err(Failure::new(format!(
                "the market in {} grew from seed {kept}, not {seed}: go on with --seed {kept}, or choose another --data",
                data.display()
            ))),
            Err(_) => Err(Failure::new(format!("{} holds no seed: write the right one into it", file.display()))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            write(data, seed).map_err(|error| Failure::new(format!("cannot write {}: {error}", file.display())))
        }
        Err(error) => Err(Failure::new(format!("cannot read {}: {error}", file.display()))),
    }
}

/// Under its name the note is whole, even after a power cut.
fn write(data: &Path, seed: u64) -> io::Result<()> {
    let unfinished = data.join("demo.seed.unfinished");
    let mut file = File::create(&unfinished)?;
    writeln!(file, "{seed}")?;
    file.sync_all()?;
    fs::rename(&unfinished, data.join(FILE_NAME))?;
    File::open(data)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_seed_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), 7).unwrap();
        keep(folder.path(), 7).unwrap();
        let line = keep(folder.path(), 8).unwrap_err().to_string();
        assert!(line.contains("grew from seed 7, not 8") && line.contains("--seed 7"), "{line}");
        fs::write(folder.path().join(FILE_NAME), "").unwrap();
        assert!(keep(folder.path(), 7).unwrap_err().to_string().contains("holds no seed"));
    }
}
