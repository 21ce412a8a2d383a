//! A NATS server, from Debian's package.

use std::{
    fs, io,
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::machine::{cpu_seconds, memory_bytes};

/// The limit of the wait for its ports.
const READY_MAX: Duration = Duration::from_secs(30);
const POLL_EVERY: Duration = Duration::from_millis(10);

/// A NATS server on loopback, ended when dropped.
#[derive(Debug)]
pub struct NatsServer {
    child: Child,
    ports: [u16; 2],
    _folder: TempDir,
}

impl NatsServer {
    /// Starts one that also takes a WebSocket, and waits until it takes connections.
    ///
    /// # Errors
    /// If it is not installed or does not start.
    pub fn start() -> io::Result<Self> {
        let (folder, ports) = (tempfile::tempdir()?, [free_port()?, free_port()?]);
        let [port, websocket] = ports;
        let file = folder.path().join("nats.conf");
        let configuration = format!(
            "host: 127.0.0.1\nport: {port}\nmax_connections: 200000\n\
             websocket {{ host: 127.0.0.1, port: {websocket}, no_tls: true, compression: false }}\n"
        );
        fs::write(&file, configuration)?;
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self { child: command.spawn()?, ports, _folder: folder };
        let start = Instant::now();
        while !ports.iter().all(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok()) {
            if start.elapsed() > READY_MAX {
                return Err(io::Error::other("the NATS server does not take connections"));
            }
            thread::sleep(POLL_EVERY);
        }
        Ok(server)
    }

    /// The URL for clients and nodes.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.ports[0])
    }

    /// The address for a WebSocket.
    #[must_use]
    pub fn websocket_address(&self) -> String {
        format!("127.0.0.1:{}", self.ports[1])
    }

    /// The resident memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        memory_bytes(self.child.id())
    }

    /// The processor time so far, in seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds(self.child.id())
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
