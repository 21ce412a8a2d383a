//! The file with the seed of a demo's market, so that the market is never continued with another seed.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use crate::failure::Failure;

/// The name of the file in the data folder.
const FILE_NAME: &str = "demo.seed";

/// Writes the seed to a folder that has none yet.
///
/// # Errors
/// Fails if the market in the folder has another seed, or the file cannot be written.
pub(super) fn check_or_write(data: &Path, seed: u64) -> Result<(), Failure> {
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

/// The file gets its name when it is complete, even in case of a power failure.
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
    fn a_folder_keeps_its_seed() {
        let folder = tempfile::tempdir().unwrap();
        check_or_write(folder.path(), 7).unwrap();
        check_or_write(folder.path(), 7).unwrap();
        let line = check_or_write(folder.path(), 8).unwrap_err().to_string();
        assert!(line.contains("grew from seed 7, not 8") && line.contains("--seed 7"), "{line}");
        fs::write(folder.path().join(FILE_NAME), "").unwrap();
        assert!(check_or_write(folder.path(), 7).unwrap_err().to_string().contains("holds no seed"));
    }
}
