//! The lease by the database's clock.

use std::time::Duration;

use postgres_testkit::wait_until;

use crate::form::{Form as _, LEASE_TTL, PostgresForm};

#[test]
fn a_lease_is_held_until_it_expires_and_then_lost() {
    let place = PostgresForm::empty();
    let (one, other) = (place.lease(), place.lease());
    let free = one.observe().unwrap();
    assert_eq!((free.epoch, free.holder.as_deref(), free.position), (0, None, 0));
    assert!(free.is_expired());
    let short = Duration::from_millis(300);
    let claim = one.claim("one", "10.0.0.1", short).unwrap().unwrap();
    assert!(one.renew(claim.epoch, LEASE_TTL).unwrap());
    assert_eq!(other.claim("other", "10.0.0.2", LEASE_TTL).unwrap(), None);
    let held = other.observe().unwrap();
    assert_eq!((held.epoch, held.holder.as_deref(), held.address.as_deref()), (1, Some("one"), Some("10.0.0.1")));
    assert!(!held.is_expired() && held.remaining > LEASE_TTL / 2 && held.remaining <= LEASE_TTL);
    assert!(one.renew(claim.epoch, short).unwrap());
    wait_until("the lease has expired", || other.observe().unwrap().is_expired());
    let taken = other.claim("other", "10.0.0.2", LEASE_TTL).unwrap().unwrap();
    assert_eq!(taken.epoch, 2);
    assert!(!one.renew(claim.epoch, LEASE_TTL).unwrap() && !one.release(claim.epoch, None).unwrap());
    assert!(other.renew(taken.epoch, LEASE_TTL).unwrap());
}

#[test]
fn a_lease_is_handed_over_to_the_named_node_first() {
    let place = PostgresForm::empty();
    let lease = place.lease();
    let claim = lease.claim("one", "", LEASE_TTL).unwrap().unwrap();
    assert!(lease.release(claim.epoch, Some(("two", LEASE_TTL))).unwrap());
    assert!(!lease.renew(claim.epoch, LEASE_TTL).unwrap(), "a released lease is not renewed");
    assert_eq!(lease.claim("three", "", LEASE_TTL).unwrap(), None);
    assert_eq!(lease.claim("two", "", LEASE_TTL).unwrap().unwrap().epoch, 2);
    assert!(lease.release(2, Some(("one", Duration::ZERO))).unwrap());
    assert_eq!(lease.claim("three", "", LEASE_TTL).unwrap().unwrap().epoch, 3, "the time of the named node is over");
}
