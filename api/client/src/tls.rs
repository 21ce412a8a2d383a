//! The settings of TLS, shared by requests and the feed.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

use crate::call_error::CallError;

/// Returns settings that trust the root certificates of this machine, or those in `SSL_CERT_FILE`.
pub(crate) fn config() -> Result<Arc<ClientConfig>, CallError> {
    let mut roots = RootCertStore::empty();
    // Certificates that cannot be read are left out; a server that needs one of them is not trusted then.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| CallError::Invalid(error.to_string()))?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}
