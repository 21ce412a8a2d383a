//! The requests of the web app's connectors to wallets, from the golden file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::Psbt;
use bitcoin::hex::FromHex as _;
use serde_json::Value;

/// Parses the PSBT of a text in hexadecimal.
pub(crate) fn psbt_of_hex(text: &Value) -> Result<Psbt, String> {
    let bytes = Vec::from_hex(text.as_str().ok_or("no text")?).map_err(|error| error.to_string())?;
    Psbt::deserialize(&bytes).map_err(|error| error.to_string())
}

/// Parses the PSBT of a text in base64.
pub(crate) fn psbt_of_base64(text: &Value) -> Result<Psbt, String> {
    let bytes = STANDARD.decode(text.as_str().ok_or("no text")?).map_err(|error| error.to_string())?;
    Psbt::deserialize(&bytes).map_err(|error| error.to_string())
}

/// The request for an input in options like `UniSat`'s.
pub(crate) fn asked_input(options: &Value, index: usize) -> Option<Value> {
    options["toSignInputs"].as_array()?.iter().find(|asked| asked["index"] == index).cloned()
}
