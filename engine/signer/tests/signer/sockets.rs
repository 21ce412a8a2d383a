//! Tests of a signer behind a socket: valid clients, garbage, and slow clients.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use signer::in_process::InProcess;
use signer::pre_signed_loan::LoanToSign;
use signer::refusal::Refusal;
use signer::request::{Answer, Request};
use signer::socket_client::SocketClient;
use signer::socket_server::{CONNECTIONS_MAX, SignerSocket, SocketError};
use signer::vault_signer::{SignerError, VaultSigner};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;

use crate::rig::{LENDER_ID, Rig, START_MS, ordinals_key};

/// The timeout of a server whose clients are slow.
const TIMEOUT: Duration = Duration::from_secs(1);
/// The limit of every other wait.
const WAIT_MAX: Duration = Duration::from_mins(1);

struct Served {
    path: PathBuf,
    task: JoinHandle<()>,
    /// The folder, while the socket is in it.
    _folder: tempfile::TempDir,
}

impl Served {
    fn client(&self) -> SocketClient {
        SocketClient::new(&self.path)
    }
}

/// Serves the signer of a rig; the lender's messages are signed beforehand.
fn serve(rig: Rig) -> Served {
    serve_with(rig, |socket| socket)
}

fn serve_with(rig: Rig, change: impl FnOnce(SignerSocket) -> SignerSocket) -> Served {
    let Rig { folder, signer, .. } = rig;
    let path = folder.path().join("signer.sock");
    let socket = change(SignerSocket::open(&path).unwrap());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let task = tokio::spawn(socket.serve(InProcess::with_clock(signer, || START_MS)));
    Served { path, task, _folder: folder }
}

/// Runs a complete conversation of one lender with an adapter of the port.
async fn lend(port: &impl VaultSigner, mut rig: Rig) {
    let description = port.describe().await.unwrap();
    assert_eq!(description.policy_hash, rig.policy_hash());
    assert_eq!(description.policy, rig.signer.policy().text());
    let Request::OpenVault { lender_id, lender, signed } = rig.opening() else { panic!("no opening") };
    let script = port.open_vault(lender_id, lender, signed).await.unwrap();
    assert_eq!(script, rig.vault().output().script_pubkey());
    assert_eq!(port.vault_signers(LENDER_ID).await.unwrap(), rig.vault().terms().signers);
    let Request::AdmitOffer { signed, .. } = rig.admission("of_1", None) else { panic!("no admission") };
    let offer = port.admit_offer(LENDER_ID, "of_1".to_owned(), signed.clone()).await.unwrap();
    let loan = rig.loan(offer);
    let prepared = port.prepare_loan(loan.clone()).await.unwrap();
    let asked = LoanToSign { loan: loan.clone(), repay: prepared.repay, psbt: prepared.psbt };
    let first = port.sign_loan(asked.clone()).await.unwrap();
    assert_eq!(port.sign_loan(asked).await.unwrap(), first);
    let cancel = escrow::action::Action::PauseOffer { offer_id: "of_1".to_owned() };
    let signed = rig.sign(cancel);
    port.revise_offers(LENDER_ID, signed).await.unwrap();
    let refused = port.prepare_loan(loan).await;
    assert_eq!(refused.err(), Some(SignerError::Refused(Refusal::OfferPaused { offer_id: "of_1".to_owned() })));
    let other_user = crate::rig::wallet(6);
    let Request::OpenVault { signed, .. } = rig.opening() else { panic!("no opening") };
    let refused = port.open_vault(LENDER_ID, ordinals_key(&other_user), signed).await;
    assert!(matches!(refused, Err(SignerError::Refused(Refusal::ForeignAddress { .. }))));
}

#[tokio::test]
async fn both_adapters_of_the_port_give_the_same_answers() {
    let served = serve(Rig::new());
    lend(&served.client(), Rig::new()).await;
    let Rig { signer, folder, .. } = Rig::new();
    lend(&InProcess::with_clock(signer, || START_MS), Rig::new()).await;
    drop(folder);
}

#[tokio::test]
async fn concurrent_clients_get_their_own_answers() {
    let served = serve(Rig::new());
    let asked: Vec<_> = (0..u64::try_from(CONNECTIONS_MAX).unwrap() - 4)
        .map(|lender_id| {
            let client = served.client();
            tokio::spawn(async move { (lender_id, client.vault_signers(lender_id).await.unwrap()) })
        })
        .collect();
    for answer in asked {
        let (lender_id, signers) = answer.await.unwrap();
        let expected = crate::rig::seed().vault_key(bitcoin::Network::Regtest, lender_id).unwrap();
        assert_eq!(signers.only(), Some(expected.public_key()));
    }
}

async fn exchange(served: &Served, bytes: &[u8]) -> Option<Answer> {
    let mut stream = UnixStream::connect(&served.path).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let length = stream.read_u32().await.ok()?;
    let mut body = vec![0; usize::try_from(length).unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    assert_eq!(stream.read(&mut [0; 1]).await.unwrap_or(0), 0, "one answer, then the connection closes");
    Some(serde_json::from_slice(&body).unwrap())
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_be_bytes()[..], body].concat()
}

#[tokio::test]
async fn garbage_is_refused_and_the_next_client_is_served() {
    let served = serve(Rig::new());
    let deep = "[".repeat(10_000);
    for body in [&b""[..], b"{", b"null", b"\"hello\"", b"{\"sign_loan\":{}}", &[0xff; 64], deep.as_bytes()] {
        let answer = exchange(&served, &framed(body)).await;
        assert!(matches!(answer, Some(Answer::Refused(Refusal::RequestUnreadable { .. }))), "{body:?}: {answer:?}");
    }
    for length in [262_145_u32, u32::MAX] {
        let answer = exchange(&served, &length.to_be_bytes()).await;
        assert!(matches!(answer, Some(Answer::Refused(Refusal::RequestUnreadable { .. }))), "{length}: {answer:?}");
    }
    assert!(served.client().describe().await.is_ok());
}

#[tokio::test]
async fn a_slow_client_times_out() {
    let served = serve_with(Rig::new(), |socket| socket.with_timeout(TIMEOUT));
    let mut silent = UnixStream::connect(&served.path).await.unwrap();
    let mut halting = UnixStream::connect(&served.path).await.unwrap();
    halting.write_all(&framed(b"\"describe\"")[..7]).await.unwrap();
    assert!(served.client().describe().await.is_ok(), "other clients do not wait for them");
    for stream in [&mut silent, &mut halting] {
        let read = tokio::time::timeout(WAIT_MAX, stream.read(&mut [0; 1])).await;
        assert_eq!(read.unwrap().unwrap_or(0), 0, "the connection closes without an answer");
    }
}

#[tokio::test]
async fn a_client_above_the_maximum_is_refused_as_busy() {
    let served = serve(Rig::new());
    let mut held = Vec::new();
    for _ in 0..CONNECTIONS_MAX {
        held.push(UnixStream::connect(&served.path).await.unwrap());
    }
    assert_eq!(served.client().describe().await, Err(SignerError::Refused(Refusal::Busy)));
    drop(held);
    let served_again = async {
        while served.client().describe().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(WAIT_MAX, served_again).await.expect("the next client is served");
}

#[tokio::test]
async fn a_client_says_whether_the_signer_may_have_signed() {
    let served = serve(Rig::new());
    let client = served.client();
    served.task.abort();
    let _ = served.task.await;
    assert!(!served.path.exists(), "the file of the socket is removed");
    assert!(matches!(client.describe().await, Err(SignerError::Unreachable { .. })));
    // A server that accepts connections and sends nothing, or an invalid answer.
    let listener = tokio::net::UnixListener::bind(&served.path).unwrap();
    let short_timeout = client.with_timeout(Duration::from_millis(50));
    assert!(matches!(short_timeout.describe().await, Err(SignerError::Unanswered { .. })));
    let (answered, ()) = tokio::join!(
        async {
            // The previous client has disconnected already.
            short_timeout.clone().with_timeout(Duration::from_secs(5)).describe().await
        },
        async {
            listener.accept().await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(&framed(b"{\"signed\":1}")).await.unwrap();
        }
    );
    assert_eq!(answered, Err(SignerError::Nonsense));
}

#[tokio::test]
async fn a_socket_is_open_to_its_group_only_for_a_named_client() {
    let folder = tempfile::tempdir().unwrap();
    for (client, mode) in [(None, 0o600), (Some(12_345), 0o660)] {
        let path = folder.path().join(format!("{mode:o}.sock"));
        let socket = SignerSocket::open_to(&path, client).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        drop(socket);
        assert!(!path.exists());
    }
}

#[tokio::test]
async fn the_socket_of_a_dead_signer_is_replaced_and_other_files_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signer.sock");
    std::mem::forget(SignerSocket::open(&path).unwrap());
    drop(SignerSocket::open(&path).unwrap());
    fs::write(&path, "another program's file").unwrap();
    assert!(matches!(SignerSocket::open(&path), Err(SocketError::Occupied { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "another program's file");
    let nowhere = folder.path().join("none").join("signer.sock");
    assert!(matches!(SignerSocket::open(&nowhere), Err(SocketError::Listen { .. })));
}
