//! Timestamps of published heads, compared with the headers of blocks.

use std::collections::BTreeMap;

use bitcoin::block::Header;
use bitcoin::hashes::Hash as _;
use time::OffsetDateTime;
use time::macros::format_description;

use super::{AuditReport, Named};
use crate::{Attestation, HeadHash, PublishedHeads, Timestamp};

/// Adds to a report what proofs of OpenTimestamps prove about published heads, with the headers of the blocks that they lead
/// to. The headers are believed: they are of a node that the reader trusts.
pub fn audit_timestamps(
    report: &mut AuditReport,
    heads: &[Named<PublishedHeads>],
    proofs: &[Timestamp],
    headers: &BTreeMap<u32, Header>,
) {
    let known: Vec<HeadHash> = heads.iter().map(|heads| heads.signed.digest()).collect();
    for proof in proofs {
        let digest = proof.digest();
        if !known.contains(&digest) {
            report.leave_open(format!("A timestamp is of {digest}, which is no statement that was given."));
            continue;
        }
        let mut blocks = 0;
        for attestation in proof.attestations() {
            let Attestation::Block { height, merkle_root } = attestation else { continue };
            blocks += 1;
            match headers.get(&height) {
                None => {
                    report.leave_open(format!("The heads {digest} are in block {height}, whose header was not given."));
                }
                Some(header) if header.merkle_root.to_byte_array() == merkle_root => report.prove(format!(
                    "The heads {digest}, and all before them, existed before block {height} of {}.",
                    moment(header.time)
                )),
                Some(_) => report.refute(format!("The timestamp of {digest} does not lead to block {height}.")),
            }
        }
        if blocks == 0 {
            report.leave_open(format!("The timestamp of {digest} waits for a block; fetch it again after some hours."));
        }
    }
}

/// The time of a block, in UTC.
fn moment(unix_s: u32) -> String {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute] UTC");
    let time = OffsetDateTime::from_unix_timestamp(unix_s.into()).ok().and_then(|time| time.format(format).ok());
    time.unwrap_or_default()
}
