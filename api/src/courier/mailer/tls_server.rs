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
const PATIENCE: Duration = Duration::from_secs(10);

/// The time at which the server starts TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaks {
    /// From the first byte.
    Tls,
    /// After `STARTTLS`.
    StartTls,
    /// Never: it offers `STARTTLS` and refuses it.
    StartTlsInWords,
}

/// A line that the server received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) line: String,
    pub(super) is_secret: bool,
}

/// A mail server on this machine, which handles one conversation after another.
pub(super) struct TlsServer {
    pub(super) address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
}

/// The certificate of the server, for clients that are to trust it.
pub(super) fn certificate() -> Vec<u8> {
    BASE64_STANDARD.decode(CERTIFICATE).unwrap()
}

impl TlsServer {
    pub(super) fn open(speaks: Speaks) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Errors of clients that disconnect or refuse the certificate are ignored.
                let _ = serve(stream, speaks, &ears);
            }
        });
        Self { address, heard }
    }

    pub(super) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, speaks: Speaks, ears: &Mutex<Vec<Heard>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    if speaks == Speaks::Tls {
        return Conversation { peer: BufReader::new(secret(stream)), is_secret: true, speaks, ears }.hold();
    }
    let open = BufReader::new(stream.try_clone()?);
    let mut conversation = Conversation { peer: open, is_secret: false, speaks, ears };
    conversation.say("220 here")?;
    if conversation.talk()? == Ending::StartTls {
        let mut secretly = Conversation { peer: BufReader::new(secret(stream)), is_secret: true, speaks, ears };
        secretly.talk()?;
    }
    Ok(())
}

fn secret(stream: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
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

struct Conversation<'ears, Peer> {
    peer: BufReader<Peer>,
    is_secret: bool,
    speaks: Speaks,
    ears: &'ears Mutex<Vec<Heard>>,
}

impl<Peer: Read + Write> Conversation<'_, Peer> {
    fn hold(mut self) -> std::io::Result<()> {
        self.say("220 here")?;
        self.talk().map(drop)
    }

    fn talk(&mut self) -> std::io::Result<Ending> {
        loop {
            let line = self.hear()?;
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            match verb.as_str() {
                "EHLO" if self.is_secret => self.say("250-here\r\n250 AUTH PLAIN")?,
                "EHLO" => self.say("250-here\r\n250-AUTH PLAIN\r\n250 STARTTLS")?,
                "STARTTLS" if self.speaks == Speaks::StartTls => {
                    self.say("220 go on")?;
                    return Ok(Ending::StartTls);
                }
                "AUTH" => self.say("235 known")?,
                "MAIL" | "RCPT" => self.say("250 OK")?,
                "DATA" => {
                    self.say("354 go on")?;
                    while self.hear()? != "." {}
                    self.say("250 kept")?;
                }
                "QUIT" => {
                    self.say("221 bye")?;
                    return Ok(Ending::Quit);
                }
                _ => self.say("454 not now")?,
            }
        }
    }

    fn say(&mut self, line: &str) -> std::io::Result<()> {
        self.peer.get_mut().write_all(format!("{line}\r\n").as_bytes())?;
        self.peer.get_mut().flush()
    }

    fn hear(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        if self.peer.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_owned();
        self.ears.lock().unwrap().push(Heard { line: line.clone(), is_secret: self.is_secret });
        Ok(line)
    }
}
