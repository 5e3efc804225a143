//! The table against the guide, the chart, and what nats-server makes of it.
use super::*;

fn of(role: ProcessRole, shards: u32) -> Grants {
    Grants::of(&BTreeSet::from([role]), shards)
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
    let asks = |call: &str| grants.all_publish().any(|subject| subject.contains(&format!("{call}.{stream}")));
    let facts = [
        ("send", grants.publish.iter().any(|granted| granted.starts_with(&subject))),
        ("listen", grants.subscribe.iter().any(|granted| granted.starts_with(&subject))),
        // logs are read through consumers too, and a catalogue that is followed is also read
        ("take", asks("MSG.NEXT") && kind != "log" && kind != "evl"),
        ("read", asks("MSG.GET") && kind != "idx"),
        ("purge", asks("PURGE")),
    ];
    facts.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect()
}

#[test]
fn what_one_role_does_without_another_still_needs() {
    let needed = |roles: &[ProcessRole]| Grants::needed_to_publish(&roles.iter().copied().collect(), 1);
    let stream = "$JS.API.STREAM.INFO.AGON_GEN".to_owned();
    assert!(!needed(&[ProcessRole::Gateway]).contains(&stream));
    assert!(needed(&[ProcessRole::Coordinator]).contains(&stream));
    assert!(needed(&[ProcessRole::Gateway, ProcessRole::Coordinator]).contains(&stream));
}

#[test]
fn the_guide_shows_what_each_role_may_do() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/security.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> =
        guide.lines().filter(|line| line.contains("| `agon.v1.")).map(|line| line.split('|').collect()).collect();
    assert!(rows.len() >= 15, "{rows:?}");
    for row in rows {
        let kinds = row[2].split("agon.v1.").skip(1).filter_map(|rest| rest.split('.').next());
        let kinds: Vec<&str> = kinds.collect();
        for (role, column) in [(ProcessRole::Gateway, 4), (ProcessRole::Coordinator, 5), (ProcessRole::Host, 6)] {
            let grants = if role == ProcessRole::Host { of(role, 1).lent() } else { of(role, 1) };
            let granted: BTreeSet<_> = kinds.iter().flat_map(|kind| granted(&grants, kind)).collect();
            assert_eq!(told(row[column]), granted, "{} of {}", role.name(), row[2]);
        }
    }
}

#[test]
fn a_process_of_several_roles_may_do_what_each_of_them_may_and_has_one_inbox() {
    let all = BTreeSet::from([ProcessRole::Gateway, ProcessRole::Coordinator, ProcessRole::Host]);
    let both = Grants::of(&all, 2);
    for role in all {
        let one = of(role, 2);
        assert!(one.all_publish().all(|subject| both.all_publish().any(|other| other == subject)), "{role:?}");
        let mut heard = one.subscribe.iter().filter(|subject| !subject.starts_with("_INBOX"));
        assert!(heard.all(|subject| both.subscribe.contains(subject)), "{role:?}");
    }
    let inboxes: Vec<&String> = both.subscribe.iter().filter(|subject| subject.starts_with("_INBOX")).collect();
    assert!(inboxes == ["_INBOX_gateway-coordinator-host.>"] && !both.answers, "{inboxes:?}");
    assert!(both.publish.contains(&"_INBOX_gateway-coordinator-host.$app.>".to_owned()), "{both:?}");
    let unique: BTreeSet<&String> = both.all_publish().collect();
    assert_eq!(unique.len(), both.all_publish().count());
}

#[test]
fn each_shard_has_the_same_lines_under_its_own_name() {
    let shards = of(ProcessRole::Gateway, 3).shards;
    assert_eq!(shards.len(), 3);
    for (n, lines) in shards.iter().enumerate() {
        let renamed: Vec<String> =
            shards[0].iter().map(|line| line.replace("AGON_LOG_0", &format!("AGON_LOG_{n}"))).collect();
        assert_eq!(*lines, renamed);
    }
}

/// The subjects that a rendered configuration allows to a user, by direction, and whether it may answer.
fn rendered(conf: &str, user: &str) -> (BTreeSet<String>, BTreeSet<String>, bool) {
    let (_, rest) = conf.split_once(&format!("user: \"{user}\"\n")).unwrap();
    let own = rest.split("user: ").next().unwrap();
    let list = |direction: &str| {
        let (_, rest) = own.split_once(&format!("{direction}: {{")).unwrap();
        let subjects = rest.split(']').next().unwrap().lines().map(str::trim);
        subjects.filter_map(|line| line.strip_prefix('"')?.strip_suffix('"')).map(str::to_owned).collect()
    };
    (list("publish"), list("subscribe"), own.contains("allow_responses: true"))
}

#[test]
fn the_chart_gives_the_users_of_its_nats_exactly_this() {
    for (example, shards) in [("tls-and-auth", 1), ("high-availability", 4)] {
        let path = format!("{}/../../tests/charts/golden/{example}.yaml", env!("CARGO_MANIFEST_DIR"));
        let conf = std::fs::read_to_string(path).unwrap();
        let rights = |role| if role == ProcessRole::Host { of(role, shards).lent() } else { of(role, shards) };
        let roles =
            [ProcessRole::Gateway, ProcessRole::Coordinator, ProcessRole::Host].map(|role| (role.name(), rights(role)));
        for (user, grants) in [("provisioner", Grants::of_provisioner())].into_iter().chain(roles) {
            let publish: BTreeSet<String> = grants.all_publish().cloned().collect();
            let subscribe: BTreeSet<String> = grants.subscribe.iter().cloned().collect();
            let wanted = (publish, subscribe, grants.answers);
            assert_eq!(rendered(&conf, user), wanted, "{user} of {example}");
        }
    }
}
