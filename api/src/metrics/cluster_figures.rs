//! The figures of one of several nodes, on the page of metrics. What is not known is left out.

use crate::cluster::observations::NodeFigures;

use super::exposition::Exposition;

/// Adds the figures of a node.
pub(super) fn add_node(page: &mut Exposition, figures: &NodeFigures) {
    let NodeFigures { is_writer, epoch, lease_remaining, lag_commits, lag, standbys, standbys_required } = *figures;
    page.gauge("lienbook_node_is_writer", "Whether this node decides.", u8::from(is_writer));
    page.known("lienbook_writer_epoch", "The epoch of the latest claim of the lease that this node has seen.", epoch);
    let help = "The time until the writer's lease ends unless it is renewed.";
    page.known("lienbook_lease_remaining_seconds", help, lease_remaining.map(|time| time.as_secs_f64()));
    page.known("lienbook_follower_lag_commits", "Commits that this follower has not applied.", lag_commits);
    let help = "The time since this follower is known to have applied every commit.";
    page.known("lienbook_follower_lag_seconds", help, lag.map(|time| time.as_secs_f64()));
    page.known("lienbook_journal_sync_standbys", "Connected synchronous standbys of the database.", standbys);
    let help = "Synchronous standbys without which nothing is committed.";
    page.known("lienbook_journal_sync_standbys_required", help, standbys_required);
}
