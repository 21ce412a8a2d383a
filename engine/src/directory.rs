//! The directory of listed groups: their names and terms, and the books to notify when lenders change.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, RwLock, RwLockReadGuard},
};

use actix::{Message, Recipient};
use domain::{CollectionGroup, GroupId, Inscription, SubCollectionId, UserId};

use crate::ListingRejection;
use crate::locks::{MutexExt as _, RwLockExt as _};

/// A notification to a book that lenders changed; see [`ChangedLenders`].
#[derive(Message)]
#[rtype(result = "()")]
pub(crate) struct LendersChanged;

/// The lenders whose vaults, allowances or acceptance rates have changed since the book last checked. The values are
/// absolute, so one entry covers many changes.
#[derive(Debug, Default)]
pub(crate) struct ChangedLenders(Mutex<Vec<UserId>>);

impl ChangedLenders {
    /// Records a change; returns whether it is the first since the book last checked.
    pub(crate) fn insert(&self, lender: UserId) -> bool {
        let mut moved = self.0.lock_unpoisoned();
        if !moved.contains(&lender) {
            moved.push(lender);
        }
        moved.len() == 1
    }

    /// Takes all recorded lenders.
    pub(crate) fn take(&self) -> Vec<UserId> {
        std::mem::take(&mut *self.0.lock_unpoisoned())
    }
}

/// A listed group.
pub(crate) struct ListedGroup {
    /// The group with the terms in effect, as last published.
    group: RwLock<Arc<CollectionGroup>>,
    book: Recipient<LendersChanged>,
    changed_lenders: Arc<ChangedLenders>,
}

impl ListedGroup {
    pub(crate) fn new(
        group: Arc<CollectionGroup>,
        book: Recipient<LendersChanged>,
        changed_lenders: Arc<ChangedLenders>,
    ) -> Self {
        Self { group: RwLock::new(group), book, changed_lenders }
    }

    /// The group with the terms in effect.
    pub(crate) fn group(&self) -> Arc<CollectionGroup> {
        Arc::clone(&self.group.read_unpoisoned())
    }

    /// Notifies the book that a lender changed. A full mailbox does no harm: the book checks after every burst of
    /// messages.
    pub(crate) fn notify_lender_changed(&self, lender: UserId) {
        if self.changed_lenders.insert(lender) {
            let _ = self.book.try_send(LendersChanged);
        }
    }
}

#[derive(Default)]
struct Names {
    groups: HashMap<String, GroupId>,
    sub_collections: HashMap<String, (GroupId, SubCollectionId)>,
    inscriptions: HashMap<Inscription, GroupId>,
}

/// All listed groups.
#[derive(Default)]
pub(crate) struct Directory {
    entries: RwLock<BTreeMap<GroupId, Arc<ListedGroup>>>,
    /// Names reserved when a listing is decided, before it is durable and the entry appears.
    names: RwLock<Names>,
    /// The inscriptions whose listing is durable.
    inscriptions: RwLock<HashMap<Inscription, GroupId>>,
}

impl Directory {
    /// Reserves the names of a group, if all are free and the group is well formed.
    pub(crate) fn reserve_names(&self, group: &CollectionGroup) -> Result<(), ListingRejection> {
        if group.id.0 >> 24 != 0 || group.sub_collections.is_empty() {
            return Err(ListingRejection::Malformed(group.id));
        }
        let mut names = self.names.write_unpoisoned();
        if names.groups.values().any(|known| *known == group.id) {
            return Err(ListingRejection::IdTaken(group.id));
        }
        if names.groups.contains_key(group.slug.as_str()) {
            return Err(ListingRejection::SlugTaken(group.slug.clone()));
        }
        for (place, sub) in group.sub_collections.iter().enumerate() {
            if usize::from(sub.id.0) != place {
                return Err(ListingRejection::Misnumbered(group.id));
            }
            let is_twice = group.sub_collections.iter().take(place).any(|earlier| earlier.slug == sub.slug);
            if is_twice || names.sub_collections.contains_key(sub.slug.as_str()) {
                return Err(ListingRejection::SlugTaken(sub.slug.clone()));
            }
        }
        names.groups.insert(group.slug.to_string(), group.id);
        for sub in &group.sub_collections {
            names.sub_collections.insert(sub.slug.to_string(), (group.id, sub.id));
        }
        Ok(())
    }

    /// Reserves inscriptions for a group, if all are free; returns those that are new to it.
    pub(crate) fn reserve_inscriptions(
        &self,
        group: GroupId,
        inscriptions: &[Inscription],
    ) -> Result<Vec<Inscription>, ListingRejection> {
        let mut names = self.names.write_unpoisoned();
        let other =
            |inscription: &&Inscription| names.inscriptions.get(inscription).is_some_and(|known| *known != group);
        if let Some(taken) = inscriptions.iter().find(other) {
            return Err(ListingRejection::InscriptionTaken(*taken));
        }
        let is_new = |inscription: &Inscription| names.inscriptions.insert(*inscription, group).is_none();
        Ok(inscriptions.iter().copied().filter(is_new).collect())
    }

    /// Adds inscriptions whose listing is durable.
    pub(crate) fn add_inscriptions(&self, inscriptions: impl IntoIterator<Item = (Inscription, GroupId)>) {
        let listed: Vec<_> = inscriptions.into_iter().collect();
        self.names.write_unpoisoned().inscriptions.extend(listed.iter().copied());
        self.inscriptions.write_unpoisoned().extend(listed);
    }

    /// The group that an inscription belongs to.
    pub(crate) fn group_of_inscription(&self, inscription: Inscription) -> Option<GroupId> {
        self.inscriptions.read_unpoisoned().get(&inscription).copied()
    }

    /// Adds a group whose listing is durable.
    pub(crate) fn add(&self, entry: ListedGroup) {
        let id = entry.group().id;
        self.entries.write_unpoisoned().insert(id, Arc::new(entry));
    }

    /// Publishes changed terms, which are durable.
    pub(crate) fn update(&self, group: Arc<CollectionGroup>) {
        if let Some(entry) = self.get(group.id) {
            *entry.group.write_unpoisoned() = group;
        }
    }

    /// A group.
    pub(crate) fn get(&self, id: GroupId) -> Option<Arc<ListedGroup>> {
        self.entries().get(&id).cloned()
    }

    /// Every group by id.
    pub(crate) fn all(&self) -> Vec<Arc<ListedGroup>> {
        self.entries().values().cloned().collect()
    }

    /// A group by its id or slug.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<ListedGroup>> {
        let id = name.parse().ok().or_else(|| self.names().groups.get(name).copied())?;
        self.get(id)
    }

    /// A sub-collection (term or bundle) by its slug.
    pub(crate) fn sub_collection(&self, slug: &str) -> Option<(Arc<ListedGroup>, SubCollectionId)> {
        let (group, sub) = self.names().sub_collections.get(slug).copied()?;
        Some((self.get(group)?, sub))
    }

    fn names(&self) -> RwLockReadGuard<'_, Names> {
        self.names.read_unpoisoned()
    }

    fn entries(&self) -> RwLockReadGuard<'_, BTreeMap<GroupId, Arc<ListedGroup>>> {
        self.entries.read_unpoisoned()
    }
}
