//! TLS of the listeners.
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Certificate and key of a listener, and whose client certificates it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsConfig {
    /// The certificate chain (PEM).
    pub certificate: PathBuf,
    /// Its key (PEM).
    pub key: PathBuf,
    /// The authorities of client certificates (PEM); without it none is asked for.
    pub client_ca: Option<PathBuf>,
    /// Whether a client must have a certificate where there is a `client_ca`.
    pub client_required: bool,
}

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file is not what it should be.
    #[error("{}: {detail}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// Certificate, key and authorities do not go together.
    #[error("the TLS settings are incompatible: {0}")]
    Settings(String),
}

impl TlsConfig {
    /// What accepts connections, with these protocols.
    pub(crate) fn acceptor(&self, protocols: &[&[u8]]) -> Result<TlsAcceptor, TlsError> {
        super::use_ring();
        let settings = |error: rustls::Error| TlsError::Settings(error.to_string());
        let builder = match &self.client_ca {
            None => ServerConfig::builder().with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates(path)? {
                    roots.add(certificate).map_err(settings)?;
                }
                let verifier = WebPkiClientVerifier::builder(Arc::new(roots));
                let verifier = if self.client_required { verifier } else { verifier.allow_unauthenticated() }.build();
                let verifier = verifier.map_err(|error| TlsError::Settings(error.to_string()))?;
                ServerConfig::builder().with_client_cert_verifier(verifier)
            }
        };
        let key = PrivateKeyDer::from_pem_slice(&read(&self.key)?).map_err(|error| unread(&self.key, &error))?;
        let mut config = builder.with_single_cert(certificates(&self.certificate)?, key).map_err(settings)?;
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = read(path)?;
    let all = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|error| unread(path, &error))?;
    match all.is_empty() {
        true => Err(TlsError::File { path: path.to_owned(), detail: "holds no certificate".to_owned() }),
        false => Ok(all),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    let told = |error: std::io::Error| TlsError::File { path: path.to_owned(), detail: error.to_string() };
    agon_files::read(path, agon_files::MAX_FILE).map_err(told)
}

fn unread(path: &Path, error: &rustls::pki_types::pem::Error) -> TlsError {
    TlsError::File { path: path.to_owned(), detail: error.to_string() }
}
