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

const COUNT_STANDBYS: &str = "SELECT count(*) AS connected FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming'";

/// The durability of a server's commits, as configured now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Durability {
    /// The setting by which an answered commit could be lost, with its remedy; `None` if there is none.
    pub unsafe_reason: Option<String>,
    /// The connected synchronous standbys, as far as the login may see them; `None` if it may not.
    pub standbys_connected: Option<u64>,
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
            let named = self.get("synchronous_standby_names").map_or(0, standbys_waited_for);
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

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl Durability {
    pub(super) fn read(session: &Session, standbys: SynchronousStandbys) -> Result<Self, StatementError> {
        let unsafe_reason = ServerSettings::read(session)?.check(standbys).err();
        // Other engines have no such view, and a login without pg_monitor sees no state.
        let connected = session.query(COUNT_STANDBYS, Vec::new()).ok();
        let connected = connected.and_then(|rows| rows.first()?.try_get::<_, i64>("connected").ok());
        Ok(Self { unsafe_reason, standbys_connected: connected.and_then(|count| u64::try_from(count).ok()) })
    }
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
