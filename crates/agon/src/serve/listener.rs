//! The gateway's settings as the gateway wants them, and what its refusals to start mean.
use super::own_door::OwnDoor;
use super::plan::ServePlan;
use crate::debate_file;
use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::settings::{AuthSettings, CertificateSettings, JwtSettings, PrincipalField, TlsSettings, feed_reader};
use agon_console::ConsoleConfig;
use agon_server::{
    AuthConfig, CertificateAuth, CertificateName, CertificateTenant, ConnectionLimits, GatewayConfig, GatewayError,
    GatewayTimes, JwksSource, JwtAuth, RequestLimits, Scope, SitePages, SitePolicy, TlsConfig, TokenFile,
};

/// The settings of the gateway.
pub fn config(plan: &ServePlan, environment: &Environment) -> Result<GatewayConfig, Stop> {
    let settings = &plan.settings.gateway;
    let default = GatewayConfig::default();
    Ok(GatewayConfig {
        // the pages and their API are enough for one user
        grpc: plan.own_door.is_none().then_some(settings.grpc),
        http: Some(settings.http),
        tls: settings.tls.as_ref().map(tls),
        auth: AuthConfig { own_token: plan.own_door.as_ref().map(OwnDoor::key), ..auth(&settings.auth)? },
        insecure: settings.insecure,
        sites: SitePolicy::parse(&settings.allowed_hosts, &settings.allowed_origins)
            .map_err(|problems| Stop::usage(format!("gateway: {}", problems.join("; "))))?,
        connections: ConnectionLimits {
            connections_per_address: settings.connections_per_address.get(),
            ..default.connections
        },
        reflection: settings.reflection,
        limits: RequestLimits { queued: settings.max_queued.get(), ..default.limits },
        times: GatewayTimes { drain: plan.settings.node.drain.0, ..default.times },
        defaults: debate_file::defaults(&plan.settings),
        retry: plan.settings.retry_policy(),
        prices: plan.settings.prices(),
        eval_prices: plan.settings.eval.model_prices(),
        eval_grader: plan.settings.eval.grader_model.clone(),
        feeds: feed_reader(&plan.settings.feeds, environment)?,
    })
}

/// The pages for browsers; nothing where they are off.
pub fn pages(plan: &ServePlan) -> Option<SitePages> {
    let settings = &plan.settings.console;
    let codes = plan.own_door.as_ref().map(OwnDoor::codes);
    let config = ConsoleConfig { trace_url: settings.trace_url.clone(), codes };
    settings.enabled.then(|| agon_console::pages(config))
}

fn tls(settings: &TlsSettings) -> TlsConfig {
    TlsConfig {
        certificate: settings.cert.clone(),
        key: settings.key.clone(),
        client_ca: settings.client_ca.clone(),
        client_required: settings.client_required,
    }
}

fn auth(settings: &AuthSettings) -> Result<AuthConfig, Stop> {
    Ok(AuthConfig {
        tokens: settings.tokens_file.as_ref().map(TokenFile::new),
        jwt: settings.jwt.as_ref().map(jwt).transpose()?,
        certificates: settings.certificates.as_ref().map(certificates),
        own_token: None,
    })
}

fn jwt(settings: &JwtSettings) -> Result<JwtAuth, Stop> {
    let keys = match (&settings.jwks_url, &settings.jwks_file) {
        (Some(url), None) => JwksSource::url(url),
        (None, Some(path)) => JwksSource::file(path),
        (None, None) | (Some(_), Some(_)) => {
            return Err(Stop::usage("gateway.auth.jwt: give either jwks_url or jwks_file"));
        }
    };
    Ok(JwtAuth {
        scope_claim: settings.scope_claim.clone(),
        tenant_claim: settings.tenant_claim.clone(),
        principal_claim: settings.principal_claim.clone(),
        default_tenant: settings.default_tenant.clone(),
        leeway: settings.leeway.0,
        ..JwtAuth::new(keys, settings.issuer.clone(), &settings.audience)
    })
}

fn certificates(settings: &CertificateSettings) -> CertificateAuth {
    CertificateAuth {
        principal: match settings.principal {
            PrincipalField::CommonName => CertificateName::CommonName,
            PrincipalField::Dns => CertificateName::Dns,
            PrincipalField::Uri => CertificateName::Uri,
            PrincipalField::Email => CertificateName::Email,
        },
        tenant: settings.tenant.clone().map_or(CertificateTenant::Organization, CertificateTenant::Fixed),
        scopes: settings.scopes.iter().filter_map(|scope| Scope::parse(scope)).collect(),
    }
}

/// What a gateway that does not start means for the program.
pub fn not_started(plan: &ServePlan, error: GatewayError) -> Stop {
    let taken = match plan.own_door {
        Some(_) => "the port is taken; choose another with --port PORT, or leave it out to take a free one",
        None => "the port is taken; choose others with --grpc ADDR and --http ADDR",
    };
    let (exit, hint) = match &error {
        GatewayError::Listen { error, .. } if error.kind() == std::io::ErrorKind::AddrInUse => {
            (Exit::Unavailable, Some(taken))
        }
        GatewayError::Listen { .. } => (Exit::Unavailable, None),
        GatewayError::Open(_) => (
            Exit::Usage,
            Some(
                "set gateway.auth (agon token makes tokens), listen on 127.0.0.1, or add --insecure if every client may do everything",
            ),
        ),
        GatewayError::NoAddress | GatewayError::Tls(_) | GatewayError::Auth(_) => (Exit::Usage, None),
        GatewayError::Descriptors(_) => (Exit::Internal, None),
    };
    let error = anyhow::Error::from(error);
    match hint {
        Some(hint) => Stop::say(exit, format!("{error:#}\n  {hint}")),
        None => Stop::new(exit, error),
    }
}
