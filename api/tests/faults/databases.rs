//! Two PostgreSQL servers: a primary, and a standby that its commits wait for.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use postgres_testkit::program;

use super::enclosure;
use super::host_process::HostProcess;
use super::network::{DATABASES, Host};

/// The limit of every wait for a server. Reaching it fails the run.
const WAIT_MAX: Duration = Duration::from_mins(2);

/// Settings that keep a server small, and let the two find each other again soon. Those of durability are left as they are.
const SETTINGS: &str = "
shared_buffers = '16MB'
max_connections = '60'
min_wal_size = '64MB'
max_wal_size = '192MB'
wal_keep_size = '128MB'
wal_retrieve_retry_interval = '500ms'
wal_receiver_timeout = '5s'
wal_sender_timeout = '5s'
log_min_messages = 'warning'
log_line_prefix = '%m '
timezone = 'UTC'
log_timezone = 'UTC'
";

/// Records of every commit and every epoch, made by the database itself in the transactions concerned.
const RECORDS: &str = "
CREATE TABLE fault_commit (position bigint, epoch bigint);
CREATE TABLE fault_epoch (epoch bigint, holder text, at timestamptz);
CREATE FUNCTION fault_commit() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO fault_commit VALUES (NEW.position, NEW.epoch); RETURN NULL; END';
CREATE FUNCTION fault_epoch() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO fault_epoch VALUES (NEW.epoch, NEW.holder, clock_timestamp()); RETURN NULL; END';
CREATE TRIGGER fault_commit AFTER UPDATE ON lienbook_writer
    FOR EACH ROW WHEN (NEW.position <> OLD.position) EXECUTE FUNCTION fault_commit();
CREATE TRIGGER fault_epoch AFTER UPDATE ON lienbook_lease
    FOR EACH ROW WHEN (NEW.epoch <> OLD.epoch OR NEW.holder <> OLD.holder) EXECUTE FUNCTION fault_epoch();
";

struct Server {
    host: Host,
    data: PathBuf,
    process: Mutex<Option<HostProcess>>,
}

/// The servers.
pub struct Databases {
    servers: Vec<Server>,
    primary: AtomicUsize,
}

impl Databases {
    /// Creates and starts both, with a journal in them that `fill` creates at a URL.
    pub fn start(fill: impl FnOnce(&str)) -> Self {
        let server = |number: usize| {
            let host = Host::Database(number);
            let folder = Path::new(enclosure::FOLDER).join(host.name());
            fs::create_dir(&folder).unwrap();
            Server { host, data: folder.join("data"), process: Mutex::default() }
        };
        let databases = Self { servers: (0..DATABASES).map(server).collect(), primary: AtomicUsize::new(0) };
        let first = &databases.servers[0];
        first.initialize();
        first.launch();
        // Nothing is durable yet, and no standby exists.
        let alone = format!("postgres://postgres@{}/postgres?sslmode=disable", first.host.address());
        fill(&alone);
        databases.sql(RECORDS);
        databases.rebuild_standby();
        databases
    }

    /// The address of both; the one that accepts writes is used.
    pub fn url(&self) -> String {
        let hosts: Vec<String> = self.servers.iter().map(|server| server.host.address().to_string()).collect();
        format!("postgres://postgres@{}/postgres?sslmode=disable", hosts.join(","))
    }

    /// The server that accepts writes.
    pub fn primary(&self) -> Host {
        Host::Database(self.primary.load(Ordering::SeqCst))
    }

    /// The other one.
    pub fn standby(&self) -> Host {
        Host::Database(1 - self.primary.load(Ordering::SeqCst))
    }

    fn server(&self, host: Host) -> &Server {
        self.servers.iter().find(|server| server.host == host).unwrap()
    }

    /// Runs SQL on the primary and returns the rows, a line each, with `|` between the columns.
    pub fn sql(&self, sql: &str) -> String {
        self.server(self.primary()).try_sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// The same; `None` if the server does not answer.
    pub fn try_sql(&self, sql: &str) -> Option<String> {
        self.server(self.primary()).try_sql(sql).ok()
    }

    /// Does something to the process of a server.
    pub fn process(&self, host: Host, act: impl FnOnce(&mut HostProcess)) {
        if let Some(process) = self.server(host).process.lock().unwrap().as_mut() {
            act(process);
        }
    }

    /// Starts a server again that was killed.
    pub fn restart(&self, host: Host) {
        self.server(host).launch();
    }

    /// Waits until the commits of the primary wait for the standby, and it follows; returns whether that is so in time.
    pub fn wait_for_standby(&self) -> bool {
        let started_at = Instant::now();
        while started_at.elapsed() < WAIT_MAX {
            if self.try_sql("SELECT sync_state FROM pg_stat_replication").as_deref() == Some("sync") {
                return true;
            }
            thread::sleep(Duration::from_millis(50));
        }
        false
    }

    /// Makes the standby the primary. The one before must have been killed.
    pub fn promote_standby(&self) {
        let successor = self.standby();
        let promoted = self.server(successor).try_sql("SELECT pg_promote(true, 60)");
        assert_eq!(promoted.as_deref(), Ok("t"), "the standby was not promoted");
        self.primary.store(1 - self.primary.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// Makes a new standby out of a copy of the primary.
    pub fn rebuild_standby(&self) {
        let standby = self.server(self.standby());
        *standby.process.lock().unwrap() = None;
        let from = self.primary().address().to_string();
        let options = ["-h", &from, "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync"];
        let started_at = Instant::now();
        loop {
            let _ = fs::remove_dir_all(&standby.data);
            let copied = standby.command("pg_basebackup").arg("-D").arg(&standby.data).args(options).output().unwrap();
            if copied.status.success() {
                break;
            }
            // The two may be cut from each other now.
            let errors = String::from_utf8_lossy(&copied.stderr);
            assert!(started_at.elapsed() < WAIT_MAX, "the primary cannot be copied: {errors}");
        }
        // It is the primary's setting once it is promoted.
        standby.append("postgresql.auto.conf", "synchronous_standby_names = '*'\n");
        standby.launch();
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.sql("SELECT pg_reload_conf()");
        assert!(self.wait_for_standby(), "the new standby does not follow");
    }
}

impl Server {
    /// Returns the command for a program of PostgreSQL on this host. It refuses to run as root, which this process is in
    /// its namespace, so it is another user in one of its own.
    fn command(&self, name: &str) -> Command {
        let mut command = self.host.command("unshare");
        command.args(["--user", "--map-user=65534", "--map-group=65534", "--"]).arg(program(name));
        command.current_dir("/").env("LC_ALL", "C");
        command
    }

    fn initialize(&self) {
        let options = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
        run(self.command("initdb").arg("-D").arg(&self.data).args(options));
        self.append("postgresql.conf", SETTINGS);
        self.append("pg_hba.conf", "host all all 10.77.0.0/24 trust\nhost replication all 10.77.0.0/24 trust\n");
    }

    fn append(&self, file: &str, text: &str) {
        let mut file = File::options().append(true).open(self.data.join(file)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Starts the server, and waits until it answers.
    fn launch(&self) {
        let mut command = self.command("postgres");
        command.arg("-D").arg(&self.data).arg("-k").arg(self.data.parent().unwrap());
        command.arg("-c").arg(format!("listen_addresses={}", self.host.address()));
        *self.process.lock().unwrap() = Some(HostProcess::start(&mut command, &self.host.name()));
        let started_at = Instant::now();
        while let Err(error) = self.try_sql("SELECT 1") {
            let has_ended = self.process.lock().unwrap().as_mut().unwrap().ended().is_some();
            assert!(!has_ended && started_at.elapsed() < WAIT_MAX, "{} does not start: {error}", self.host.name());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn try_sql(&self, sql: &str) -> Result<String, String> {
        let mut psql = Command::new(program("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-U", "postgres", "-d", "postgres", "-v", "ON_ERROR_STOP=1"]);
        psql.arg("-h").arg(self.host.address().to_string()).args(["-c", sql]);
        psql.env("PGCONNECT_TIMEOUT", "2").env("PGOPTIONS", "-c synchronous_commit=local");
        let output = psql.output().unwrap();
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim_end().to_owned())
        }
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
