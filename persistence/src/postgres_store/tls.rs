//! TLS to the database: rustls, with certificates that are verified for the host's name.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns the connector that trusts the certificates of a file, or those of the system; `Err` is the reason why not.
pub(super) fn connector(root_certificates: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let roots = match root_certificates {
        Some(path) => certificates_of(path)?,
        None => certificates_of_the_system()?,
    };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn certificates_of(path: &Path) -> Result<RootCertStore, String> {
    let unreadable = |reason: &dyn std::fmt::Display| format!("cannot read sslrootcert {}: {reason}", path.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unreadable(&error))? {
        let certificate = certificate.map_err(|error| unreadable(&error))?;
        roots.add(certificate).map_err(|error| unreadable(&error))?;
    }
    if roots.is_empty() { Err(unreadable(&"it has no certificate")) } else { Ok(roots) }
}

fn certificates_of_the_system() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        let reason = "the system has no certificates to trust; install them, or name a file with sslrootcert=";
        return Err(reason.to_owned());
    }
    Ok(roots)
}
