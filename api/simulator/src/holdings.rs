//! The collateral that a borrower owns.

use std::collections::BTreeMap;

use domain::GroupId;

use crate::loan_wire::{MyLoan, Stage};

/// An inscription that is confirmed or about to be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HeldInscription {
    group: GroupId,
    inscription: String,
    /// The height of the chain from which on it can be pledged.
    spendable_from: u32,
}

/// Inscriptions and runes that no loan holds, as far as their owner knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holdings {
    inscriptions: Vec<HeldInscription>,
    /// Raw units, and the height from which on they can be pledged.
    runes: BTreeMap<GroupId, (u128, u32)>,
}

impl Holdings {
    /// Adds an inscription whose transaction is unconfirmed.
    pub(crate) fn add_unconfirmed_inscription(&mut self, group: GroupId, inscription: String, spendable_from: u32) {
        self.inscriptions.push(HeldInscription { group, inscription, spendable_from });
    }

    /// Adds runes whose transaction is unconfirmed; a balance that is there already becomes available with them.
    pub(crate) fn add_unconfirmed_runes(&mut self, group: GroupId, raw: u128, spendable_from: u32) {
        let held = self.runes.entry(group).or_default();
        *held = (held.0.saturating_add(raw), spendable_from);
    }

    /// Returns an inscription of a group that can be pledged now.
    pub(crate) fn inscription(&self, group: GroupId, height: u32) -> Option<&str> {
        self.inscriptions(group, height).next()
    }

    /// Returns the inscriptions of a group that can be pledged now.
    pub(crate) fn inscriptions(&self, group: GroupId, height: u32) -> impl Iterator<Item = &str> {
        let held = self.inscriptions.iter().filter(move |held| held.group == group && held.spendable_from <= height);
        held.map(|held| held.inscription.as_str())
    }

    /// Whether the borrower holds an inscription, as far as is known.
    pub(crate) fn holds(&self, inscription: &str) -> bool {
        self.inscriptions.iter().any(|held| held.inscription == inscription)
    }

    /// Returns the raw units of a group's runes that can be pledged now.
    pub(crate) fn runes(&self, group: GroupId, height: u32) -> u128 {
        self.runes.get(&group).filter(|(_, spendable_from)| *spendable_from <= height).map_or(0, |(raw, _)| *raw)
    }

    /// The groups of which the borrower has collateral that can be pledged now.
    pub(crate) fn groups(&self, height: u32) -> Vec<GroupId> {
        let inscriptions = self.inscriptions.iter().filter(|held| held.spendable_from <= height);
        let runes = self.runes.iter().filter(|(_, (raw, spendable_from))| *raw > 0 && *spendable_from <= height);
        let mut groups: Vec<GroupId> =
            inscriptions.map(|held| held.group).chain(runes.map(|(group, _)| *group)).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// Whether collateral is still unconfirmed.
    pub(crate) fn has_unconfirmed(&self, height: u32) -> bool {
        self.inscriptions.iter().any(|held| held.spendable_from > height)
            || self.runes.values().any(|(_, spendable_from)| *spendable_from > height)
    }

    /// Removes an inscription that was pledged, or that the borrower does not own after all.
    pub(crate) fn drop_inscription(&mut self, inscription: &str) {
        self.inscriptions.retain(|held| held.inscription != inscription);
    }

    /// Removes runes that were pledged, or that the borrower does not own after all.
    pub(crate) fn drop_runes(&mut self, group: GroupId, raw: u128) {
        if let Some(held) = self.runes.get_mut(&group) {
            held.0 = held.0.saturating_sub(raw);
        }
    }

    /// Adds the collateral of a loan that has ended, unless the lender claimed it.
    pub(crate) fn add_returned_collateral(&mut self, loan: &MyLoan, height: u32) {
        if loan.stage == Stage::Claimed {
            return;
        }
        for inscription in &loan.inscription_ids {
            if !self.holds(inscription) {
                self.add_unconfirmed_inscription(loan.group_id, inscription.clone(), height);
            }
        }
        if let Some(raw) = loan.fungible_amount {
            self.add_unconfirmed_runes(loan.group_id, raw, height);
        }
    }

    /// Reconstructs the collateral of a borrower without memory from the borrower's loans: every inscription that no
    /// open loan holds, and whose last of the `ended` loans, ordered latest first, was not claimed.
    pub(crate) fn from_loans(open: &[MyLoan], ended: &[MyLoan], height: u32) -> Self {
        let mut seen: Vec<&str> = open.iter().flat_map(|loan| &loan.inscription_ids).map(String::as_str).collect();
        let mut own = Self::default();
        for loan in ended {
            for inscription in &loan.inscription_ids {
                if !seen.contains(&inscription.as_str()) {
                    seen.push(inscription);
                    if loan.stage != Stage::Claimed {
                        own.add_unconfirmed_inscription(loan.group_id, inscription.clone(), height);
                    }
                }
            }
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FOXES: GroupId = GroupId(1);

    fn loan(id: &str, stage: &str, pledge: Option<&str>, raw: Option<&str>) -> MyLoan {
        serde_json::from_value(json!({
            "loanId": id, "stage": stage, "offerId": "of_10000000001", "waitsFor": null, "groupId": "g_1",
            "collectionSlug": "foxes-7d", "inscriptionIds": Vec::from_iter(pledge), "fungibleAmount": raw, "principal": 5,
            "payoutSats": 6, "preparedAt": 1, "acceptedDate": null, "startedAt": null, "dueAt": null, "claimAfter": 9,
            "followedBy": null,
        }))
        .unwrap()
    }

    #[test]
    fn expected_collateral_is_pledged_once_its_block_is_mined() {
        let mut own = Holdings::default();
        own.add_unconfirmed_inscription(FOXES, "a".to_owned(), 11);
        own.add_unconfirmed_runes(GroupId(2), 500, 12);
        assert_eq!((own.groups(10), own.has_unconfirmed(10)), (vec![], true));
        assert_eq!((own.groups(11), own.inscription(FOXES, 11)), (vec![FOXES], Some("a")));
        assert_eq!((own.runes(GroupId(2), 11), own.runes(GroupId(2), 12)), (0, 500));
        assert!(own.has_unconfirmed(11) && !own.has_unconfirmed(12));
        own.drop_inscription("a");
        own.drop_runes(GroupId(2), 600);
        assert_eq!(own.groups(12), []);
    }

    #[test]
    fn a_loan_returns_its_collateral_unless_it_was_claimed() {
        let mut own = Holdings::default();
        own.add_returned_collateral(&loan("ln_1", "claimed", Some("a"), None), 5);
        assert_eq!(own.groups(5), []);
        for _ in 0..2 {
            own.add_returned_collateral(&loan("ln_2", "repaid", Some("b"), None), 5);
        }
        own.add_returned_collateral(&loan("ln_3", "cancelled", None, Some("70")), 5);
        assert_eq!((own.inscriptions.len(), own.runes(FOXES, 5)), (1, 70));
    }

    #[test]
    fn a_borrower_without_memory_owns_the_collateral_that_the_last_loan_returned() {
        let open = [loan("ln_9", "active", Some("pledged"), None)];
        let ended = [
            loan("ln_8", "claimed", Some("lost"), None),
            loan("ln_7", "repaid", Some("lost"), None),
            loan("ln_6", "repaid", Some("kept"), None),
            loan("ln_5", "claimed", Some("kept"), None),
            loan("ln_4", "repaid", Some("pledged"), None),
        ];
        let own = Holdings::from_loans(&open, &ended, 3);
        let names: Vec<&str> = own.inscriptions.iter().map(|held| held.inscription.as_str()).collect();
        assert_eq!(names, ["kept"]);
    }
}
