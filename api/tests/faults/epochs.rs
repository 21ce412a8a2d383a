//! The checks of what the database itself has recorded: commits, and the epochs of writers.

use super::databases::Databases;

/// Queries whose result is the number of things that must not be.
const CHECKS: [(&str, &str); 6] = [
    (
        "positions with more than one commit",
        "SELECT count(*) FROM (SELECT position FROM fault_commit GROUP BY position HAVING count(*) > 1) AS doubled",
    ),
    (
        "commits of an epoch after one of a later epoch",
        "SELECT count(*) FROM (SELECT epoch, lag(epoch) OVER (ORDER BY position) AS before FROM fault_commit) AS steps \
         WHERE before > epoch",
    ),
    (
        "epochs with more than one holder",
        "SELECT count(*) FROM (SELECT epoch FROM fault_epoch GROUP BY epoch HAVING count(*) > 1) AS shared",
    ),
    (
        "commits of an epoch that no node has held",
        "SELECT count(*) FROM fault_commit WHERE epoch NOT IN (SELECT epoch FROM fault_epoch WHERE holder IS NOT NULL)",
    ),
    (
        "commits without blocks, or blocks without a commit",
        "SELECT count(*) FROM (SELECT DISTINCT position FROM lienbook_block) AS blocks \
         FULL JOIN fault_commit AS commits USING (position) \
         WHERE (commits.position IS NULL AND blocks.position > (SELECT min(position) - 1 FROM fault_commit)) \
            OR blocks.position IS NULL",
    ),
    (
        "gaps between commits",
        "SELECT count(*) FROM (SELECT position - lag(position) OVER (ORDER BY position) AS step FROM fault_commit) AS steps \
         WHERE step <> 1",
    ),
];

/// Returns a line for each check that fails. The first part of the result is the number of epochs with commits.
pub fn check(databases: &Databases) -> (String, Vec<String>) {
    let mut problems = Vec::new();
    for (what, sql) in CHECKS {
        let found = databases.sql(sql);
        if found != "0" {
            problems.push(format!("{found} {what}"));
        }
    }
    (databases.sql("SELECT count(DISTINCT epoch) FROM fault_commit"), problems)
}
