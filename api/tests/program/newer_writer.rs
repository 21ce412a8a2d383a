//! A node whose cluster has a writer of a newer version: it follows as far as it can read, then ends with the reason, and
//! serves nothing that it has not read.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use actix_web::rt::System;
use domain::{BookEvent, Event, GroupId, Sats, Stream, UnitPrice, UnixMs};
use engine::journal::{Append, Batch, Journal as _};
use lienbook::config::server_key::SESSION;
use persistence::{BackupError, CommitSource as _, Options, SledJournal, SynchronousStandbys, WriterLease};
use postgres_testkit::{Server, wait_until};
use serde_json::Value;

use super::process::{Served, lienbook, prepare, run};

const LEASE_TIMEOUT: Duration = Duration::from_mins(1);
const LEASE_TTL: Duration = Duration::from_mins(30);

/// The place of the kind of a block's first event, after the header and the time since the block's own, which is none.
const KIND_AT: usize = 108;

/// The same journal in a folder, whose commits the test writes to the database as another program would.
struct NewerWriter<'a> {
    server: &'a Server,
    schema: String,
    journal: SledJournal,
}

impl NewerWriter<'_> {
    /// Commits a price; `rewrite` changes the bytes of its block in front of the checksum.
    fn commit(&self, sats: u64, rewrite: impl Fn(&mut [u8])) {
        let stream = Stream::Book(GroupId(1));
        let after = self.journal.replay(stream, 0, &mut |_| {}).unwrap();
        let price = UnitPrice::from_sats(Sats::new(sats)).unwrap();
        let event = Event::Book(BookEvent::PriceMoved { price, observed_at: UnixMs(1) });
        let before = self.journal.end().unwrap();
        let batch = Batch { at: UnixMs(1), appends: vec![Append { stream, after, events: vec![event] }] };
        self.journal.append(batch).blocking_recv().unwrap().unwrap();
        let mut feed = self.journal.feed_after(before).unwrap().unwrap();
        let mut block = Vec::new();
        let read = self.journal.read_feed(&mut feed, usize::MAX, &mut |commit| {
            block = commit.bytes().to_vec();
            Ok::<_, BackupError>(())
        });
        read.unwrap();
        let end = block.len() - 4;
        rewrite(&mut block[..end]);
        let checksum = crc32c::crc32c(&block[..end]);
        block[end..].copy_from_slice(&checksum.to_be_bytes());
        let (block, position) = (hex::encode(block), feed.point().position);
        let (stream, first) = (&block[2 * 22..2 * 39], after + 1);
        self.server.sql(&format!(
            "SET search_path = {}; BEGIN; INSERT INTO lienbook_block VALUES (decode('{stream}', 'hex'), {first}, {position}, 0, \
             decode('{block}', 'hex')); UPDATE lienbook_writer SET position = {position}; COMMIT",
            self.schema
        ));
    }
}

/// The price of the collection, as a node serves it; `None` once it does not.
fn price(base: &str) -> Option<u64> {
    let read = async {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        http.get(format!("{base}/api/v1/collections")).send().await.ok()?.json::<Value>().await.ok()
    };
    let page = System::new().block_on(read)?;
    let whole = page["data"][0]["unitPrice"].as_str().and_then(|price| price.split('.').next()?.parse().ok());
    Some(whole.unwrap_or_else(|| panic!("no price: {page}")))
}

#[test]
fn a_node_ends_with_the_reason_at_the_first_event_of_a_newer_version() {
    let server = Server::start(&[]);
    let url = server.new_schema_url();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).into_os_string().into_string().unwrap();
    System::new().block_on(prepare(Path::new(&path("twin"))));
    let standbys = ["--journal", &url, "--journal-standbys", "0"];
    let backed_up = run(&["backup", "--once", "--data", &path("twin"), "--to", &path("backup")]);
    assert!(backed_up.status.success(), "{}", String::from_utf8_lossy(&backed_up.stderr));
    let restored = run(&[&["restore", "--from", &path("backup")], &standbys[..]].concat());
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));

    // The node never decides: another one has the lease.
    let lease = WriterLease::open(&url.parse().unwrap(), SynchronousStandbys::NotRequired, LEASE_TIMEOUT).unwrap();
    lease.claim("newer", "http://127.0.0.1:1", LEASE_TTL).unwrap().unwrap();
    let serve = ["serve", "--data", &path("node"), "--listen", "127.0.0.1:0", "--log", "off"];
    let serve = || {
        let mut command = lienbook(&[&serve, &standbys[..]].concat());
        command.env(SESSION.variable, "5a".repeat(32)).stderr(Stdio::piped());
        command
    };
    let (mut node, _) = Served::launch_command(&mut serve(), "Serving ");
    assert_eq!(price(&node.base), Some(1_000_000));

    let (_, schema) = url.rsplit_once("%3D").unwrap();
    let journal = SledJournal::open(path("twin"), Options::default()).unwrap();
    let writer = NewerWriter { server: &server, schema: schema.to_owned(), journal };
    writer.commit(2_000_000, |_| {});
    wait_until("the node has followed", || price(&node.base) == Some(2_000_000));
    writer.commit(3_000_000, |block| block[KIND_AT] = 99);
    wait_until("the node has ended", || node.child.try_wait().unwrap().is_some());
    assert_eq!(price(&node.base), None);
    let status = node.child.wait().unwrap();
    let said = std::io::read_to_string(node.child.stderr.take().unwrap()).unwrap();
    let expected = format!(
        "stream book g_1 at sequence 3: its kind of event was defined by a newer version of lienbook than this one, {}; \
         start the newer version",
        env!("CARGO_PKG_VERSION")
    );
    assert!(status.code() == Some(1) && said.contains(&expected), "{status}: {said}");

    // It does not start on it either.
    let output = serve().output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains(&expected), "{said}");
}
