//! The opening of the journal, in the data folder or in a database, and of a demo's chain beside it.

use std::fs;
use std::sync::Arc;

use engine::journal::{Position, SharedJournal as _};
use persistence::{
    FolderLock, Options, PostgresJournal, PostgresOptions, SledJournal, SynchronousStandbys, WholeJournal as _,
};

use super::cluster_node;
use crate::config::journal_url::JournalUrl;
use crate::config::settings::Settings;
use crate::demo::Demo;
use crate::failure::Failure;
use crate::journal::ServerJournal;
use crate::node::Node;
use crate::progress::ProgressCallback;

/// The folder within the data folder where the past of a new demo is generated before a database gets it.
const PAST: &str = "past";

/// The journal, and what belongs to it.
pub(super) struct Opened {
    pub(super) journal: ServerJournal,
    /// The lock of the data folder, where the journal does not hold it.
    pub(super) folder: Option<FolderLock>,
    /// The chain of a demo that needs one.
    pub(super) node: Option<Node>,
}

/// Opens the journal, and then the chain of a demo without a node, which is covered by the same lock.
///
/// # Errors
/// One line: a damaged journal, another process on the folder, a database that is away or could lose a write.
pub(super) async fn open(
    settings: &Settings,
    demo: Option<&mut Demo>,
    has_node: bool,
    progress: ProgressCallback<'_>,
) -> Result<Opened, Failure> {
    if settings.journal.is_some() && settings.signer_in_process && demo.is_none() {
        return Err(Failure::new(
            "the nodes of one journal share their signer: set signer_socket instead of signer_in_process",
        ));
    }
    let demo = demo.filter(|_| !has_node);
    let Some(url) = &settings.journal else {
        progress(&format!("Opening the journal in {} ...", settings.data.display()));
        let journal = SledJournal::open(&settings.data, Options::default()).map_err(Failure::new)?;
        let journal = ServerJournal::Sled(Arc::new(journal));
        let node = match demo {
            Some(demo) => Some(demo.open_chain(settings, &journal, progress).await?),
            None => None,
        };
        return Ok(Opened { journal, folder: None, node });
    };
    let folder = FolderLock::acquire(&settings.data).map_err(Failure::new)?;
    let node = match demo {
        Some(demo) => Some(open_chain(demo, settings, url, progress).await?),
        None => None,
    };
    progress(&format!("Opening the journal in {url} ..."));
    let (address, for_journal) = (url.address().clone(), settings.clone());
    let opening = tokio::task::spawn_blocking(move || cluster_node::open_journal(&address, &for_journal));
    let journal = opening.await.map_err(Failure::new)??;
    Ok(Opened { journal: ServerJournal::Postgres(Arc::new(journal)), folder: Some(folder), node })
}

/// Opens the chain of a demo. The past of a new one is generated in a journal of its own, which the database then gets.
async fn open_chain(
    demo: &mut Demo,
    settings: &Settings,
    url: &JournalUrl,
    progress: ProgressCallback<'_>,
) -> Result<Node, Failure> {
    let folder = settings.data.join(PAST);
    let cannot = |error| Failure::new(error).while_doing(folder.display());
    fs::create_dir_all(&folder).map_err(cannot)?;
    let journal = Arc::new(SledJournal::open(&folder, Options::default()).map_err(Failure::new)?);
    let node = demo.open_chain(settings, &ServerJournal::Sled(Arc::clone(&journal)), progress).await?;
    let (address, standbys) = (url.address().clone(), settings.journal_standbys);
    let moving = tokio::task::spawn_blocking(move || {
        journal.close();
        let (mut lines, mut is_empty) = (Vec::new(), true);
        let any = &mut |_, _| {
            is_empty = false;
            std::ops::ControlFlow::Break(())
        };
        journal.replay_whole(any).map_err(Failure::new)?;
        if is_empty {
            return Ok(());
        }
        let standbys = SynchronousStandbys::at_least(standbys);
        let options = PostgresOptions { standbys, ..PostgresOptions::default() };
        if PostgresJournal::open_existing(&address, options.clone()).is_ok_and(|there| there.position() > Position(0)) {
            // It was moved there, and this process ended before it could remove it here.
            return Ok(());
        }
        persistence::export(&*journal, &mut lines).map_err(Failure::new)?;
        let restored = persistence::restore_postgres(&address, &options, &mut lines.as_slice(), &mut |_| {});
        restored.map(drop).map_err(Failure::new)
    });
    moving.await.map_err(Failure::new)??;
    fs::remove_dir_all(&folder).map_err(cannot)?;
    Ok(node)
}
