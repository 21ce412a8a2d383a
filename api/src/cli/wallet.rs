//! `lienbook wallet`: a regtest wallet for scripts, which signs what the market asks of a wallet.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _, Write as _, stdin};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use bitcoin::Network;
use clap::{Args, Subcommand};
use escrow::action::{Action, SignIn};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::contract::signing::returned_psbt::RETURNED_LENGTH_MAX;
use escrow::envelope::Envelope;
use escrow::wallet_key::WalletKey;
use serde::Deserialize;
use serde_json::{Value, json};

use super::terminal::print;
use crate::config::private_file;
use crate::failure::Failure;

/// The keys are in a plain file, so the wallet is limited to the network whose coins have no value.
const NETWORK: Network = Network::Regtest;

/// The name of the wallet in API requests.
const NAME: &str = "lienbook";

/// The commands of the wallet.
#[derive(Debug, Subcommand)]
pub enum WalletSubcommand {
    /// Create a wallet of regtest keys, in a file that only its owner may read.
    New(WalletFile),
    /// Print its addresses and keys, in the form that the API requires.
    Show(WalletFile),
    /// Read the answer of `POST /api/v1/session/nonce`, and print the body of `POST /api/v1/session`.
    SignIn(WalletFile),
    /// Read a transaction from the API (`transactionBase64`), and print it signed.
    Sign(WalletFile),
    /// Read the answer of `POST /api/v1/account/nonce`, and print an action message, signed by the payment address.
    SignMessage(MessageLines),
}

/// The lines of a message to sign.
#[derive(Debug, Args)]
pub struct MessageLines {
    #[command(flatten)]
    wallet: WalletFile,
    /// The lines of the action, such as "Lienbook: borrow request"; domain, address and times are added.
    #[arg(value_name = "LINE", required = true)]
    lines: Vec<String>,
}

/// The file of the wallet.
#[derive(Debug, Args)]
pub struct WalletFile {
    /// The file of the wallet.
    #[arg(value_name = "WALLET")]
    file: PathBuf,
}

/// Executes a command.
pub(super) fn run(subcommand: &WalletSubcommand) -> Result<(), Failure> {
    match subcommand {
        WalletSubcommand::New(WalletFile { file }) => create(file),
        WalletSubcommand::Show(WalletFile { file }) => print(&line(&shown(&read(file)?))),
        WalletSubcommand::SignIn(WalletFile { file }) => print(&line(&signed_in(&read(file)?, &read_stdin()?)?)),
        WalletSubcommand::SignMessage(MessageLines { wallet, lines }) => {
            print(&line(&signed_message(&read(&wallet.file)?, lines, &read_stdin()?)?))
        }
        WalletSubcommand::Sign(WalletFile { file }) => print(&format!("{}\n", signed(&read(file)?, &read_stdin()?)?)),
    }
}

fn create(path: &Path) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::new(format!("{} is there already", path.display())),
        _ => Failure::new(format!("cannot write {}: {error}", path.display())),
    };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(cannot)?;
    file.write_all(format!("{}\n", hex::encode(rand::random::<[u8; 32]>())).as_bytes()).map_err(cannot)
}

fn read(path: &Path) -> Result<WalletKey, Failure> {
    let text = private_file::read(path, "the wallet")?
        .ok_or_else(|| Failure::new(format!("there is no {}: `lienbook wallet new` makes it", path.display())))?;
    let mut seed = [0; 32];
    hex::decode_to_slice(text.trim(), &mut seed)
        .map_err(|_| Failure::new(format!("{} is no wallet: 64 hexadecimal digits", path.display())))?;
    WalletKey::from_seed(seed, NETWORK).map_err(Failure::new)
}

/// Reads the input of the wallet from standard input.
fn read_stdin() -> Result<String, Failure> {
    let most = u64::try_from(RETURNED_LENGTH_MAX).unwrap_or(u64::MAX);
    let mut text = String::new();
    stdin()
        .lock()
        .take(most)
        .read_to_string(&mut text)
        .map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
    Ok(text)
}

fn line(value: &Value) -> String {
    format!("{value:#}\n")
}

fn shown(wallet: &WalletKey) -> Value {
    json!({
        "wallet": NAME,
        "hardware_wallet": false,
        "payment_address": wallet.payment_address().to_string(),
        "payment_pubkey": wallet.public_key_hex(AddressKind::P2wpkh),
        "ordinal_address": wallet.ordinals_address().to_string(),
        "ordinal_pubkey": wallet.public_key_hex(AddressKind::P2tr),
    })
}

/// The server's values of the message to sign.
#[derive(Deserialize)]
struct NonceAnswer {
    data: NonceData,
}

#[derive(Deserialize)]
struct NonceData {
    domain: String,
    network: String,
    nonce: String,
    issued: u64,
    expires: u64,
}

/// Returns the envelope of a message that the payment address signs, from the answer with its nonce.
fn envelope(wallet: &WalletKey, answer: &str) -> Result<Envelope, Failure> {
    let NonceAnswer { data } = serde_json::from_str(answer)
        .map_err(|error| Failure::new(format!("this is no answer with a nonce: {error}")))?;
    if data.network != NETWORK.to_string() {
        return Err(Failure::new(format!("the server is on {}, and this wallet on {NETWORK} alone", data.network)));
    }
    Ok(Envelope {
        domain: data.domain,
        network: NETWORK,
        address: wallet.payment_address().to_string(),
        nonce: data.nonce,
        issued_s: data.issued,
        expires_s: data.expires,
    })
}

/// Signs an action message; any other text is refused.
fn signed_message(wallet: &WalletKey, lines: &[String], answer: &str) -> Result<Value, Failure> {
    let envelope = envelope(wallet, answer)?;
    let issued_s = envelope.issued_s;
    let message = ActionMessage::from_lines(lines, envelope).map_err(Failure::new)?.to_text();
    let signature = wallet.sign_bip322(AddressKind::P2wpkh, &message).map_err(Failure::new)?;
    Ok(json!({"message": message, "signature": signature, "signatureTimestamp": issued_s}))
}

fn signed_in(wallet: &WalletKey, answer: &str) -> Result<Value, Failure> {
    let envelope = envelope(wallet, answer)?;
    let action = Action::SignIn(SignIn {
        ordinals_address: wallet.ordinals_address().to_string(),
        ordinals_public_key: wallet.public_key_hex(AddressKind::P2tr),
        payment_address: wallet.payment_address().to_string(),
        payment_public_key: wallet.public_key_hex(AddressKind::P2wpkh),
    });
    let message = ActionMessage::new(action, envelope).map_err(Failure::new)?.to_text();
    let mut request = shown(wallet);
    for (field, kind) in [("signature", AddressKind::P2wpkh), ("ordinal_signature", AddressKind::P2tr)] {
        request[field] = wallet.sign_bip322(kind, &message).map_err(Failure::new)?.into();
    }
    request["message"] = message.into();
    Ok(request)
}

fn signed(wallet: &WalletKey, text: &str) -> Result<String, Failure> {
    let text: String = text.split_whitespace().collect();
    wallet.sign_psbt(&text).map_err(Failure::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wallet() -> WalletKey {
        WalletKey::from_seed([7; 32], NETWORK).expect("a seed")
    }

    fn nonce_on(network: &str) -> String {
        let data = json!({
            "domain": "localhost:8080", "network": network, "nonce": "0123456789abcdef0123456789abcdef",
            "issued": 1_800_000_000, "expires": 1_800_000_300,
        });
        json!({"ok": true, "data": data}).to_string()
    }

    #[test]
    fn a_wallet_is_readable_only_by_its_owner_and_never_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lender.wallet");
        create(&path).expect("made");
        let first = read(&path).expect("read").payment_address().to_string();
        let refused = create(&path).expect_err("it is there");
        assert!(refused.to_string().ends_with("is there already"), "{refused}");
        assert_eq!(read(&path).expect("read").payment_address().to_string(), first);
    }

    #[test]
    fn a_wallet_signs_in_only_on_regtest() {
        let request = signed_in(&wallet(), &nonce_on("regtest")).expect("signed");
        assert!(request["message"].as_str().is_some_and(|text| text.contains("Network: regtest")), "{request}");
        assert!(request["ordinal_signature"].is_string() && request["signature"] != request["ordinal_signature"]);
        let refused = signed_in(&wallet(), &nonce_on("bitcoin")).expect_err("money");
        assert_eq!(refused.to_string(), "the server is on bitcoin, and this wallet on regtest alone");
    }

    #[test]
    fn a_wallet_signs_action_messages_alone() {
        let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
        let signed = |text: &str| signed_message(&wallet(), &lines(text), &nonce_on("regtest"));
        let pause = signed("Lienbook: pause offer\nOffer: of_1").expect("signed");
        let message = pause["message"].as_str().expect("text");
        assert!(message.starts_with("Lienbook: pause offer\nOffer: of_1\nDomain: localhost:8080\n"), "{message}");
        assert_eq!(pause["signatureTimestamp"], 1_800_000_000);
        for other in ["I owe you 1 BTC", "Lienbook: pause offer", "Lienbook: pause offer\nOffer: of_1\nOffer: of_2"] {
            assert!(signed(other).is_err(), "{other}");
        }
    }

    #[test]
    fn malformed_answers_and_transactions_are_refused() {
        assert!(signed_in(&wallet(), "{}").is_err());
        assert!(signed(&wallet(), "cHNidP8=").is_err());
    }
}
