//! The address of a database: one URL with one or several hosts, and a password that is never shown.

use std::{fmt, net::IpAddr, path::PathBuf, str::FromStr, time::Duration};

use tokio_postgres::{
    Config,
    config::{Host, SslMode, TargetSessionAttrs},
};

use crate::database_error::DatabaseError;

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// The parameters that this module reads itself.
const SSL_MODE: &str = "sslmode";
const SSL_ROOT_CERTIFICATE: &str = "sslrootcert";

/// The defaults by which a cut network is noticed. They are of TCP alone: its keepalives are answered by the kernel of a
/// server whose commit waits for a slow standby.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 4;
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum length of an address in bytes, and of its list of hosts.
const BYTES_MAX: usize = 4_096;
const HOSTS_MAX: usize = 16;

/// The address of a journal's database, `postgres://user:password@host:port,host:port/database?sslmode=...`.
///
/// Several hosts are servers of one cluster, of which the one that accepts writes is used. The connection is encrypted,
/// and the certificate is verified for the host name, unless all hosts are local or `sslmode=disable` is given;
/// `sslrootcert` names a file of PEM certificates to trust instead of those of the system. Its text forms never contain
/// the password.
#[derive(Clone)]
pub struct PostgresAddress {
    hosts: Vec<Config>,
    root_certificates: Option<PathBuf>,
    shown: String,
}

impl PostgresAddress {
    /// One configuration per host, in order.
    pub(super) fn hosts(&self) -> &[Config] {
        &self.hosts
    }

    /// Whether connections are encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.hosts.iter().any(|host| host.get_ssl_mode() != SslMode::Disable)
    }

    /// The file of the only certificates to trust; `None` for those of the system.
    pub(super) const fn root_certificates(&self) -> Option<&PathBuf> {
        self.root_certificates.as_ref()
    }
}

impl FromStr for PostgresAddress {
    type Err = DatabaseError;

    fn from_str(text: &str) -> Result<Self, DatabaseError> {
        let refused = |reason: &str| DatabaseError::Address(reason.to_owned());
        if text.len() > BYTES_MAX {
            return Err(refused("it is too long"));
        }
        let scheme = SCHEMES.into_iter().find(|scheme| text.starts_with(scheme));
        let Some(scheme) = scheme else { return Err(refused("it does not begin with postgres://")) };
        let rest = &text[scheme.len()..];
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (credentials, hosts) = authority.rsplit_once('@').map_or(("", authority), |(user, hosts)| (user, hosts));
        let Parameters { ssl_mode, root_certificates, others } = Parameters::read(query)?;
        let credentials = if credentials.is_empty() { String::new() } else { format!("{credentials}@") };
        let one = |host: &str| {
            let url = format!("{scheme}{credentials}{host}/{database}{others}");
            // The text of the library's error can quote the address, so it is not shown.
            let mut config = url.parse::<Config>().map_err(|_| refused("it is not a URL of a PostgreSQL database"))?;
            set_defaults(&mut config);
            match (config.get_hosts(), config.get_hostaddrs()) {
                ([_], []) => Ok(config),
                _ => {
                    Err(refused("it needs one host name or socket folder for each server, before the database's name"))
                }
            }
        };
        let mut hosts = hosts.split(',').map(one).collect::<Result<Vec<_>, _>>()?;
        if hosts.len() > HOSTS_MAX {
            return Err(refused("it has too many hosts"));
        }
        let is_local = hosts.iter().all(|config| config.get_hosts().iter().all(is_local));
        let mode = ssl_mode.unwrap_or(if is_local { SslMode::Disable } else { SslMode::Require });
        for config in &mut hosts {
            config.ssl_mode(mode);
        }
        let shown = shown(scheme, &hosts);
        Ok(Self { hosts, root_certificates, shown })
    }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresAddress").field(&self.shown).finish()
    }
}

/// The parameters of the query.
struct Parameters {
    ssl_mode: Option<SslMode>,
    root_certificates: Option<PathBuf>,
    /// The others, for the library, with their question mark.
    others: String,
}

impl Parameters {
    fn read(query: &str) -> Result<Self, DatabaseError> {
        let mut found = Self { ssl_mode: None, root_certificates: None, others: String::new() };
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some((SSL_MODE, "disable")) => found.ssl_mode = Some(SslMode::Disable),
                // Encryption without a verified certificate protects from no attacker, so there is no such mode.
                Some((SSL_MODE, "require" | "verify-ca" | "verify-full")) => found.ssl_mode = Some(SslMode::Require),
                Some((SSL_MODE, _)) => {
                    let reason = "sslmode is disable, require or verify-full; both of these verify the certificate";
                    return Err(DatabaseError::Address(reason.to_owned()));
                }
                Some((SSL_ROOT_CERTIFICATE, path)) => found.root_certificates = Some(decoded(path)?),
                _ => {
                    found.others.push(if found.others.is_empty() { '?' } else { '&' });
                    found.others.push_str(parameter);
                }
            }
        }
        Ok(found)
    }
}

fn set_defaults(config: &mut Config) {
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(KEEPALIVE_IDLE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(KEEPALIVE_INTERVAL);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(KEEPALIVE_RETRIES);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(TCP_USER_TIMEOUT);
    }
    // Each host is tried by itself, and only the one that accepts writes is used.
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
    }
}

fn decoded(text: &str) -> Result<PathBuf, DatabaseError> {
    let refused = || DatabaseError::Address(format!("{SSL_ROOT_CERTIFICATE} is not a path"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next().ok_or_else(refused)?, rest.next().ok_or_else(refused)?];
        let digits = str::from_utf8(&digits).map_err(|_| refused())?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| refused())?);
    }
    String::from_utf8(bytes).map(PathBuf::from).map_err(|_| refused())
}

/// The address with the user and without password and parameters.
fn shown(scheme: &str, hosts: &[Config]) -> String {
    let user = hosts.first().and_then(Config::get_user).map_or_else(String::new, |user| format!("{user}@"));
    let names = hosts.iter().map(|config| {
        let port = config.get_ports().first().copied().unwrap_or(5432);
        match config.get_hosts().first() {
            Some(Host::Tcp(name)) => format!("{name}:{port}"),
            Some(Host::Unix(folder)) => format!("{}:{port}", folder.display()),
            None => String::new(),
        }
    });
    let database = hosts.first().and_then(Config::get_dbname).unwrap_or_default();
    format!("{scheme}{user}{}/{database}", names.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> PostgresAddress {
        text.parse().unwrap()
    }

    fn refused(text: &str) -> String {
        text.parse::<PostgresAddress>().unwrap_err().to_string()
    }

    #[test]
    fn hosts_are_separate_and_the_password_is_not_shown() {
        let address = address("postgres://ana:s%40fe@one:5433,two/book?application_name=x");
        assert_eq!(address.hosts().len(), 2);
        assert_eq!(address.hosts()[1].get_password(), Some(&b"s@fe"[..]));
        assert_eq!(address.to_string(), "postgres://ana@one:5433,two:5432/book");
        for text in [address.to_string(), format!("{address:?}")] {
            assert!(!text.contains("s@fe") && !text.contains("s%40fe"), "{text}");
        }
    }

    #[test]
    fn connections_are_encrypted_unless_all_hosts_are_local_or_it_is_disabled() {
        for (text, is_encrypted) in [
            ("postgres://a@db.example/b", true),
            ("postgres://a@127.0.0.1,localhost,[::1]/b", false),
            ("postgres://a@localhost,db.example/b", true),
            ("postgres://a@localhost/b?sslmode=verify-full", true),
            ("postgres://a@db.example/b?sslmode=disable", false),
            ("postgresql://a@%2Frun%2Fpostgresql/b", false),
        ] {
            assert_eq!(address(text).is_encrypted(), is_encrypted, "{text}");
        }
        let address = address("postgres://a@db/b?sslmode=require&sslrootcert=%2Fetc%2Fca.pem");
        assert_eq!(address.root_certificates(), Some(&PathBuf::from("/etc/ca.pem")));
    }

    #[test]
    fn only_the_server_that_accepts_writes_is_used_and_a_cut_network_is_noticed() {
        let address = address("postgres://a@one,two/b?target_session_attrs=any&keepalives_idle=77");
        for config in address.hosts() {
            assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
            assert_eq!(config.get_keepalives_idle(), Duration::from_secs(77));
            assert_eq!(config.get_tcp_user_timeout(), Some(&TCP_USER_TIMEOUT));
        }
    }

    #[test]
    fn an_unusable_address_is_refused_without_quoting_it() {
        for text in [
            "mysql://a:secret@b/c",
            "postgres://a:secret@b/c?sslmode=prefer",
            "postgres://a:secret@b/c?unknown=secret",
            "postgres://a:secret@b:port/c",
            "postgres://a:secret@/c",
            "postgres://a:secret@b/c?host=d",
            "postgres://a:secret@b/c?sslrootcert=%2",
        ] {
            let reason = refused(text);
            assert!(reason.starts_with("the address of the journal's database cannot be used: "), "{reason}");
            assert!(!reason.contains("secret"), "{reason}");
        }
        assert!(refused(&format!("postgres://{}", "a,".repeat(3_000))).ends_with("it is too long"));
        assert!(refused(&format!("postgres://{}a/b", "a,".repeat(30))).ends_with("it has too many hosts"));
    }
}
