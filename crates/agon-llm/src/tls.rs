//! The certificates that the settings name: those of the server, and our own.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use secrecy::{ExposeSecret, SecretSlice};

use crate::transport::transport_error;
use crate::{ChatError, ChatErrorKind};

/// What is known of the certificates of one server; nothing: the system's authorities, and none of our own.
#[derive(Debug, Default)]
pub(crate) struct NamedCertificates {
    authorities: Option<Arc<RootCertStore>>,
    named: Vec<CertificateDer<'static>>,
    /// Our certificate and its key (PEM).
    identity: Option<SecretSlice<u8>>,
}

impl NamedCertificates {
    /// Reads both files' texts.
    pub(crate) fn read(authorities: Option<&[u8]>, identity: Option<Vec<u8>>) -> Result<Self, ChatError> {
        let mut certificates = Self { identity: identity.map(SecretSlice::from), ..Self::default() };
        if let Some(pem) = authorities {
            let mut roots = RootCertStore::empty();
            for certificate in certificates_in(pem)? {
                roots.add(certificate.clone()).map_err(|error| unfit("a certificate in it cannot be read", &error))?;
                certificates.named.push(certificate);
            }
            certificates.authorities = Some(Arc::new(roots));
        }
        certificates.ours()?;
        Ok(certificates)
    }

    /// Whether the system's authorities do not count.
    pub(crate) fn are_named(&self) -> bool {
        self.authorities.is_some()
    }

    /// Our certificate, where the system's authorities decide about the server's.
    pub(crate) fn identity(&self) -> Result<Option<reqwest::Identity>, ChatError> {
        let identity = self.identity.as_ref().map(|pem| reqwest::Identity::from_pem(pem.expose_secret()));
        identity.transpose().map_err(transport_error)
    }

    /// How connections are secured where the authorities are named.
    pub(crate) fn config(&self) -> Result<ClientConfig, ChatError> {
        let roots = self.authorities.clone().unwrap_or_else(|| Arc::new(RootCertStore::empty()));
        let usual = WebPkiServerVerifier::builder(roots).build();
        let usual = usual.map_err(|error| unfit("the authorities cannot be used", &error))?;
        let verifier = Arc::new(NamedVerifier { named: self.named.clone(), usual });
        let builder = ClientConfig::builder().dangerous().with_custom_certificate_verifier(verifier);
        match self.ours()? {
            None => Ok(builder.with_no_client_auth()),
            Some((chain, key)) => builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| unfit("the client certificate and its key do not fit together", &error)),
        }
    }

    fn ours(&self) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>, ChatError> {
        let Some(pem) = &self.identity else { return Ok(None) };
        let pem = pem.expose_secret();
        let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| unfit("there is no key (PEM)", &error))?;
        Ok(Some((certificates_in(pem)?, key)))
    }
}

fn certificates_in(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ChatError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = read.map_err(|error| unfit("a certificate in it cannot be read", &error))?;
    if certificates.is_empty() {
        return Err(ChatError::new(ChatErrorKind::BadRequest, "there is no certificate in it (PEM)"));
    }
    Ok(certificates)
}

fn unfit(what: &str, error: &dyn std::fmt::Display) -> ChatError {
    ChatError::new(ChatErrorKind::BadRequest, &format!("{what}: {error}"))
}

/// Accepts what the named authorities signed, and a server whose very certificate is named.
///
/// Such a certificate is nobody's authority, and often has another name than the address: that it is the same is enough.
#[derive(Debug)]
struct NamedVerifier {
    named: Vec<CertificateDer<'static>>,
    usual: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for NamedVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.named.iter().any(|named| named == end_entity) {
            return Ok(ServerCertVerified::assertion());
        }
        self.usual.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}
