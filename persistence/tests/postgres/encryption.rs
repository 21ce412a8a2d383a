//! Connections beyond this machine: encrypted, to a server whose certificate is verified, or refused.

use std::{fs, path::Path, process::Command};

use persistence::{PostgresAddress, PostgresJournal, PostgresOptions, SynchronousStandbys};
use postgres_testkit::{Server, wait_until};

/// A certificate for a host name, signed by itself, and its key.
fn certificate(folder: &Path, name: &str) -> (String, String) {
    let (certificate, key) = (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")));
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]);
    openssl.args(["-subj", &format!("/CN={name}"), "-addext", &format!("subjectAltName=DNS:{name}")]);
    // A certificate of an authority is no certificate of a server.
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    let made = openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    (fs::read_to_string(certificate).unwrap(), fs::read_to_string(key).unwrap())
}

fn open(url: &str) -> Result<PostgresJournal, String> {
    let address: PostgresAddress = url.parse().unwrap();
    let options = PostgresOptions { standbys: SynchronousStandbys::NotRequired, ..PostgresOptions::default() };
    PostgresJournal::open(&address, options).map_err(|error| error.to_string())
}

#[test]
fn a_connection_is_encrypted_and_the_server_is_the_named_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&[]);
    let (certificate, key) = certificate(folder.path(), "localhost");
    let trusted = folder.path().join("localhost.crt");
    let url = |host: &str, roots: &Path| {
        let port = server.port();
        format!("postgres://postgres@{host}:{port}/postgres?sslmode=require&sslrootcert={}", roots.display())
    };
    let refused = open(&url("localhost", &trusted)).unwrap_err();
    assert!(refused.contains("TLS"), "no connection without encryption: {refused}");

    server.enable_tls(&certificate, &key);
    let journal = open(&url("localhost", &trusted)).unwrap();
    let count = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
        WHERE application_name LIKE 'lienbook-%' AND ";
    assert_eq!(server.sql(&format!("{count} NOT ssl")), "0");
    assert_ne!(server.sql(&format!("{count} ssl")), "0");
    drop(journal);

    // The certificate of another server, one for another name, and a file without any.
    let (other, other_key) = self::certificate(folder.path(), "db.internal");
    let untrusted = open(&url("localhost", &folder.path().join("db.internal.crt"))).unwrap_err();
    assert!(untrusted.contains("certificate"), "{untrusted}");
    server.enable_tls(&other, &other_key);
    // The server reads its certificate again a moment later.
    let roots = folder.path().join("db.internal.crt");
    wait_until("another name is refused", || {
        open(&url("localhost", &roots)).unwrap_err().contains("not valid for name")
    });
    let none = open(&url("localhost", &folder.path().join("db.internal.key"))).unwrap_err();
    assert!(none.contains("sslrootcert"), "{none}");
}
