//! A simulated disk: what must be on it, what may be, and what a power cut leaves of both.
//!
//! - Of a sector, 512 bytes, a cut leaves any version that it had since the last sync of its file, each sector by itself.
//! - Lengths are those of the sectors that are left, or one that was set.
//! - Names change in order: a cut leaves those of any moment since the last sync of a folder, or since the last change in a
//!   folder that is synced at once.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use rand::{RngExt as _, rngs::StdRng};

use crate::recording::{Handle, Operation};

const SECTOR: usize = 512;

/// The effect of a sync on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// All earlier writes are kept from then on.
    InSyncs,
    /// Nothing more than without it.
    InNothing,
}

/// A file by its number.
type Inode = usize;

/// A change of names.
#[derive(Clone, Debug)]
enum NameChange {
    Link(PathBuf, Node),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Folder,
    File(Inode),
}

/// A change of a file since its last sync.
#[derive(Clone, Debug)]
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    SetLength(usize),
}

#[derive(Clone, Debug, Default)]
struct Content {
    durable: Vec<u8>,
    pending: Vec<Change>,
}

/// A sync that has begun.
#[derive(Clone, Copy, Debug)]
struct Sync {
    target: Target,
    /// The number of changes that were pending.
    pending: usize,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Names,
    Content(Inode),
}

/// The disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    durable_names: BTreeMap<PathBuf, Node>,
    pending_names: Vec<NameChange>,
    /// As the process sees them.
    names: BTreeMap<PathBuf, Node>,
    contents: Vec<Content>,
    open: HashMap<Handle, Node>,
    syncs: HashMap<usize, Sync>,
    /// The folders in which each change of a name is durable when it returns.
    synced_at_once: BTreeSet<PathBuf>,
}

impl Disk {
    /// Carries an operation out.
    pub(crate) fn apply(&mut self, operation: &Operation, trust: Trust) {
        match operation {
            Operation::Open { handle, path, creates, empties } => self.open(*handle, path, *creates, *empties),
            Operation::Write { handle, offset, bytes } => {
                let offset = usize::try_from(*offset).unwrap();
                self.change(*handle, Change::Write { offset, bytes: bytes.clone() });
            }
            Operation::SetLength { handle, length } => {
                self.change(*handle, Change::SetLength(usize::try_from(*length).unwrap()));
            }
            Operation::SyncBegins { handle, sync } => {
                let begun = match self.open[handle] {
                    Node::Folder => Sync { target: Target::Names, pending: self.pending_names.len() },
                    Node::File(inode) => {
                        Sync { target: Target::Content(inode), pending: self.contents[inode].pending.len() }
                    }
                };
                self.syncs.insert(*sync, begun);
            }
            Operation::SyncEnds { sync } => {
                let ended = self.syncs.remove(sync).unwrap();
                if trust == Trust::InSyncs {
                    self.settle(ended);
                }
            }
            Operation::SyncNamesAtOnce { path } => {
                if trust == Trust::InSyncs {
                    self.synced_at_once.insert(path.clone());
                }
            }
            Operation::CreateFolder { path } => self.change_names(NameChange::Link(path.clone(), Node::Folder)),
            Operation::Rename { from, to } => self.change_names(NameChange::Rename(from.clone(), to.clone())),
            Operation::Remove { path } => self.change_names(NameChange::Remove(path.clone())),
        }
    }

    fn open(&mut self, handle: Handle, path: &Path, creates: bool, empties: bool) {
        let node = match self.names.get(path) {
            Some(node) => *node,
            None if creates => {
                let node = Node::File(self.contents.len());
                self.contents.push(Content::default());
                self.change_names(NameChange::Link(path.to_owned(), node));
                node
            }
            None => panic!("{} was opened, and is not there", path.display()),
        };
        self.open.insert(handle, node);
        if empties {
            self.change(handle, Change::SetLength(0));
        }
    }

    fn change(&mut self, handle: Handle, change: Change) {
        let Node::File(inode) = self.open[&handle] else { panic!("a folder is written") };
        self.contents[inode].pending.push(change);
    }

    fn change_names(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        let is_synced = change.path().parent().is_some_and(|folder| self.synced_at_once.contains(folder));
        self.pending_names.push(change);
        if is_synced {
            self.settle(Sync { target: Target::Names, pending: self.pending_names.len() });
        }
    }

    /// Makes the first pending changes durable. Another sync may have done so with some of them.
    fn settle(&mut self, Sync { target, pending }: Sync) {
        match target {
            Target::Names => {
                for change in self.pending_names.drain(..pending) {
                    change.apply(&mut self.durable_names);
                }
                for other in self.syncs.values_mut().filter(|other| matches!(other.target, Target::Names)) {
                    other.pending = other.pending.saturating_sub(pending);
                }
            }
            Target::Content(inode) => {
                let content = &mut self.contents[inode];
                for change in content.pending.drain(..pending) {
                    change.apply(&mut content.durable);
                }
                let same = |other: &&mut Sync| matches!(other.target, Target::Content(other) if other == inode);
                for other in self.syncs.values_mut().filter(same) {
                    other.pending = other.pending.saturating_sub(pending);
                }
            }
        }
    }

    /// Returns what a power cut leaves, as a disk on which everything is durable.
    pub(crate) fn cut(&self, random: &mut StdRng) -> Self {
        let mut names = self.durable_names.clone();
        let kept = random.random_range(0..=self.pending_names.len());
        for change in &self.pending_names[..kept] {
            change.apply(&mut names);
        }
        // Some disks have written nearly everything, others nearly nothing.
        let haste = [0.0, 0.05, 0.5, 0.95, 1.0][random.random_range(0..5_usize)];
        let mut contents = Vec::new();
        for node in names.values_mut() {
            if let Node::File(inode) = node {
                contents.push(Content { durable: self.contents[*inode].cut(haste, random), pending: Vec::new() });
                *inode = contents.len() - 1;
            }
        }
        Self { durable_names: names.clone(), names, contents, ..Self::default() }
    }

    /// Writes all files into a folder, which is created if there is anything.
    pub(crate) fn write_to(&self, folder: &Path) {
        for (path, node) in &self.names {
            match node {
                Node::Folder => std::fs::create_dir_all(folder.join(path)).unwrap(),
                Node::File(inode) => std::fs::write(folder.join(path), &self.contents[*inode].durable).unwrap(),
            }
        }
    }
}

impl NameChange {
    /// The name that is new or gone; of a rename the new one.
    fn path(&self) -> &Path {
        match self {
            Self::Link(path, _) | Self::Remove(path) | Self::Rename(_, path) => path,
        }
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, Node>) {
        match self {
            Self::Link(path, node) => drop(names.insert(path.clone(), *node)),
            Self::Remove(path) => drop(names.remove(path)),
            Self::Rename(from, to) => {
                let moved: Vec<_> = names.keys().filter(|path| path.starts_with(from)).cloned().collect();
                for path in moved {
                    let node = names.remove(&path).unwrap();
                    let below = path.strip_prefix(from).unwrap();
                    let path = if below.as_os_str().is_empty() { to.clone() } else { to.join(below) };
                    names.insert(path, node);
                }
            }
        }
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::SetLength(length) => bytes.resize(*length, 0),
            Self::Write { offset, bytes: written } => {
                let end = offset + written.len();
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes[*offset..end].copy_from_slice(written);
            }
        }
    }
}

impl Content {
    /// Returns what a cut leaves of a file: each sector as it was after a random one of the pending changes.
    fn cut(&self, haste: f64, random: &mut StdRng) -> Vec<u8> {
        let mut left = self.durable.clone();
        let mut touched: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut lengths = vec![left.len()];
        for (number, change) in self.pending.iter().enumerate() {
            match change {
                Change::Write { offset, bytes } => {
                    let sectors = offset / SECTOR..(offset + bytes.len()).div_ceil(SECTOR);
                    sectors.for_each(|sector| touched.entry(sector).or_default().push(number));
                }
                Change::SetLength(length) => lengths.push(*length),
            }
        }
        // A length that was set is the one before what is written.
        left.resize(lengths[random.random_range(0..lengths.len())], 0);
        for (sector, changes) in touched {
            let kept = if random.random_bool(haste) { changes.len() } else { random.random_range(0..=changes.len()) };
            let kept = if haste == 0.0 && random.random_bool(0.9) { 0 } else { kept };
            for change in &changes[..kept] {
                self.pending[*change].apply_to_sector(&mut left, sector);
            }
        }
        left
    }
}

impl Change {
    /// Applies the part of a write that is in a sector.
    fn apply_to_sector(&self, left: &mut Vec<u8>, sector: usize) {
        let Self::Write { offset, bytes } = self else { return };
        let (from, to) = ((*offset).max(sector * SECTOR), (offset + bytes.len()).min((sector + 1) * SECTOR));
        Self::Write { offset: from, bytes: bytes[from - offset..to - offset].to_vec() }.apply(left);
    }
}
