//! `agon hosts`: who serves which models, how loaded they are, which model servers are away and which breakers are open.
use super::Context;
use crate::cli::HostsArgs;
use crate::client;
use crate::exit::{Exit, Stop};
use crate::output::columns;
use agon_core::Timestamp;
use agon_proto::pb::bus::v1::{BreakerState, HostModel, ModelServerAway};
use agon_proto::pb::v1::Host;
use agon_report::one_line;
use agon_runtime::{Clock as _, SystemClock};
use serde_json::{Value, json};

/// `agon hosts`
pub fn run(context: &Context, args: &HostsArgs) -> Result<Exit, Stop> {
    let server = client::required(context, &args.api)?;
    let hosts = client::ask(context, &server, async |client| client.hosts().await)?;
    if args.json {
        let rows: Vec<Value> = hosts.iter().map(row).collect();
        context.output.json(&rows)?;
    } else if hosts.is_empty() {
        context
            .output
            .note("no live host; start one close to its models: agon serve --roles host --nats URL --ollama URL");
    } else {
        context.output.data(&table(&hosts))?;
    }
    Ok(Exit::Done)
}

const HEAD: [&str; 7] = ["HOST", "MODEL", "PERMITS", "RUNNING", "WAITING", "STATE", "SILENCE"];

/// One line for each model of each host, in columns.
fn table(hosts: &[Host]) -> String {
    let mut lines = vec![HEAD.map(str::to_owned)];
    for host in hosts {
        let any = host.serves_any.then(|| any_model(host));
        lines.extend(host.models.iter().map(|model| line(host, model)).chain(any));
        let prefixed = host.serves_prefix.as_ref().map(|prefix| format!("(any {}/...)", one_line(prefix)));
        lines.extend(prefixed.map(|name| cells(host, &name, ["-", "-", "-", "-"].map(str::to_owned))));
        if host.models.is_empty() && !host.serves_any && host.serves_prefix.is_none() {
            lines.push(cells(host, "(none)", ["-", "-", "-", "-"].map(str::to_owned)));
        }
    }
    columns(&lines)
}

fn line(host: &Host, model: &HostModel) -> [String; 7] {
    let name = one_line(&model.name);
    let warm = if model.warm == Some(true) { " (warm)" } else { "" };
    let load = [model.permits, model.running, model.waiting].map(|number| number.to_string());
    let [permits, running, waiting] = load;
    cells(host, &format!("{name}{warm}"), [permits, running, waiting, state(model, SystemClock.now())])
}

fn any_model(host: &Host) -> [String; 7] {
    let what = if host.models.is_empty() { "(any)" } else { "(any other)" };
    cells(host, what, ["-", "-", "-", "-"].map(str::to_owned))
}

fn cells(host: &Host, model: &str, [permits, running, waiting, state]: [String; 4]) -> [String; 7] {
    let mut name = one_line(&host.name);
    if host.rehearsal {
        name.push_str(" (rehearsal)");
    }
    if host.draining {
        name.push_str(" (draining)");
    }
    let silence = format!("{:.1}s", silence(host));
    [name, model.to_owned(), permits, running, waiting, state, silence]
}

fn silence(host: &Host) -> f64 {
    let silence = host.silence.unwrap_or_default();
    std::time::Duration::try_from(silence).map(|silence| silence.as_secs_f64()).unwrap_or(0.0)
}

/// `away for 34 s (no connection), next look in 2 s`, or the state of the breaker.
fn state(model: &HostModel, now: Timestamp) -> String {
    let Some(away) = &model.away else { return breaker(model.breaker()).to_owned() };
    let since = now.since(Timestamp(away.since_ms)) / 1_000;
    let look = match Timestamp(away.next_look_ms).since(now).div_ceil(1_000) {
        0 => "next look with the next turn".to_owned(),
        seconds => format!("next look in {seconds} s"),
    };
    format!("away for {since} s ({}), {look}", one_line(&away.why))
}

fn breaker(state: BreakerState) -> &'static str {
    match state {
        BreakerState::Unspecified => "unknown",
        BreakerState::Closed => "closed",
        BreakerState::Open => "open",
        BreakerState::HalfOpen => "half-open",
    }
}

fn row(host: &Host) -> Value {
    let models: Vec<Value> = host.models.iter().map(model_row).collect();
    json!({
        "host": host.name, "node": host.node, "agon_version": host.agon_version, "server": host.server,
        "serves_any": host.serves_any, "serves_prefix": host.serves_prefix, "draining": host.draining, "rehearsal": host.rehearsal,
        "silence_s": silence(host), "models": models,
    })
}

fn model_row(model: &HostModel) -> Value {
    let mut row = json!({
        "name": model.name, "permits": model.permits, "running": model.running, "waiting": model.waiting,
        "breaker": breaker(model.breaker()),
    });
    if let Some(members) = row.as_object_mut() {
        let known = [
            ("digest", model.digest.as_ref().map(|digest| json!(digest))),
            ("context", model.context.map(|context| json!(context))),
            ("warm", model.warm.map(|warm| json!(warm))),
            ("tokens_per_second", model.millitokens_per_second.map(|speed| json!(f64::from(speed) / 1000.0))),
            ("away", model.away.as_ref().map(away_row)),
        ];
        members.extend(known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    }
    row
}

fn away_row(away: &ModelServerAway) -> Value {
    json!({ "why": away.why, "since_ms": away.since_ms, "next_look_ms": away.next_look_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> Host {
        let model = HostModel {
            name: "qwen3:8b".into(),
            warm: Some(true),
            permits: 4,
            running: 2,
            waiting: 1,
            breaker: BreakerState::HalfOpen.into(),
            ..HostModel::default()
        };
        let silence = Some(prost_types::Duration { seconds: 1, nanos: 240_000_000 });
        Host { name: "gpu1".into(), models: vec![model], silence, draining: true, ..Host::default() }
    }

    #[test]
    fn every_model_of_a_host_has_a_line_with_load_and_breaker() {
        let any = Host { name: "stage".into(), serves_any: true, rehearsal: true, ..Host::default() };
        let text = table(&[host(), any]);
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(lines[0], HEAD);
        assert_eq!(lines[1], ["gpu1 (draining)", "qwen3:8b (warm)", "4", "2", "1", "half-open", "1.2s"]);
        assert_eq!(lines[2], ["stage (rehearsal)", "(any)", "-", "-", "-", "-", "0.0s"]);
        let column = |line: &str, cell: &str| line.find(cell);
        let mut rows = text.lines();
        let (head, first) = (rows.next().unwrap(), rows.next().unwrap());
        assert_eq!(column(head, "MODEL"), column(first, "qwen3:8b"));
    }

    #[test]
    fn a_model_server_that_is_away_is_no_open_breaker() {
        let away = ModelServerAway {
            why: "no connection".into(),
            since_ms: 10_000,
            next_look_ms: 45_500,
            breaker: BreakerState::Closed.into(),
        };
        let model = HostModel { away: Some(away), breaker: BreakerState::Closed.into(), ..HostModel::default() };
        assert_eq!(state(&model, Timestamp(44_000)), "away for 34 s (no connection), next look in 2 s");
        assert_eq!(state(&model, Timestamp(46_000)), "away for 36 s (no connection), next look with the next turn");
        let row = model_row(&model);
        assert_eq!((row["breaker"].as_str(), row["away"]["why"].as_str()), (Some("closed"), Some("no connection")));
    }

    #[test]
    fn what_a_host_does_not_tell_is_absent_in_json() {
        let row = row(&host());
        let model = &row["models"][0];
        assert_eq!((model["warm"].as_bool(), model["breaker"].as_str()), (Some(true), Some("half-open")));
        assert!(model.get("digest").is_none() && model.get("context").is_none());
        assert!(model.get("tokens_per_second").is_none());
        let measured = HostModel { millitokens_per_second: Some(2_500), ..HostModel::default() };
        assert_eq!(model_row(&measured)["tokens_per_second"], json!(2.5));
    }
}
