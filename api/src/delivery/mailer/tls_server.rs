//! A mail server with TLS for tests, which records every line and whether it was encrypted.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A self-signed certificate for 127.0.0.1 only, valid from 2020 to 2120.
const CERTIFICATE: &str = "MIIBXjCCAQWgAwIBAgIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxtYWlsLmV4YW1wbGUwIBcNMjAwMTAxMDAwMDAwWhgPMjEy\
    MDAxMDEwMDAwMDBaMBcxFTATBgNVBAMMDG1haWwuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJZQy2Fz5fXfX5BE\
    53RPdnhZ7xPaZ4HyWXKuByUz8ZRqXFGBX4oipNX1VOpZqQOM8NDZlwLZ+/Ll2AWVmnafPPWjQDA+MA8GA1UdEQQIMAaHBH8AAAEw\
    DAYDVR0TAQH/BAIwADAdBgNVHQ4EFgQUTXm5RHHP6KUBNJTz9wP/zMiB8iQwCgYIKoZIzj0EAwIDRwAwRAIgGykYUzXpfZ6OFJ1k\
    HuLU0ADlS/F6nuMIKTbf7L9ralsCIA+mL/bc1EauXjX3hLYuI7OlPF9BbFZXkN8SJjOnXuef";
/// The key protects nothing: only tests trust the certificate.
const KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7kKs+PO6twpfN0vEPZo5ubxk3KyJOEkBdJiJUcjcCIWhRANCAASW\
    UMthc+X131+QROd0T3Z4We8T2meB8llyrgclM/GUalxRgV+KIqTV9VTqWakDjPDQ2ZcC2fvy5dgFlZp2nzz1";

/// The timeout of a conversation in tests.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The time at which the server starts TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsMode {
    /// From the first byte.
    Tls,
    /// After `STARTTLS`.
    StartTls,
    /// Never: it offers `STARTTLS` and refuses it.
    StartTlsRefused,
}

/// A line that the server received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReceivedLine {
    pub(super) line: String,
    pub(super) is_encrypted: bool,
}

/// A mail server on this machine, which handles one conversation after another.
pub(super) struct TlsServer {
    pub(super) address: SocketAddr,
    heard: Arc<Mutex<Vec<ReceivedLine>>>,
}

/// The certificate of the server, for clients that are to trust it.
pub(super) fn certificate() -> Vec<u8> {
    BASE64_STANDARD.decode(CERTIFICATE).unwrap()
}

impl TlsServer {
    pub(super) fn open(tls_mode: TlsMode) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Errors of clients that disconnect or refuse the certificate are ignored.
                let _ = serve(stream, tls_mode, &log);
            }
        });
        Self { address, heard }
    }

    pub(super) fn received(&self) -> Vec<ReceivedLine> {
        self.heard.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, tls_mode: TlsMode, log: &Mutex<Vec<ReceivedLine>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    if tls_mode == TlsMode::Tls {
        return Conversation { peer: BufReader::new(encrypt(stream)), is_secret: true, tls_mode, log }
            .greet_and_converse();
    }
    let plain = BufReader::new(stream.try_clone()?);
    let mut conversation = Conversation { peer: plain, is_secret: false, tls_mode, log };
    conversation.write_line("220 here")?;
    if conversation.converse()? == Ending::StartTls {
        let mut encrypted = Conversation { peer: BufReader::new(encrypt(stream)), is_secret: true, tls_mode, log };
        encrypted.converse()?;
    }
    Ok(())
}

fn encrypt(stream: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivatePkcs8KeyDer::from(BASE64_STANDARD.decode(KEY).unwrap());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth();
    let config = config.with_single_cert(vec![CertificateDer::from(certificate())], key.into()).unwrap();
    StreamOwned::new(ServerConnection::new(Arc::new(config)).unwrap(), stream)
}

#[derive(PartialEq, Eq)]
enum Ending {
    Quit,
    StartTls,
}

struct Conversation<'log, Peer> {
    peer: BufReader<Peer>,
    is_secret: bool,
    tls_mode: TlsMode,
    log: &'log Mutex<Vec<ReceivedLine>>,
}

impl<Peer: Read + Write> Conversation<'_, Peer> {
    fn greet_and_converse(mut self) -> std::io::Result<()> {
        self.write_line("220 here")?;
        self.converse().map(drop)
    }

    fn converse(&mut self) -> std::io::Result<Ending> {
        loop {
            let line = self.read_line()?;
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            match verb.as_str() {
                "EHLO" if self.is_secret => self.write_line("250-here\r\n250 AUTH PLAIN")?,
                "EHLO" => self.write_line("250-here\r\n250-AUTH PLAIN\r\n250 STARTTLS")?,
                "STARTTLS" if self.tls_mode == TlsMode::StartTls => {
                    self.write_line("220 go on")?;
                    return Ok(Ending::StartTls);
                }
                "AUTH" => self.write_line("235 known")?,
                "MAIL" | "RCPT" => self.write_line("250 OK")?,
                "DATA" => {
                    self.write_line("354 go on")?;
                    while self.read_line()? != "." {}
                    self.write_line("250 kept")?;
                }
                "QUIT" => {
                    self.write_line("221 bye")?;
                    return Ok(Ending::Quit);
                }
                _ => self.write_line("454 not now")?,
            }
        }
    }

    fn write_line(&mut self, line: &str) -> std::io::Result<()> {
        self.peer.get_mut().write_all(format!("{line}\r\n").as_bytes())?;
        self.peer.get_mut().flush()
    }

    fn read_line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        if self.peer.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_owned();
        self.log.lock().unwrap().push(ReceivedLine { line: line.clone(), is_encrypted: self.is_secret });
        Ok(line)
    }
}
