//! The settings by which a server keeps every commit that it has answered.

use std::collections::BTreeMap;

use tokio_postgres::Row;

use super::{
    options::SynchronousStandbys,
    session::{Session, StatementError},
};

/// The oldest server version that is supported, as the server numbers it.
const VERSION_MIN: u32 = 130_000;

const SELECT_SETTINGS: &str = "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', \
    'server_version', 'server_version_num', 'synchronous_commit', 'synchronous_standby_names')";

/// Counts the synchronous standbys, and the connections whose state this login may not see.
const COUNT_STANDBYS: &str = "SELECT \
        count(*) FILTER (WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming') AS connected, \
        count(*) FILTER (WHERE state IS NULL) AS hidden \
    FROM pg_stat_replication";

/// The durability of a server's commits, as configured now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Durability {
    /// The setting by which an answered commit could be lost, with its remedy; `None` if there is none.
    pub unsafe_reason: Option<String>,
    /// The number of connected synchronous standbys; `None` if the login may not see it.
    pub standbys_connected: Option<u64>,
    /// The number of standbys without which commits wait, or the database is refused: that of its settings, or the
    /// required one if that is larger.
    pub standbys_required: u64,
}

/// The kind of synchronous commit that was found good, to be set for a writing session explicitly, so that later
/// changes of the configuration cannot weaken it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitLevel {
    /// The standby has written the commit to its disk.
    On,
    /// The standby has applied the commit, too.
    RemoteApply,
}

impl CommitLevel {
    pub(super) const fn set(self) -> &'static str {
        match self {
            Self::On => "SET synchronous_commit = on",
            Self::RemoteApply => "SET synchronous_commit = remote_apply",
        }
    }
}

/// The settings of a server. Engines other than PostgreSQL lack some; those are not checked.
#[derive(Debug, Default)]
pub(super) struct ServerSettings(BTreeMap<String, String>);

impl ServerSettings {
    pub(super) fn read(session: &Session) -> Result<Self, StatementError> {
        let pair = |row: &Row| row.try_get("name").and_then(|name| Ok((name, row.try_get("setting")?)));
        let rows = session.query(SELECT_SETTINGS, Vec::new())?;
        rows.iter().map(pair).collect::<Result<_, _>>().map(Self).map_err(StatementError::Database)
    }

    /// Returns the kind of synchronous commit to write with; `Err` is the unsafe setting and its remedy.
    pub(super) fn check(&self, standbys: SynchronousStandbys) -> Result<CommitLevel, String> {
        self.check_version()?;
        for name in ["fsync", "full_page_writes"] {
            if self.get(name).is_some_and(|value| value != "on") {
                return Err(format!("{name} is off: set {name} = on in postgresql.conf and restart the server"));
            }
        }
        let level = match self.get("synchronous_commit") {
            Some("on") | None => CommitLevel::On,
            Some("remote_apply") => CommitLevel::RemoteApply,
            Some(value) => {
                return Err(format!(
                    "synchronous_commit is {value}: set synchronous_commit = on in postgresql.conf, for the database and \
                     for the role, and reload the server"
                ));
            }
        };
        if let SynchronousStandbys::Required(required) = standbys {
            let named = self.standbys_waited_for();
            if named < required {
                return Err(format!(
                    "a commit waits for {named} synchronous standbys, and {required} are required: name them in \
                     synchronous_standby_names, or accept a single database server with --journal-standbys 0"
                ));
            }
        }
        Ok(level)
    }

    fn check_version(&self) -> Result<(), String> {
        let version = self.get("server_version").unwrap_or("unknown");
        match self.get("server_version_num").and_then(|number| number.parse::<u32>().ok()) {
            Some(number) if number < VERSION_MIN => {
                Err(format!("the server is PostgreSQL {version}, and 13 is the oldest supported: upgrade it"))
            }
            _ => Ok(()),
        }
    }

    /// The number of standbys that a commit waits for.
    fn standbys_waited_for(&self) -> u32 {
        self.get("synchronous_standby_names").map_or(0, standbys_waited_for)
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl Durability {
    pub(super) fn read(session: &Session, standbys: SynchronousStandbys) -> Result<Self, StatementError> {
        let settings = ServerSettings::read(session)?;
        let required = match standbys {
            SynchronousStandbys::Required(required) => required.max(settings.standbys_waited_for()),
            SynchronousStandbys::NotRequired => settings.standbys_waited_for(),
        };
        Ok(Self {
            unsafe_reason: settings.check(standbys).err(),
            standbys_connected: count_standbys(session)?,
            standbys_required: required.into(),
        })
    }
}

/// Counts the connected synchronous standbys. Other engines have no such view, and a login without `pg_monitor` sees no
/// state of those that are connected.
fn count_standbys(session: &Session) -> Result<Option<u64>, StatementError> {
    let rows = match session.query(COUNT_STANDBYS, Vec::new()) {
        Err(error) if error.is_transient() => return Err(error),
        Err(_) => return Ok(None),
        Ok(rows) => rows,
    };
    let count = |name| rows.first().and_then(|row| row.try_get::<_, i64>(name).ok());
    let is_known = count("hidden") == Some(0);
    Ok(count("connected").filter(|_| is_known).and_then(|connected| u64::try_from(connected).ok()))
}

/// The number of standbys that a commit waits for, from `synchronous_standby_names`.
fn standbys_waited_for(names: &str) -> u32 {
    let names = names.trim();
    if names.is_empty() {
        return 0;
    }
    let counted = names.split_once('(').map(|(before, _)| before.trim().to_ascii_uppercase());
    let Some(counted) = counted else { return 1 };
    let number = ["FIRST", "ANY"].into_iter().find_map(|method| counted.strip_prefix(method)).unwrap_or(&counted);
    // Anything else is a quoted name with a bracket in it, in a plain list, whose first standby is waited for.
    number.trim().parse().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [(&str, &str); 6] = [
        ("fsync", "on"),
        ("full_page_writes", "on"),
        ("server_version", "15.18"),
        ("server_version_num", "150018"),
        ("synchronous_commit", "on"),
        ("synchronous_standby_names", "FIRST 1 (a, b)"),
    ];

    fn checked(change: (&str, &str), standbys: SynchronousStandbys) -> Result<CommitLevel, String> {
        let mut settings: BTreeMap<_, _> = GOOD.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        settings.insert(change.0.to_owned(), change.1.to_owned());
        ServerSettings(settings).check(standbys)
    }

    #[test]
    fn each_unsafe_setting_is_refused_with_its_remedy() {
        let one = SynchronousStandbys::Required(1);
        assert_eq!(checked(("fsync", "on"), one), Ok(CommitLevel::On));
        assert_eq!(checked(("synchronous_commit", "remote_apply"), one), Ok(CommitLevel::RemoteApply));
        for (name, value, remedy) in [
            ("fsync", "off", "set fsync = on"),
            ("full_page_writes", "off", "set full_page_writes = on"),
            ("synchronous_commit", "off", "set synchronous_commit = on"),
            ("synchronous_commit", "local", "set synchronous_commit = on"),
            ("synchronous_commit", "remote_write", "set synchronous_commit = on"),
            ("synchronous_standby_names", "", "or accept a single database server"),
            ("server_version_num", "120099", "upgrade it"),
        ] {
            let reason = checked((name, value), one).unwrap_err();
            assert!(reason.contains(remedy) && !reason.contains('\n'), "{name} = {value}: {reason}");
        }
        assert_eq!(checked(("synchronous_standby_names", ""), SynchronousStandbys::NotRequired), Ok(CommitLevel::On));
        assert!(checked(("fsync", "off"), SynchronousStandbys::NotRequired).is_err());
        assert!(checked(("synchronous_commit", "local"), SynchronousStandbys::NotRequired).is_err());
    }

    #[test]
    fn enough_standbys_must_be_waited_for() {
        for (names, count) in [
            ("", 0),
            ("*", 1),
            ("a, b", 1),
            ("2 (a, b, c)", 2),
            ("FIRST 3 (a, b, c)", 3),
            ("any 2(a, b, c)", 2),
            ("\"odd (name\", b", 1),
        ] {
            assert_eq!(standbys_waited_for(names), count, "{names}");
            assert_eq!(
                checked(("synchronous_standby_names", names), SynchronousStandbys::Required(2)).is_ok(),
                count >= 2
            );
        }
    }
}
