//! The statuses of offers and delegations by several signers, as one.

use std::collections::BTreeMap;

use crate::delegation_request::{DelegationName, DelegationStatus};
use crate::request::{Answer, OfferHash, OfferStatus};
use crate::vault_signer::SignerError;

/// The statuses of offers: one can be used if enough signers hold it open, or might where they did not answer. A signer that
/// counts more of it as used may only hide it.
pub(super) fn of_offers(
    offers: &[OfferHash],
    answers: &[Answer],
    signers: usize,
    required: usize,
) -> Result<Answer, SignerError> {
    let mut known: BTreeMap<OfferHash, Vec<OfferStatus>> = BTreeMap::new();
    for answer in answers {
        let Answer::Standing(standing) = answer else { return Err(SignerError::Nonsense) };
        for (name, status) in standing {
            known.entry(*name).or_default().push(*status);
        }
    }
    let silent = signers.saturating_sub(answers.len());
    let status = |name: &OfferHash| {
        let statuses = known.get(name)?;
        let used = |status: &OfferStatus| match status {
            OfferStatus::Open => Some(0),
            OfferStatus::Used { sats } => Some(*sats),
            OfferStatus::Paused | OfferStatus::OtherPolicy => None,
        };
        let open: Vec<u64> = statuses.iter().filter_map(used).collect();
        let has = |status: OfferStatus| statuses.contains(&status);
        let status = match open.iter().max() {
            Some(0) if open.len() + silent >= required => OfferStatus::Open,
            Some(sats) if open.len() + silent >= required => OfferStatus::Used { sats: *sats },
            _ if has(OfferStatus::Paused) => OfferStatus::Paused,
            _ if has(OfferStatus::OtherPolicy) => OfferStatus::OtherPolicy,
            _ => return None,
        };
        Some((*name, status))
    };
    Ok(Answer::Standing(offers.iter().filter_map(status).collect()))
}

/// The statuses of delegations: one is revoked once `removing` signers know that, and its sums are the largest.
pub(super) fn of_delegations(
    asked: &[DelegationName],
    answers: &[Answer],
    removing: usize,
) -> Result<Answer, SignerError> {
    let mut known: BTreeMap<DelegationName, Vec<DelegationStatus>> = BTreeMap::new();
    for answer in answers {
        let Answer::Delegations(statuses) = answer else { return Err(SignerError::Nonsense) };
        for status in statuses {
            known.entry(status.delegation).or_default().push(*status);
        }
    }
    let status = |name: &DelegationName| {
        let statuses = known.get(name)?;
        Some(DelegationStatus {
            delegation: *name,
            is_revoked: statuses.iter().filter(|status| status.is_revoked).count() >= removing,
            latest_number: statuses.iter().map(|status| status.latest_number).max()?,
            lent_within_day_sats: statuses.iter().map(|status| status.lent_within_day_sats).max()?,
        })
    };
    Ok(Answer::Delegations(asked.iter().filter_map(status).collect()))
}

#[cfg(test)]
mod tests {
    use bitcoin::hashes::{Hash as _, sha256};

    use super::*;

    #[test]
    fn an_offer_is_open_while_enough_hold_it_or_might() {
        let name = OfferHash(sha256::Hash::all_zeros());
        let of = |found: &[Option<OfferStatus>]| {
            let answer = |status: &Option<OfferStatus>| Answer::Standing(status.iter().map(|it| (name, *it)).collect());
            let answers: Vec<Answer> = found.iter().map(answer).collect();
            match of_offers(&[name], &answers, 3, 2) {
                Ok(Answer::Standing(combined)) => combined.first().map(|(_, status)| *status),
                other => panic!("{other:?}"),
            }
        };
        let (open, used) = (Some(OfferStatus::Open), Some(OfferStatus::Used { sats: 5 }));
        assert_eq!(of(&[open, open, None]), open);
        assert_eq!(of(&[open, used, None]), used);
        assert_eq!(of(&[open, None]), open, "the third may hold it");
        assert_eq!(of(&[open, None, None]), None);
        assert_eq!(of(&[open, Some(OfferStatus::Paused), Some(OfferStatus::Paused)]), Some(OfferStatus::Paused));
        assert_eq!(of(&[None, None, None]), None);
    }
}
