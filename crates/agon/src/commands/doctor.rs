//! `agon doctor`: what is wrong with this machine's settings, store, servers and models, and how to mend it.
use super::{Context, runtime};
use crate::checkup::{CheckupLevel, cluster, feeds, gates, hosts, nats, place};
use crate::cli::DoctorArgs;
use crate::exit::{Exit, Stop};
use anyhow::Context as _;

/// `agon doctor`
pub fn run(context: &Context, args: &DoctorArgs) -> Result<Exit, Stop> {
    let (mut findings, settings) = place::settings(context);
    if let Some(settings) = settings {
        findings.extend(place::store(context));
        findings.extend(place::reports(&settings));
        let more = runtime()?.block_on(async {
            let mut more = Vec::from_iter(nats::check(context, &settings).await);
            more.extend(cluster::server(context, &settings, &args.api).await);
            more.extend(feeds::check(context, &settings).await?);
            // a store that cannot be opened is a finding of its own
            more.extend(gates::check(context).await.unwrap_or_default());
            more.extend(hosts::check(context, args, &settings).await?);
            Ok::<_, Stop>(more)
        })?;
        findings.extend(more);
    }
    if args.json {
        context.output.line(&serde_json::to_string_pretty(&findings).context("the findings cannot be written")?)?;
    } else {
        let lines: String = findings.iter().map(|finding| finding.line(context.output.color)).collect();
        context.output.data(&lines)?;
    }
    let bad = findings.iter().any(|finding| finding.level == CheckupLevel::Fail);
    Ok(if bad { Exit::Unwell } else { Exit::Done })
}
