//! What each role may do on NATS, tried at the start: a refusal later would be told to nobody in particular.
//!
//! `deploy/nats/agon.conf` grants exactly this, and `docs/guide/security.md` shows it; tests keep the three alike.
use super::plan::Plan;
use crate::cli::Role;
use crate::exit::{Exit, Stop};
use agon_bus::nats::NatsLink;
use agon_bus::nats::permissions::{Missing, Needed, probe};
use agon_bus::subject::{Token, pattern, urgency};
use agon_core::{ModelName, Priority};
use agon_runtime::{HostConfig, Served, queue_token};
use std::collections::BTreeSet;

/// What the users of one role may do: subjects with wildcards, as the server's configuration has them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// What they may send to.
    pub publish: BTreeSet<String>,
    /// What they may listen to.
    pub subscribe: BTreeSet<String>,
}

/// Stands for a name that nobody has.
const PROBE: &str = "agon-probe";

/// Everything that `role` needs, the queues of models aside, where the logs are spread over so many shards.
pub fn grants(role: Role, shards: u32) -> Grants {
    let (publish, subscribe): (&[&str], &[&str]) = match role {
        Role::Gateway => (&GATEWAY_PUBLISH, &GATEWAY_SUBSCRIBE),
        Role::Coordinator => (&COORDINATOR_PUBLISH, &COORDINATOR_SUBSCRIBE),
        Role::Host => (&HOST_PUBLISH, &HOST_SUBSCRIBE),
    };
    let mut publish: BTreeSet<String> = publish.iter().map(|subject| (*subject).to_owned()).collect();
    for shard in 0..shards {
        publish.extend(log_reading(&format!("AGON_LOG_{shard}")));
        if role == Role::Gateway {
            publish.insert(format!("$JS.API.STREAM.PURGE.AGON_LOG_{shard}"));
        }
    }
    match role {
        Role::Gateway => {}
        Role::Coordinator => publish.extend(seat_queue()),
        Role::Host => publish.extend(queue("*", "agon.v1.gen.>")),
    }
    let inbox = format!("_INBOX_{}.>", role.name());
    let subscribe = subscribe.iter().map(|subject| (*subject).to_owned()).chain([inbox]).collect();
    Grants { publish, subscribe }
}

const GATEWAY_PUBLISH: [&str; 24] = [
    // debates are admitted, queued, listed, ended
    "agon.v1.log.>",
    "agon.v1.big.>",
    "agon.v1.job.>",
    "agon.v1.cmd.>",
    "agon.v1.req.>",
    "agon.v1.idx.>",
    "agon.v1.ready.*",
    "agon.v1.node.*",
    // hosts are told to drain
    "agon.v1.host.*.*",
    "$JS.API.STREAM.INFO.AGON_RES",
    "$JS.API.STREAM.INFO.AGON_CMD",
    "$JS.API.STREAM.INFO.AGON_JOB",
    "$JS.API.STREAM.INFO.AGON_REQ",
    "$JS.API.STREAM.INFO.AGON_IDX",
    "$JS.API.STREAM.MSG.GET.AGON_CMD",
    "$JS.API.STREAM.MSG.GET.AGON_REQ",
    "$JS.API.STREAM.MSG.GET.AGON_IDX",
    "$JS.API.CONSUMER.CREATE.AGON_IDX.*.agon.v1.idx.>",
    "$JS.API.CONSUMER.MSG.NEXT.AGON_IDX.*",
    // debates are deleted
    "$JS.API.STREAM.PURGE.AGON_RES",
    "$JS.API.STREAM.PURGE.AGON_CMD",
    "$JS.API.STREAM.PURGE.AGON_JOB",
    "$JS.API.STREAM.PURGE.AGON_IDX",
    "$JS.API.STREAM.PURGE.AGON_BIG",
];
const GATEWAY_SUBSCRIBE: [&str; 4] = ["agon.v1.ctl.*.*", "agon.v1.tok.>", "agon.v1.hb.*", "agon.v1.alive.*"];

const COORDINATOR_PUBLISH: [&str; 27] = [
    // debates are led
    "agon.v1.log.>",
    "agon.v1.res.>",
    "agon.v1.big.>",
    "agon.v1.gen.>",
    "agon.v1.job.>",
    "agon.v1.idx.>",
    "agon.v1.ctl.*.*",
    "agon.v1.ready.*",
    "agon.v1.node.*",
    "agon.v1.alive.*",
    "agon.v1.host.*.*",
    "agon.v1.seat.*.*.*",
    "$JS.API.STREAM.INFO.AGON_RES",
    "$JS.API.STREAM.INFO.AGON_CMD",
    "$JS.API.STREAM.INFO.AGON_JOB",
    "$JS.API.STREAM.INFO.AGON_IDX",
    "$JS.API.STREAM.INFO.AGON_GEN",
    "$JS.API.STREAM.MSG.GET.AGON_CMD",
    "$JS.API.STREAM.MSG.GET.AGON_IDX",
    "$JS.API.CONSUMER.CREATE.AGON_IDX.*.agon.v1.idx.>",
    "$JS.API.CONSUMER.MSG.NEXT.AGON_IDX.*",
    // marks of deleted debates are cleared
    "$JS.API.STREAM.PURGE.AGON_IDX",
    // jobs are taken
    "$JS.API.CONSUMER.INFO.AGON_JOB.*",
    "$JS.API.CONSUMER.MSG.NEXT.AGON_JOB.*",
    "$JS.ACK.AGON_JOB.>",
    "$JS.ACK.*.*.AGON_JOB.>",
    // the results of turns
    "$JS.API.STREAM.MSG.GET.AGON_RES",
];
const COORDINATOR_SUBSCRIBE: [&str; 6] = [
    "agon.v1.node.*",
    "agon.v1.ready.*",
    "agon.v1.ctl.*.*",
    "agon.v1.hb.*",
    "agon.v1.alive.*",
    // the seats of external participants are kept by coordinators, and reached as hosts are
    "agon.v1.host.*.*",
];

const HOST_PUBLISH: [&str; 8] = [
    // turns are played
    "agon.v1.res.>",
    "agon.v1.big.>",
    "agon.v1.tok.>",
    "agon.v1.hb.*",
    "agon.v1.node.*",
    "$JS.API.STREAM.INFO.AGON_RES",
    "$JS.API.STREAM.INFO.AGON_GEN",
    "$JS.API.STREAM.MSG.GET.AGON_RES",
];
const HOST_SUBSCRIBE: [&str; 4] = ["agon.v1.host.*.*", "agon.v1.ctl.*.*", "agon.v1.hb.*", "agon.v1.alive.*"];

/// Reading logs: the last messages one by one, many through a consumer that is named and has a filter.
fn log_reading(stream: &str) -> Vec<String> {
    let mut subjects = vec![
        format!("$JS.API.STREAM.INFO.{stream}"),
        format!("$JS.API.STREAM.MSG.GET.{stream}"),
        format!("$JS.API.CONSUMER.CREATE.{stream}.*.agon.v1.log.>"),
        format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.*"),
        format!("$JS.API.CONSUMER.DELETE.{stream}.*"),
    ];
    subjects.extend(["INFO", "MSG.GET"].map(|verb| format!("$JS.API.STREAM.{verb}.AGON_BIG")));
    subjects
}

/// Taking turns from the consumers of one name.
fn queue(consumer: &str, filter: &str) -> Vec<String> {
    vec![
        format!("$JS.API.CONSUMER.INFO.AGON_GEN.{consumer}"),
        format!("$JS.API.CONSUMER.CREATE.AGON_GEN.{consumer}.{filter}"),
        format!("$JS.API.CONSUMER.MSG.NEXT.AGON_GEN.{consumer}"),
        format!("$JS.ACK.AGON_GEN.{consumer}.>"),
        format!("$JS.ACK.*.*.AGON_GEN.{consumer}.>"),
    ]
}

/// Taking the turns of one model, or of external participants.
fn queue_of(model: &Token) -> Vec<String> {
    let of = |priority: Priority| {
        queue(&format!("gen-{model}-{}", urgency(priority)), &pattern::generations(model, priority))
    };
    Priority::ALL.into_iter().flat_map(of).collect()
}

fn seat_queue() -> Vec<String> {
    queue_of(&queue_token(&ModelName::from(ModelName::EXTERNAL), false))
}

/// The roles as the process's private inbox names them, in a fixed order.
pub fn inbox_role(plan: &Plan) -> String {
    plan.roles.iter().map(|role| role.name()).collect::<Vec<_>>().join("-")
}

/// Tries everything that the process's roles need, the queues of models aside.
pub async fn check(plan: &Plan, link: &NatsLink) -> Result<(), Stop> {
    let shards = plan.settings.nats.shards.get();
    let mut needed = Vec::new();
    for role in &plan.roles {
        let Grants { publish, subscribe } = grants(*role, shards);
        let queues = |subject: &String| *role == Role::Host && subject.contains("AGON_GEN.*");
        needed.extend(publish.into_iter().filter(|subject| !queues(subject)).map(Needed::publish));
        // where there are several roles, the inbox is another one
        let inbox = |subject: &String| subject.starts_with("_INBOX");
        needed.extend(subscribe.into_iter().filter(|subject| !inbox(subject)).map(|subject| listening(&subject)));
    }
    // beside the process's own: of two listeners that fit, the server tells only one that nobody answers
    needed.push(Needed::subscribe(format!("_INBOX_{}.{PROBE}.>", inbox_role(plan))));
    try_all(plan, link, &needed).await
}

/// Tries the queues of the models that the process's hosts play: all of them, where a host does not name its models.
pub async fn check_queues(plan: &Plan, link: &NatsLink, hosts: &[HostConfig]) -> Result<(), Stop> {
    let mut needed = BTreeSet::new();
    for host in hosts {
        match &host.models {
            Served::List(models) => {
                needed.extend(models.iter().flat_map(|model| queue_of(&queue_token(model, host.rehearsal))));
            }
            Served::Any | Served::Discovered => needed.extend(queue("*", "agon.v1.gen.>")),
        }
    }
    let needed: Vec<Needed> = needed.into_iter().map(Needed::publish).collect();
    try_all(plan, link, &needed).await
}

/// Listening for everything where the process will, else to one subject of the kind, so that no flood comes.
fn listening(subject: &str) -> Needed {
    match subject {
        "agon.v1.hb.*" | "agon.v1.alive.*" | "agon.v1.ready.*" => Needed::subscribe(subject),
        one => Needed::subscribe(one.replace(['*', '>'], PROBE)),
    }
}

async fn try_all(plan: &Plan, link: &NatsLink, needed: &[Needed]) -> Result<(), Stop> {
    let missing = probe(link, needed).await.map_err(|error| Stop::new(Exit::Unavailable, error))?;
    if missing.is_empty() {
        return Ok(());
    }
    let line = |missing: &Missing| format!("\n  {}", missing.to_string().replace(PROBE, "*"));
    let lines: Vec<String> = missing.iter().map(line).collect();
    let roles: Vec<&str> = plan.roles.iter().map(|role| role.name()).collect();
    Err(Stop::usage(format!(
        "this NATS user may not do what {} needs; it lacks:{}\n  docs/guide/security.md says which user of NATS needs what",
        roles.join(", "),
        lines.concat()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn shipped(path: &str) -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
    }

    /// The subjects that the configuration allows to a user, by direction.
    fn allowed(conf: &str, user: &str) -> Grants {
        let (_, rest) = conf.split_once(&format!("        user: {user}\n")).unwrap();
        let list = |direction: &str| {
            let (_, rest) = rest.split_once(&format!("          {direction}: {{\n            allow: [\n")).unwrap();
            let subjects = rest.split(']').next().unwrap().lines().map(|line| line.trim().trim_matches('"'));
            subjects.filter(|subject| !subject.is_empty()).map(str::to_owned).collect()
        };
        Grants { publish: list("publish"), subscribe: list("subscribe") }
    }

    #[test]
    fn the_shipped_configuration_grants_what_is_tried_at_the_start_and_nothing_else() {
        let conf = shipped("deploy/nats/agon.conf");
        for (role, user) in [(Role::Gateway, "gateway"), (Role::Coordinator, "coordinator"), (Role::Host, "host")] {
            assert_eq!(allowed(&conf, user), grants(role, 1), "{user}");
        }
        let mut bound = grants(Role::Host, 1);
        bound.publish.retain(|subject| !subject.contains("AGON_GEN.*"));
        bound.publish.extend(queue_of(&queue_token(&ModelName::from("qwen3:8b"), false)));
        assert_eq!(allowed(&conf, "bound_host"), bound);
    }

    /// What the table's words mean for a kind of subject, by the permissions that they stand for.
    fn told(cell: &str) -> BTreeSet<&'static str> {
        let words = cell.split(|c: char| !c.is_ascii_alphabetic());
        let meaning = |word| match word {
            "append" | "write" | "add" | "send" | "ask" => Some("send"),
            "listen" | "answer" => Some("listen"),
            "take" | "follow" => Some("take"),
            "read" => Some("read"),
            "purge" => Some("purge"),
            _ => None,
        };
        words.filter_map(meaning).collect()
    }

    fn granted(grants: &Grants, kind: &str) -> BTreeSet<&'static str> {
        let (subject, stream) = (format!("agon.v1.{kind}."), format!("AGON_{}", kind.to_uppercase()));
        let asks = |call: &str| grants.publish.iter().any(|subject| subject.contains(&format!("{call}.{stream}")));
        let facts = [
            ("send", grants.publish.iter().any(|granted| granted.starts_with(&subject))),
            ("listen", grants.subscribe.iter().any(|granted| granted.starts_with(&subject))),
            // logs are read through consumers too, and a catalogue that is followed is also read
            ("take", asks("MSG.NEXT") && kind != "log"),
            ("read", asks("MSG.GET") && kind != "idx"),
            ("purge", asks("PURGE")),
        ];
        facts.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect()
    }

    #[test]
    fn the_guide_shows_what_each_role_may_do() {
        let guide = shipped("docs/guide/security.md");
        let rows: Vec<Vec<&str>> =
            guide.lines().filter(|line| line.contains("| `agon.v1.")).map(|line| line.split('|').collect()).collect();
        assert!(rows.len() >= 15, "{rows:?}");
        for row in rows {
            let kinds = row[2].split("agon.v1.").skip(1).filter_map(|rest| rest.split('.').next());
            let kinds: Vec<&str> = kinds.collect();
            for (role, column) in [(Role::Gateway, 4), (Role::Coordinator, 5), (Role::Host, 6)] {
                let grants = grants(role, 1);
                let granted: BTreeSet<_> = kinds.iter().flat_map(|kind| granted(&grants, kind)).collect();
                assert_eq!(told(row[column]), granted, "{} of {}", role.name(), row[2]);
            }
        }
    }
}
