//! One server.

use std::{
    fs::{self, File, Permissions},
    io::Write as _,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Child,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use rustix::process::Signal;

use crate::{
    processes::{children, is_running, signal},
    programs::{command, give_to_server, run},
    wait_until,
    watchdog::Watchdog,
};

/// The user, and the database, of every server; connections from loopback need no password.
const NAME: &str = "postgres";

/// Settings that keep a server small. What makes its commits durable stays as it is by default.
const SETTINGS: [&str; 7] = [
    "listen_addresses=127.0.0.1",
    "shared_buffers=16MB",
    "max_connections=60",
    "wal_keep_size=256MB",
    "max_wal_size=512MB",
    "logging_collector=off",
    "log_min_messages=warning",
];

/// The number of ports to try: another process may take a free one first.
const PORTS_MAX: u32 = 5;

/// A running server, which ends when this is dropped.
#[derive(Debug)]
pub struct Server {
    data: PathBuf,
    port: u16,
    process: Mutex<Child>,
    schemas: AtomicU32,
    /// Dropped last, and shared with a standby in the same folder.
    folder: Arc<Folder>,
}

/// A temporary folder of servers.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _watchdog: Watchdog,
}

impl Folder {
    fn create() -> Arc<Self> {
        let path = tempfile::Builder::new().prefix("lienbook-postgres-").tempdir().expect("a temporary folder").keep();
        let watchdog = Watchdog::start(&path);
        give_to_server(&path);
        Arc::new(Self { path, _watchdog: watchdog })
    }
}

impl Server {
    /// Creates and starts a server. `settings` are as on its command line, such as `fsync=off`.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn start(settings: &[&str]) -> Self {
        let folder = Folder::create();
        let data = folder.path.join("primary");
        let options = ["-A", "trust", "-U", NAME, "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
        run(command("initdb").arg("-D").arg(&data).args(options));
        let configured = data.join("postgresql.conf");
        let mut configuration = File::options().append(true).open(configured).expect("its configuration");
        for setting in SETTINGS.iter().chain(settings) {
            let (name, value) = setting.split_once('=').expect("a setting has a value");
            writeln!(configuration, "{name} = '{value}'").expect("its configuration can be written");
        }
        Self::start_in(&folder, &data)
    }

    /// Starts a server on a data folder.
    fn start_in(folder: &Arc<Folder>, data: &Path) -> Self {
        for _ in 0..PORTS_MAX {
            let port = free_port();
            let process = spawn(&folder.path, data, port);
            let server = Self {
                data: data.to_owned(),
                port,
                process: Mutex::new(process),
                schemas: AtomicU32::new(0),
                folder: Arc::clone(folder),
            };
            if server.is_up() {
                return server;
            }
        }
        panic!("the server does not start:\n{}", log(&folder.path, data));
    }

    /// Copies this server to a standby that follows it, and starts that one.
    pub(crate) fn standby(&self) -> Self {
        let data = self.folder.path.join("standby");
        let port = self.port.to_string();
        let options = ["-h", "127.0.0.1", "-p", &port, "-U", NAME, "-R", "-X", "stream", "-c", "fast", "--no-sync"];
        run(command("pg_basebackup").arg("-D").arg(&data).args(options));
        Self::start_in(&self.folder, &data)
    }

    /// The address of the server.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://{NAME}@127.0.0.1:{}/{NAME}", self.port)
    }

    /// The port of the server on loopback.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Has the server encrypt connections that ask for it, by a certificate and its key in PEM.
    ///
    /// # Panics
    /// If the files cannot be written.
    pub fn enable_tls(&self, certificate: &str, key: &str) {
        for (name, pem) in [("server.crt", certificate), ("server.key", key)] {
            let file = self.data.join(name);
            fs::write(&file, pem).expect("a file of the server");
            fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a file of the server");
            give_to_server(&file);
        }
        self.sql("ALTER SYSTEM SET ssl = on");
        self.sql("SELECT pg_reload_conf()");
        wait_until("the server takes its certificate", || self.sql("SHOW ssl") == "on");
    }

    /// The address of a new and empty schema of the server.
    #[must_use]
    pub fn new_schema_url(&self) -> String {
        let schema = format!("test_{}", self.schemas.fetch_add(1, Ordering::Relaxed));
        self.sql(&format!("CREATE SCHEMA {schema}"));
        format!("{}?options=-csearch_path%3D{schema}", self.url())
    }

    /// Runs SQL and returns the rows, a line each, with `|` between the columns.
    ///
    /// # Panics
    /// If it fails.
    pub fn sql(&self, sql: &str) -> String {
        run(self.psql(sql).args(["-v", "ON_ERROR_STOP=1"]))
    }

    /// Runs SQL; `None` if it fails.
    #[must_use]
    pub fn try_sql(&self, sql: &str) -> Option<String> {
        let output = self.psql(sql).args(["-v", "ON_ERROR_STOP=1"]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    fn psql(&self, sql: &str) -> std::process::Command {
        let mut psql = command("psql");
        psql.args(["-X", "-q", "-A", "-t", "-U", NAME, "-d", NAME, "-p"]).arg(self.port.to_string());
        psql.arg("-h").arg(&self.folder.path).args(["-c", sql]);
        psql
    }

    /// The lines that the server has logged.
    #[must_use]
    pub fn log(&self) -> String {
        log(&self.folder.path, &self.data)
    }

    /// Stops all processes of the server, as if its machine hung: connections stay open, and nothing is answered.
    pub fn freeze(&self) {
        let server = self.id();
        signal(server, Signal::STOP);
        for child in children(server) {
            signal(child, Signal::STOP);
        }
    }

    /// Continues a server that was frozen.
    pub fn thaw(&self) {
        let server = self.id();
        for child in children(server) {
            signal(child, Signal::CONT);
        }
        signal(server, Signal::CONT);
    }

    /// Kills all processes of the server at once, as a power cut does to its memory.
    ///
    /// # Panics
    /// If they do not end.
    pub fn kill(&self) {
        let mut process = self.process();
        // A stopped parent starts no children meanwhile.
        signal(process.id(), Signal::STOP);
        let ids = children(process.id());
        signal(process.id(), Signal::KILL);
        for child in &ids {
            signal(*child, Signal::KILL);
        }
        process.wait().expect("the server can be waited for");
        drop(process);
        wait_until("the killed server has ended", || !ids.iter().any(|child| is_running(*child)));
    }

    /// Starts the server again on its port, and waits until it answers.
    ///
    /// # Panics
    /// If it does not.
    pub fn restart(&self) {
        *self.process() = spawn(&self.folder.path, &self.data, self.port);
        assert!(self.is_up(), "the server does not start again:\n{}", log(&self.folder.path, &self.data));
    }

    /// Makes a standby accept writes.
    pub fn promote(&self) {
        self.sql("SELECT pg_promote(true, 60)");
    }

    /// Waits until the server answers; `false` if it has ended.
    fn is_up(&self) -> bool {
        let mut has_ended = false;
        wait_until("the server answers", || {
            has_ended = self.process().try_wait().expect("the server can be waited for").is_some();
            has_ended || self.try_sql("SELECT 1").is_some()
        });
        !has_ended
    }

    fn id(&self) -> u32 {
        self.process().id()
    }

    fn process(&self) -> MutexGuard<'_, Child> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let is_running = self.process().try_wait().is_ok_and(|status| status.is_none());
        if is_running {
            self.kill();
        }
    }
}

fn spawn(folder: &Path, data: &Path, port: u16) -> Child {
    let log = File::options().create(true).append(true).open(log_path(folder, data)).expect("its log");
    let mut server = command("postgres");
    server.arg("-D").arg(data).arg("-p").arg(port.to_string()).arg("-k").arg(folder);
    server.stdout(log.try_clone().expect("its log")).stderr(log);
    server.spawn().expect("the server can be started")
}

fn log_path(folder: &Path, data: &Path) -> PathBuf {
    folder.join(format!("{}.log", data.file_name().and_then(|name| name.to_str()).unwrap_or("server")))
}

fn log(folder: &Path, data: &Path) -> String {
    fs::read_to_string(log_path(folder, data)).unwrap_or_default()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address").port()
}
