//! The files of `lienbook kit`: the kit, the PSBT for a wallet, and the signed PSBT.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::Psbt;
use escrow::contract::signing::returned_psbt::RETURNED_LENGTH_MAX;
use escrow::contract::signing::wallet_copy::wallet_copy;
use escrow::kit::{Kit, LENGTH_MAX};

use crate::cli::export_target::{ExportTarget, cannot_write};
use crate::failure::Failure;

/// The first bytes of a binary PSBT.
const MAGIC: &[u8] = b"psbt\xff";

/// Reads a kit and checks everything in it.
pub(super) fn read_kit(path: &Path) -> Result<Kit, Failure> {
    let bytes = read(path, LENGTH_MAX)?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{} is no text", path.display())))?;
    Kit::read(&text).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Reads the PSBT that a wallet returned, as text.
pub(super) fn read_signed(path: &Path) -> Result<String, Failure> {
    let bytes = read(path, RETURNED_LENGTH_MAX)?;
    if bytes.starts_with(MAGIC) {
        return Ok(STANDARD.encode(bytes));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{} is no PSBT", path.display())))?;
    // Wallets and editors break long lines.
    Ok(text.split_whitespace().collect())
}

/// Writes the PSBT for a wallet, as base64.
pub(super) fn write_unsigned(path: &Path, is_forced: bool, psbt: &Psbt) -> Result<(), Failure> {
    write_file(path, is_forced, (wallet_copy(psbt) + "\n").as_bytes())
}

/// Writes a file, and replaces an existing one only if forced.
pub(super) fn write_file(path: &Path, is_forced: bool, bytes: &[u8]) -> Result<(), Failure> {
    match ExportTarget::choose(Some(path), is_forced)? {
        ExportTarget::File(target) => target.fill(|mut file| {
            file.write_all(bytes).map_err(|error| cannot_write(path, &error))?;
            Ok(file)
        }),
        ExportTarget::Stdout | ExportTarget::Stream(_) => {
            Err(Failure::new(format!("cannot write {}: name a file", path.display())))
        }
    }
}

fn read(path: &Path, length_max: usize) -> Result<Vec<u8>, Failure> {
    let cannot = |error| Failure::new(format!("cannot read {}: {error}", path.display()));
    let most = u64::try_from(length_max).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    File::open(path).map_err(cannot)?.take(most).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() > length_max {
        return Err(Failure::new(format!("{} has more than {length_max} bytes: it is another file", path.display())));
    }
    Ok(bytes)
}

/// Returns the instructions for signing the written file.
pub(super) fn how_to_sign(path: &Path) -> String {
    format!(
        "Nothing is sent yet. {} holds it for your wallet:\n\
         \x20 1. Open it in the wallet that you used for the loan, compare it with the above, and sign it;\n\
         \x20    the wallet must neither change nor send it.\n\
         \x20 2. Save what comes back, and run `lienbook kit send` with the same kit and the same node.",
        path.display()
    )
}
