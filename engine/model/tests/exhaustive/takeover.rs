//! Takeovers, completely for two and three nodes.

use model::exploration::Exploration;
use model::takeover::faults::Fault;
use model::takeover::{Takeover, property};

use crate::{holds, violates};

const TWO_NODES: Takeover =
    Takeover { nodes: 2, epochs_max: 3, commits_max: 3, is_lossy: false, crashes: true, signs: true, fault: None };

#[test]
fn no_takeover_loses_doubles_or_mixes_commits() {
    holds("takeover: two nodes that crash and hand over", TWO_NODES);
    holds("takeover: two nodes, lost answers, a standby", Takeover { is_lossy: true, commits_max: 2, ..TWO_NODES });
    holds("takeover: three nodes", Takeover { nodes: 3, commits_max: 2, crashes: false, ..TWO_NODES });
}

#[test]
fn each_rule_of_a_takeover_is_needed() {
    let with = |fault| Takeover { fault: Some(fault), crashes: false, commits_max: 2, ..TWO_NODES };
    let lossy = |fault| Takeover { is_lossy: true, ..with(fault) };
    violates("appends ignore epochs", with(Fault::AppendsIgnoreEpochs), property::FENCED);
    violates("appends compare nothing", with(Fault::AppendsCompareNothing), property::EPOCHS_RISE);
    violates("appends ignore positions", lossy(Fault::AppendsIgnorePositions), property::ONCE);
    violates("claims leave the row", with(Fault::ClaimsLeaveTheRow), property::FENCED);
    violates("claims keep the epoch", with(Fault::ClaimsKeepTheEpoch), property::ONE_WRITER);
    violates("a node begins without reading", with(Fault::BeginsWithoutReading), property::HAS_READ);
    violates("answers before replication", lossy(Fault::AnswersBeforeReplication), property::KEPT);
    violates("the signer ignores epochs", with(Fault::SignerIgnoresEpochs), property::SIGNS_FOR_LATEST);
}

#[test]
fn the_lease_is_needed_for_no_invariant() {
    // It keeps nodes from deposing each other all the time; the epoch in the writer's row keeps what they write apart.
    let found = Exploration::of(
        "takeover: claims ignore the lease",
        Takeover { fault: Some(Fault::ClaimsIgnoreTheLease), commits_max: 2, ..TWO_NODES },
    );
    println!("{found}");
    assert!(found.holds(), "{found}");
}
