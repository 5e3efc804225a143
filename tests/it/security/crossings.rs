//! Every subject there is, for every role, both ways: what the server lets through is what the role's work needs, and nothing else.
use super::{guarded, guarded_by, stored, unguarded, user};
use agon_bus::matches;
use agon_testkit::NatsServer;
use std::collections::BTreeSet;

/// One subject of each family of `agon_bus::subject`, and others that nobody may use.
const OURS: [&str; 24] = [
    "agon.v1.log.0.default.some",
    "agon.v1.res.default.some.r1-s0.1",
    "agon.v1.cmd.default.some.cancel",
    "agon.v1.job.p1.0.default.some",
    "agon.v1.gen.model.p1.default.some.r1-s0.1",
    "agon.v1.tok.default.some.r1-s0.1",
    "agon.v1.ctl.default.some",
    "agon.v1.hb.some",
    "agon.v1.key.some",
    "agon.v1.alive.some",
    "agon.v1.node.some",
    "agon.v1.ready.p1",
    "agon.v1.idx.default.some",
    "agon.v1.req.default.some",
    "agon.v1.big.default.some.hash.0",
    "agon.v1.evl.default.some",
    "agon.v1.evp.default.some.hash.0",
    "agon.v1.blob.some.0",
    "agon.v1.host.some.offer",
    "agon.v1.api.default.some",
    "agon.v1.seat.default.some.outsider",
    "agon.v1.seat.default.some.other",
    "agon.v1.seat.other.some.outsider",
    "agon.v2.log.0.default.some",
];
/// Those of them that a stream stores.
const STORED: [&str; 9] = ["log", "res", "cmd", "job", "gen", "idx", "req", "big", "blob"];
const STREAMS: [&str; 11] = ["LOG_0", "RES", "CMD", "JOB", "GEN", "IDX", "REQ", "BIG", "EVL", "BLOB", "OTHER"];
/// JetStream's API about a stream `S`, with a consumer `c` and a filter `f`, by the server's documentation up to 2.12.
const ABOUT_A_STREAM: [&str; 27] = [
    "STREAM.CREATE.S",
    "STREAM.UPDATE.S",
    "STREAM.INFO.S",
    "STREAM.DELETE.S",
    "STREAM.PURGE.S",
    "STREAM.SNAPSHOT.S",
    "STREAM.RESTORE.S",
    "STREAM.MSG.GET.S",
    "STREAM.MSG.DELETE.S",
    "STREAM.PEER.REMOVE.S",
    "STREAM.LEADER.STEPDOWN.S",
    "STREAM.TEMPLATE.CREATE.S",
    "STREAM.TEMPLATE.DELETE.S",
    "STREAM.TEMPLATE.INFO.S",
    "DIRECT.GET.S",
    "DIRECT.GET.S.f",
    "CONSUMER.CREATE.S",
    "CONSUMER.CREATE.S.c",
    "CONSUMER.CREATE.S.c.f",
    "CONSUMER.DURABLE.CREATE.S.c",
    "CONSUMER.NAMES.S",
    "CONSUMER.LIST.S",
    "CONSUMER.INFO.S.c",
    "CONSUMER.DELETE.S.c",
    "CONSUMER.MSG.NEXT.S.c",
    "CONSUMER.PAUSE.S.c",
    "CONSUMER.LEADER.STEPDOWN.S.c",
];
const OF_A_STREAM: [&str; 9] = [
    "$JS.ACK.S.c.1.1.1.1.1",
    "$JS.ACK.d.h.S.c.1.1.1.1.1",
    // read as of `S`, whatever stream another token names
    "$JS.ACK.S.c.AGON_GEN.1.1.1.1",
    "$JS.ACK.S.c.AGON_JOB.1.1.1.1",
    "$JS.ACK.AGON_GEN.h.S.c.1.1.1.1.1",
    "$JS.ACK.AGON_JOB.h.S.c.1.1.1.1.1",
    "$JS.FC.S.c.1",
    "$JS.SNAPSHOT.ACK.S.1",
    "$JS.SNAPSHOT.RESTORE.S.1",
];
const OF_THE_SERVER: [&str; 22] = [
    "$JS.API.INFO",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.TEMPLATE.NAMES",
    "$JS.API.META.LEADER.STEPDOWN",
    "$JS.API.SERVER.REMOVE",
    "$JS.API.ACCOUNT.PURGE.NOBODY",
    "$JS.API.ACCOUNT.STREAM.MOVE.AGON.AGON_RES",
    "$JS.API.ACCOUNT.STREAM.CANCEL_MOVE.AGON.AGON_RES",
    "$JS.hub.API.INFO",
    "$JS.EVENT.ADVISORY.some",
    "$JS.EVENT.METRIC.some",
    "$SYS.REQ.SERVER.PING",
    "$SYS.REQ.USER.INFO",
    "$SYS.REQ.ACCOUNT.AGON.CONNZ",
    "$SYS.ACCOUNT.AGON.CONNECT",
    "$SRV.PING",
    "$KV.some.key",
    "$O.some.C.part",
    "$MQTT.some",
    "_INBOX.some",
    "other",
];
const ROLES: [&str; 5] = ["provisioner", "gateway", "coordinator", "host", "seat_example"];
const INBOXES: [&str; 6] = ["provisioner", "gateway", "coordinator", "host", "seat_example", "gateway-coordinator"];

/// What a role's work needs to send to. `S` stands for a stream.
fn sends(role: &str) -> Vec<String> {
    let texts = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
    let asks = |prefix: &str, verbs: &str, streams: &[&str]| -> Vec<String> {
        let verbs: Vec<&str> = verbs.split(' ').collect();
        streams
            .iter()
            .flat_map(|stream| {
                verbs.iter().map(move |verb| format!("{prefix}.{}", verb.replace("@", &format!("AGON_{stream}"))))
            })
            .collect()
    };
    let log = "CONSUMER.CREATE.@.*.agon.v1.log.> CONSUMER.MSG.NEXT.@.* CONSUMER.DELETE.@.*";
    let evl = "CONSUMER.CREATE.@.*.agon.v1.evl.> CONSUMER.MSG.NEXT.@.* CONSUMER.DELETE.@.*";
    let idx = "CONSUMER.CREATE.@.*.agon.v1.idx.> CONSUMER.MSG.NEXT.@.* CONSUMER.INFO.@.*";
    let api = "$JS.API";
    let answers = ["_INBOX_gateway.$app.>", "_INBOX_coordinator.$app.>", "_INBOX_gateway-coordinator.$app.>"];
    match role {
        "provisioner" => [
            texts(&["$JS.API.STREAM.INFO.*", "$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.UPDATE.*"]),
            asks(api, "CONSUMER.INFO.@.* CONSUMER.CREATE.@.*.agon.v1.job.>", &["JOB"]),
        ]
        .concat(),
        "gateway" => [
            texts(&[
                "agon.v1.log.>",
                "agon.v1.big.>",
                "agon.v1.job.>",
                "agon.v1.cmd.>",
                "agon.v1.req.>",
                "agon.v1.idx.>",
                "agon.v1.evl.>",
                "agon.v1.evp.>",
            ]),
            texts(&["agon.v1.ready.*", "agon.v1.node.*", "agon.v1.host.*.*"]),
            asks(api, "STREAM.INFO.@", &["LOG_0", "RES", "CMD", "JOB", "REQ", "IDX", "GEN", "BIG", "EVL"]),
            asks(api, "STREAM.MSG.GET.@", &["LOG_0", "CMD", "REQ", "IDX", "GEN", "BIG", "EVL"]),
            asks(api, "STREAM.PURGE.@", &["LOG_0", "RES", "CMD", "JOB", "IDX", "BIG", "EVL"]),
            asks(api, log, &["LOG_0"]),
            asks(api, idx, &["IDX"]),
            asks(api, evl, &["EVL"]),
        ]
        .concat(),
        "coordinator" => [
            texts(&[
                "agon.v1.log.>",
                "agon.v1.res.>",
                "agon.v1.big.>",
                "agon.v1.gen.>",
                "agon.v1.job.>",
                "agon.v1.idx.>",
                "agon.v1.evl.>",
                "agon.v1.evp.>",
            ]),
            texts(&["agon.v1.ctl.*.*", "agon.v1.ready.*", "agon.v1.node.*", "agon.v1.alive.*", "agon.v1.host.*.*"]),
            texts(&["agon.v1.seat.*.*.*", "$JS.ACK.AGON_JOB.*.*.*.*.*.*", "$JS.ACK.*.*.AGON_JOB.*.*.*.*.*.*"]),
            texts(&answers),
            asks(api, "STREAM.INFO.@", &["LOG_0", "RES", "CMD", "JOB", "IDX", "GEN", "BIG", "EVL"]),
            asks(api, "STREAM.MSG.GET.@", &["LOG_0", "RES", "CMD", "IDX", "BIG", "EVL"]),
            asks(api, "STREAM.PURGE.@", &["IDX", "RES"]),
            asks(api, "STREAM.MSG.DELETE.@", &["RES"]),
            asks(api, log, &["LOG_0"]),
            asks(api, idx, &["IDX"]),
            asks(api, evl, &["EVL"]),
            asks(api, "CONSUMER.INFO.@.* CONSUMER.MSG.NEXT.@.*", &["JOB"]),
            asks(api, "CONSUMER.INFO.@.* CONSUMER.CREATE.@.*.agon.v1.gen.>", &["GEN"]),
        ]
        .concat(),
        // its results, its signs of life, its answers; and what it reads for them
        "host" => [
            texts(&[
                "agon.v1.res.>",
                "agon.v1.big.>",
                "agon.v1.tok.>",
                "agon.v1.hb.*",
                "agon.v1.key.*",
                "agon.v1.node.*",
            ]),
            texts(&[
                "$JS.ACK.AGON_GEN.*.*.*.*.*.*",
                "$JS.ACK.*.*.AGON_GEN.*.*.*.*.*.*",
                "$JS.API.STREAM.INFO.AGON_GEN",
            ]),
            texts(&answers),
            asks("agon.v1.js", "STREAM.INFO.@", &["LOG_0", "RES", "GEN", "BIG"]),
            asks("agon.v1.js", "STREAM.MSG.GET.@", &["LOG_0", "RES", "BIG"]),
            asks("agon.v1.js", "CONSUMER.INFO.@.* CONSUMER.MSG.NEXT.@.*", &["GEN"]),
        ]
        .concat(),
        _ => Vec::new(),
    }
}

/// What a role's work needs to listen to.
fn hears(role: &str) -> Vec<&'static str> {
    match role {
        "provisioner" => vec!["_INBOX_provisioner.>"],
        "gateway" => vec![
            "agon.v1.ctl.*.*",
            "agon.v1.tok.>",
            "agon.v1.hb.*",
            "agon.v1.key.*",
            "agon.v1.alive.*",
            "_INBOX_gateway.>",
        ],
        "coordinator" => vec![
            "agon.v1.node.*",
            "agon.v1.ready.*",
            "agon.v1.ctl.*.*",
            "agon.v1.hb.*",
            "agon.v1.key.*",
            "agon.v1.alive.*",
            "agon.v1.host.*.*",
            "_INBOX_coordinator.>",
        ],
        "host" => vec!["agon.v1.host.*.*", "agon.v1.ctl.*.*", "agon.v1.hb.*", "agon.v1.alive.*", "_INBOX_host.>"],
        _ => vec!["agon.v1.seat.default.*.outsider", "_INBOX_seat_example.>"],
    }
}

/// Every subject that exists in the account of the streams or in that of hosts.
fn every_subject() -> Vec<String> {
    let mut all: Vec<String> = OURS.iter().chain(&OF_THE_SERVER).map(|subject| (*subject).to_owned()).collect();
    for stream in STREAMS {
        let family = stream.split('_').next().unwrap().to_lowercase();
        let named = |subject: &str| {
            let subject = if subject.ends_with(".f") {
                subject.replace(".f", &format!(".agon.v1.{family}.x"))
            } else {
                subject.to_owned()
            };
            subject
                .split('.')
                .map(|token| if token == "S" { format!("AGON_{stream}") } else { token.to_owned() })
                .collect::<Vec<_>>()
                .join(".")
        };
        for api in ["$JS.API", "agon.v1.js"] {
            all.extend(ABOUT_A_STREAM.iter().map(|call| format!("{api}.{}", named(call))));
        }
        all.extend(OF_A_STREAM.iter().map(|subject| named(subject)));
    }
    for role in INBOXES {
        all.extend(["node.some", "$app.node.some", "some"].map(|rest| format!("_INBOX_{role}.{rest}")));
    }
    all
}

/// The same as patterns, and wider ones.
fn every_pattern() -> Vec<String> {
    let mut all = every_subject();
    let wide = [
        ">",
        "*.>",
        "agon.>",
        "agon.v1.>",
        "agon.v1.*.>",
        "$JS.>",
        "$JS.API.>",
        "$JS.ACK.>",
        "$JS.EVENT.>",
        "$SYS.>",
        "_R_.>",
        "_INBOX.>",
    ];
    all.extend(wide.map(str::to_owned));
    let families: BTreeSet<&str> = OURS.iter().filter_map(|subject| subject.split('.').nth(2)).collect();
    all.extend(families.iter().map(|family| format!("agon.v1.{family}.>")));
    all.extend(INBOXES.iter().map(|role| format!("_INBOX_{role}.>")));
    all
}

/// What the server refuses of all that there is, by role and way.
fn refused(server: &NatsServer) -> BTreeSet<(String, &'static str, String)> {
    let mut refused = BTreeSet::new();
    for role in ROLES {
        let mut sender = user(server, role);
        for subject in every_subject() {
            // the server's API cannot read it
            let refusals = sender.publish(&subject, "{");
            if !refusals.is_empty() {
                assert!(
                    refusals.iter().all(|line| line.contains(&format!("Publish to \"{subject}\""))),
                    "{refusals:?}"
                );
                refused.insert((role.to_owned(), "sends to", subject));
            }
        }
        for pattern in every_pattern() {
            let refusals = user(server, role).listen(&pattern);
            if !refusals.is_empty() {
                assert!(
                    refusals.iter().all(|line| line.contains(&format!("Subscription to \"{pattern}\""))),
                    "{refusals:?}"
                );
                refused.insert((role.to_owned(), "listens to", pattern));
            }
        }
    }
    refused
}

/// What should be refused, by what each role needs.
fn forbidden() -> BTreeSet<(String, &'static str, String)> {
    let mut all = BTreeSet::new();
    for role in ROLES {
        let (sends, hears) = (sends(role), hears(role));
        let own = every_subject().into_iter().filter(|subject| !sends.iter().any(|allowed| matches(allowed, subject)));
        all.extend(own.map(|subject| (role.to_owned(), "sends to", subject)));
        let own = every_pattern().into_iter().filter(|pattern| !hears.iter().any(|allowed| matches(allowed, pattern)));
        all.extend(own.map(|pattern| (role.to_owned(), "listens to", pattern)));
    }
    all
}

#[test]
fn of_every_subject_each_role_reaches_exactly_what_it_needs() {
    let mut cluster = guarded_by(guarded());
    cluster.provision().ok();

    let (refused, forbidden) = (refused(cluster.nats_server()), forbidden());

    let open: Vec<_> = forbidden.difference(&refused).collect();
    assert!(open.is_empty(), "these pass and should not: {open:#?}");
    let closed: Vec<_> = refused.difference(&forbidden).collect();
    assert!(closed.is_empty(), "these are needed and do not pass: {closed:#?}");
    assert!(forbidden.len() > 4_000, "{}", forbidden.len());
}

#[test]
fn without_the_permissions_nothing_is_refused_and_what_is_stored_takes_effect() {
    let mut cluster = guarded_by(unguarded());
    cluster.provision().ok();
    let server = cluster.nats_server();

    assert_eq!(refused(server), BTreeSet::new());

    for role in ["provisioner", "gateway", "coordinator", "seat_example"] {
        for (at, family) in STORED.iter().enumerate() {
            let subject = OURS.iter().find(|subject| subject.contains(&format!(".v1.{family}."))).unwrap();
            let subject = subject.replace("some", &format!("by-{role}-{at}"));
            let before = stored(server);
            assert!(user(server, role).publish(&subject, "").is_empty());
            assert_ne!(stored(server), before, "{role} sends to {subject}");
        }
    }
}
