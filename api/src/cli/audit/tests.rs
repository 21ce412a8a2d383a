use tempfile::TempDir;

use public_log::LogKey;

use super::*;

/// A short log, what was published about it, and a receipt, as the fuzzer has them.
const FILES: &str = include_str!("../../../../engine/public-log/fuzz/corpus/audit_files/seed-1");

struct Files {
    folder: TempDir,
    key: LogKey,
}

impl Files {
    fn new() -> Self {
        let files = Self { folder: tempfile::tempdir().unwrap(), key: LogKey::new(&[5; 32]).unwrap() };
        let mut parts = FILES[1..].split('\u{1e}');
        files.write("log", parts.next().unwrap());
        let heads: PublishedHeads = serde_json::from_str(parts.next().unwrap()).unwrap();
        files.write("heads", &files.key.sign(&heads).unwrap().to_string());
        let receipt: Receipt = serde_json::from_str(parts.next().unwrap()).unwrap();
        files.write("receipts", &format!("Lienbook-Receipt: {}\r\n", files.key.sign(&receipt).unwrap()));
        files
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn arguments(&self) -> AuditArguments {
        let file = |name: &str| self.folder.path().join(name);
        AuditArguments {
            log_file: file("log"),
            collection: Some("frogs".to_owned()),
            heads: vec![file("heads")],
            receipts: vec![file("receipts")],
            timestamps: Vec::new(),
            headers: None,
            key: Some(self.key.public()),
            json: false,
        }
    }

    /// The exit status of an audit with these arguments.
    fn status(arguments: &AuditArguments) -> u8 {
        run(arguments).map_or_else(|failure| failure.status(), |()| 0)
    }
}

#[test]
fn an_audit_ends_with_0_if_it_proves_1_if_it_refutes_and_2_if_it_cannot_say() {
    let files = Files::new();
    assert_eq!(Files::status(&files.arguments()), 0);
    let with = |change: fn(&mut AuditArguments)| {
        let mut arguments = files.arguments();
        change(&mut arguments);
        Files::status(&arguments)
    };
    assert_eq!(with(|asked| asked.collection = Some("toads".to_owned())), 2, "another collection");
    assert_eq!(with(|asked| asked.key = Some(LogKey::new(&[6; 32]).unwrap().public())), 2, "another key");
    assert_eq!(with(|asked| asked.key = None), 2, "no key");
    assert_eq!(with(|asked| asked.log_file.push("missing")), 2, "no file");
    assert_eq!(with(|asked| asked.heads.clear()), 0, "receipts are signed, too");

    files.write("heads", "");
    assert_eq!(Files::status(&files.arguments()), 2, "no heads in their file");
    let files = Files::new();
    files.write("receipts", "not a receipt");
    assert_eq!(Files::status(&files.arguments()), 2, "a damaged receipt");
    for (text, status) in [("", 2), ("<html>", 2)] {
        let files = Files::new();
        files.write("log", text);
        assert_eq!(Files::status(&files.arguments()), status, "the log is {text:?}");
    }
    let files = Files::new();
    let log = fs::read_to_string(files.arguments().log_file).unwrap();
    files.write("log", &log.replace("300000", "290000"));
    assert_eq!(Files::status(&files.arguments()), 1, "another amount");
    files.write("log", &log.replace("\"id\":1,", "\"id\":9,"));
    assert_eq!(Files::status(&files.arguments()), 1, "another number of the book");
}

#[test]
fn the_summary_names_the_book_and_counts_what_was_compared() {
    let text = described(&audited(&Files::new().arguments()).unwrap());
    assert!(text.starts_with("frogs (book 1): 3 events, head "), "{text}");
    assert!(text.ends_with("Nothing is refuted. Compared with it: published heads 1, receipts 1.\n"), "{text}");
    assert!(text.contains("receipts, line 1: of_") && text.contains(" stood at rank "), "{text}");
}
