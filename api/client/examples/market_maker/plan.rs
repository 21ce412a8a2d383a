//! The steps from the offers that stand to those that should.

use super::decision::Quote;

/// An offer of the lender that the rule manages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StandingOffer {
    pub(crate) id: String,
    pub(crate) slug: String,
    pub(crate) principal_sats: u64,
}

/// The steps: first all cancellations, then the new offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) cancel: Vec<String>,
    pub(crate) create: Vec<Quote>,
}

/// Returns the steps. An offer stays if it lends what it should, or less by up to `tolerance` hundredths of a percent: so the
/// sum of all that stands afterwards is never above that of the quotes.
pub(crate) fn plan(standing: &[StandingOffer], quotes: &[Quote], tolerance: u32) -> Plan {
    let mut plan = Plan { cancel: Vec::new(), create: quotes.to_vec() };
    for offer in standing {
        let keeps = |quote: &Quote| {
            let least = u128::from(quote.principal_sats) * u128::from(10_000 - tolerance.min(10_000));
            quote.slug == offer.slug
                && offer.principal_sats <= quote.principal_sats
                && u128::from(offer.principal_sats) * 10_000 >= least
        };
        match plan.create.iter().position(keeps) {
            Some(place) => drop(plan.create.remove(place)),
            None => plan.cancel.push(offer.id.clone()),
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn standing(id: &str, slug: &str, principal_sats: u64) -> StandingOffer {
        StandingOffer { id: id.to_owned(), slug: slug.to_owned(), principal_sats }
    }

    fn quote(slug: &str, principal_sats: u64) -> Quote {
        Quote { slug: slug.to_owned(), principal_sats }
    }

    #[test]
    fn an_offer_that_is_near_enough_stays() {
        let offers = [standing("a", "7d", 495), standing("b", "30d", 400), standing("c", "30d", 501)];
        let steps = plan(&offers, &[quote("7d", 500), quote("30d", 500)], 100);
        assert_eq!(steps, Plan { cancel: vec!["b".to_owned(), "c".to_owned()], create: vec![quote("30d", 500)] });
        assert_eq!(plan(&offers[..1], &[], 100).cancel, ["a"]);
        assert_eq!(plan(&offers[..1], &[quote("7d", 495)], 0), Plan::default());
    }

    proptest! {
        #[test]
        fn what_stands_afterwards_is_within_the_quotes(
            offers in prop::collection::vec((0_u8..3, 1_u64..1_000), 0..8),
            quotes in prop::collection::vec((0_u8..3, 1_u64..1_000), 0..4),
            tolerance in 0_u32..20_000,
        ) {
            let offers: Vec<_> = offers.iter().enumerate()
                .map(|(place, (slug, sats))| standing(&place.to_string(), &slug.to_string(), *sats)).collect();
            let quotes: Vec<_> = quotes.iter().map(|(slug, sats)| quote(&slug.to_string(), *sats)).collect();
            let steps = plan(&offers, &quotes, tolerance);
            let kept: u64 = offers.iter().filter(|offer| !steps.cancel.contains(&offer.id)).map(|offer| offer.principal_sats).sum();
            let created: u64 = steps.create.iter().map(|quote| quote.principal_sats).sum();
            prop_assert!(kept + created <= quotes.iter().map(|quote| quote.principal_sats).sum());
        }
    }
}
