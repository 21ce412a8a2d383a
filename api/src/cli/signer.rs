//! `lienbook signer`, `lienbook signer init` and `lienbook signer forget-epoch`: the vault signer, its key file and its log.

pub(super) mod arguments;

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::Path;

use figment::Figment;
use figment::providers::{Format as _, Toml};
use nix::unistd::User;
use rustix::fs::{Mode, OFlags};
use serde::de::DeserializeOwned;
use signer::in_process::InProcess;
use signer::key_file::{self, Lock};
use signer::policy::{Policy, PolicyDraft};
use signer::signer::Signer;
use signer::socket_server::SignerSocket;
use signer::term_sheet::TermSheet;
use tokio::runtime::Builder;

use self::arguments::{SignerCommand, SignerServe, SignerSubcommand, Unlock};
use super::serve::StopSignals;
use super::terminal::{note, say, table};
use crate::config::secret_source;
use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::program_log::ProgramLog;

/// The environment variable that may hold the passphrase.
const PASSPHRASE_VARIABLE: &str = "LIENBOOK_SIGNER_PASSPHRASE";

/// Serves until the process receives a signal to stop, or creates a key file.
pub(super) fn run(settings: &Settings, command: &SignerCommand) -> Result<(), Failure> {
    match (&command.act, &command.serve) {
        (Some(SignerSubcommand::Init { keys, unlock }), _) => init(keys, unlock),
        (Some(SignerSubcommand::ForgetEpoch { record }), _) => forget_epoch(record),
        (None, Some(how)) => {
            let log = ProgramLog::start(settings)?;
            let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
            let served = runtime.map_err(Failure::new)?.block_on(serve(how, &command.unlock));
            log.stop();
            served
        }
        (None, None) => Err(Failure::new("say how to serve: see `lienbook signer --help`")),
    }
}

fn init(keys: &Path, unlock: &Unlock) -> Result<(), Failure> {
    let lock = match &unlock.identity_file {
        Some(path) if !path.exists() => key_file::create_identity(path).map_err(Failure::new)?,
        _ => lock(unlock)?,
    };
    let seed = key_file::create(keys, &lock).map_err(Failure::new)?;
    let is_given = give_to_owner_of_folder(keys).map_err(|error| about(keys, error))?;
    say("Made a seed for the keys of all vaults.");
    let identity = seed.identity().map_err(Failure::new)?.public_key().to_string();
    let rows =
        [("key file", keys.display().to_string()), ("signer", seed.fingerprint().to_string()), ("identity", identity)];
    say(table(&rows).trim_end());
    if is_given {
        note("The file belongs to the owner of its folder, who runs the signer.");
    }
    note("Keep a copy of the file, and what unlocks it in another place: without them every lender must exit alone.");
    Ok(())
}

/// Gives a file that root has created to the owner of its folder: that is the user of the signer, which reads it.
/// Returns whether it did.
fn give_to_owner_of_folder(file: &Path) -> std::io::Result<bool> {
    // The owner of the folder can put another file in its place meanwhile, so only the open one is asked and changed.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let created = File::from(rustix::fs::open(file, flags, Mode::empty())?);
    let (metadata, folder) = (created.metadata()?, fs::metadata(folder_of(file))?);
    let is_given = metadata.uid() == 0 && metadata.nlink() == 1 && folder.uid() != 0;
    if is_given {
        fchown(&created, Some(folder.uid()), Some(folder.gid()))?;
        created.sync_all()?;
    }
    Ok(is_given)
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// Has the log of a stopped signer accept servers of any epoch again.
fn forget_epoch(record: &Path) -> Result<(), Failure> {
    if !record.exists() {
        return Err(Failure::new(format!("{} does not exist", record.display())));
    }
    match Signer::forget_epoch(record).map_err(Failure::new)? {
        0 => say("The signer has seen no epoch."),
        epoch => say(format_args!("The signer no longer remembers epoch {epoch}; start it again.")),
    }
    Ok(())
}

async fn serve(how: &SignerServe, unlock: &Unlock) -> Result<(), Failure> {
    let mut stop = StopSignals::listen()?;
    let draft: PolicyDraft = read_toml(&how.policy)?;
    let sheet: TermSheet = read_toml(&how.terms)?;
    let seed = key_file::open(&how.keys, &lock(unlock)?).map_err(Failure::new)?;
    let policy = Policy::new(draft, &seed).map_err(|error| about(&how.policy, error))?;
    let hash = policy.hash();
    let signers = policy
        .signers()
        .map_or_else(|| "one".to_owned(), |set| format!("{} of {}", set.required(), set.identities().len()));
    let (signer, opened) = Signer::open(seed, policy, sheet, &how.record).map_err(Failure::new)?;
    let client = how.client_user.as_deref().map(user_id).transpose()?;
    let socket = SignerSocket::open_to(&how.socket, client).map_err(Failure::new)?;
    let rows = [("policy", hash.to_string()), ("signers", signers), ("log entries", opened.lines.to_string())];
    say(table(&rows).trim_end());
    say(format_args!("Signing at {}; stop with Ctrl-C.", how.socket.display()));
    tokio::select! {
        () = socket.serve(InProcess::new(signer)) => {}
        () = stop.received() => {}
    }
    note("Stopped.");
    Ok(())
}

fn lock(unlock: &Unlock) -> Result<Lock, Failure> {
    let Unlock { passphrase_file, identity_file } = unlock;
    let found = match (passphrase_file, identity_file) {
        (Some(path), _) => Lock::passphrase_file(path),
        (None, Some(path)) => Lock::identity_file(path),
        (None, None) => {
            let text = secret_source::find(PASSPHRASE_VARIABLE)?.ok_or_else(|| {
                Failure::new(format!("give --passphrase-file or --identity-file, or set {PASSPHRASE_VARIABLE}"))
            })?;
            Lock::passphrase(&text)
        }
    };
    found.map_err(Failure::new)
}

/// Returns the id of a user of this machine.
fn user_id(name: &str) -> Result<u32, Failure> {
    let found = User::from_name(name).map_err(|error| Failure::new(error).while_doing(format!("the user {name}")))?;
    found.map(|user| user.uid.as_raw()).ok_or_else(|| Failure::new(format!("there is no user called {name}")))
}

fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let text = fs::read_to_string(path).map_err(|error| about(path, error))?;
    Figment::from(Toml::string(&text)).extract().map_err(|error| about(path, error))
}

fn about(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::new(error).while_doing(path.display())
}
