//! The raw data of a measurement: what its tables and pictures were made from, as compact JSON.

use std::{fs, io, path::Path};

use serde::Serialize;

/// The largest file in bytes. Data beyond it is refused: a measurement keeps medians and quantiles, not every event.
pub const BYTES_MAX: usize = 256 * 1_024;

/// The data as compact JSON, at most [`BYTES_MAX`] long.
fn encode(data: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string(data).map_err(io::Error::other)? + "\n";
    if text.len() > BYTES_MAX {
        return Err(io::Error::other(format!("{} bytes of raw data, at most {BYTES_MAX}", text.len())));
    }
    Ok(text)
}

/// Writes the data of a measurement; returns the name of the file, relative to the results.
///
/// # Errors
/// If the data is larger than [`BYTES_MAX`], or the file cannot be written.
pub fn store(name: &str, data: &impl Serialize) -> io::Result<String> {
    let text = encode(data)?;
    let file = format!("raw/{name}.json");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir_all(folder.join("raw"))?;
    fs::write(folder.join(&file), text)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_beyond_the_bound_is_refused() {
        assert_eq!(encode(&[1, 2]).unwrap(), "[1,2]\n");
        assert!(encode(&"x".repeat(BYTES_MAX)).is_err());
    }
}
