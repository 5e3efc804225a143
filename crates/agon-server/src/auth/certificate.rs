//! Client certificates: whom a certificate stands for.
use super::{Caller, Scope};
use crate::error::Problem;
use agon_core::TenantId;
use std::collections::BTreeSet;
use x509_parser::prelude::{FromDer as _, GeneralName, X509Certificate};

/// How callers are read from their certificates. That a certificate is good, TLS has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateAuth {
    /// Where the principal's name stands.
    pub principal: CertificateName,
    /// Where the tenant stands.
    pub tenant: CertificateTenant,
    /// What every holder of a certificate may do.
    pub scopes: BTreeSet<Scope>,
}

/// A name in a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateName {
    /// The subject's common name.
    CommonName,
    /// The first DNS name among the alternative names.
    Dns,
    /// The first URI among the alternative names, as SPIFFE has it.
    Uri,
    /// The first mail address among the alternative names.
    Email,
}

/// Where a certificate says the tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateTenant {
    /// Every certificate stands for this one.
    Fixed(TenantId),
    /// The subject's organisation.
    Organization,
    /// The subject's organisational unit.
    OrganizationalUnit,
}

impl CertificateAuth {
    /// Whom the certificate (DER) stands for.
    pub(super) fn caller(&self, certificate: &[u8]) -> Result<Caller, Problem> {
        let (_, certificate) = X509Certificate::from_der(certificate)
            .map_err(|_| Problem::Unauthenticated("the client certificate cannot be read"))?;
        let principal = self.principal.of(&certificate).filter(|name| !name.is_empty());
        let principal =
            principal.ok_or(Problem::Unauthenticated("the client certificate lacks the name of a principal"))?;
        let tenant = self.tenant.of(&certificate);
        let tenant = tenant.ok_or(Problem::Unauthenticated("the client certificate names no tenant"))?;
        Ok(Caller { tenant, principal: Some(principal), scopes: self.scopes.clone() })
    }
}

impl CertificateName {
    fn of(self, certificate: &X509Certificate<'_>) -> Option<String> {
        if self == Self::CommonName {
            let name = certificate.subject().iter_common_name().next()?;
            return name.as_str().ok().map(str::to_owned);
        }
        let names = certificate.subject_alternative_name().ok()??;
        names.value.general_names.iter().find_map(|name| match (self, name) {
            (Self::Dns, GeneralName::DNSName(name))
            | (Self::Uri, GeneralName::URI(name))
            | (Self::Email, GeneralName::RFC822Name(name)) => Some((*name).to_owned()),
            (Self::CommonName | Self::Dns | Self::Uri | Self::Email, _) => None,
        })
    }
}

impl CertificateTenant {
    fn of(&self, certificate: &X509Certificate<'_>) -> Option<TenantId> {
        let subject = certificate.subject();
        let text = match self {
            Self::Fixed(tenant) => return Some(tenant.clone()),
            Self::Organization => subject.iter_organization().next()?.as_str().ok()?,
            Self::OrganizationalUnit => subject.iter_organizational_unit().next()?.as_str().ok()?,
        };
        TenantId::parse(text).ok()
    }
}
