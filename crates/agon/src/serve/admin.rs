//! The port for operators: where it listens, and what it says of the process.
use super::plan::ServePlan;
use crate::cli::ProcessRole;
use crate::exit::{Exit, Stop};
use crate::settings::AdminSettings;
use agon_server::{Admin, AdminPorts, GatewayPorts, SitePolicy, StoreNeed};
use agon_telemetry::Telemetry;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Starts the port. The usual address gives way where it is taken: several processes of one machine each have their own.
pub async fn start(plan: &ServePlan, ports: AdminPorts) -> Result<Admin, Stop> {
    let failed = |error: agon_server::AdminError| {
        Stop::say(Exit::Unavailable, format!("{error}\n  choose another address with --admin ADDR"))
    };
    if let Some(address) = plan.settings.admin.listen {
        let admin = Admin::start(address, ports).await.map_err(failed)?;
        if !address.ip().is_loopback() {
            tracing::warn!(%address, "the admin port has no authentication: make sure that only operators reach it");
        }
        return Ok(admin);
    }
    let usual = AdminSettings::usual();
    match Admin::start(usual, ports.clone()).await {
        Ok(admin) => Ok(admin),
        Err(_) => Admin::start(SocketAddr::new(usual.ip(), 0), ports).await.map_err(failed),
    }
}

/// What the port shows.
pub fn ports(
    plan: &ServePlan,
    telemetry: &Telemetry,
    parts: GatewayPorts,
    ending: Arc<AtomicBool>,
) -> Result<AdminPorts, Stop> {
    let telemetry = telemetry.clone();
    let needs = if plan.is(ProcessRole::Gateway) { StoreNeed::Answers } else { StoreNeed::Room };
    let sites = SitePolicy::parse(&plan.settings.admin.allowed_hosts, &[]);
    Ok(AdminPorts {
        sites: sites.map_err(|problems| Stop::usage(format!("admin: {}", problems.join("; "))))?,
        metrics: Arc::new(move || telemetry.prometheus()),
        unready: Arc::new(move || {
            let (parts, ending) = (parts.clone(), ending.clone());
            Box::pin(async move {
                if ending.load(Ordering::Acquire) {
                    return vec!["the process is ending".to_owned()];
                }
                parts.unready(needs).await
            })
        }),
    })
}
