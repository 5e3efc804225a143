//! What each user of NATS may do: the one table behind what roles try at their start and what `agon nats config` prints.
//!
//! `docs/guide/security.md` shows it; a test keeps the two alike.
use crate::cli::Role;
use agon_bus::nats::{ANSWERS, API, HOSTS_API};
use agon_bus::subject::{Token, pattern, urgency};
use agon_core::{ModelName, Priority};
use agon_runtime::queue_token;
use std::collections::BTreeSet;

/// What one user may do: subjects with wildcards, as the server's configuration has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// What it may send to, the logs' streams aside.
    pub publish: Vec<String>,
    /// What it may send to for each stream of logs (`AGON_LOG_0` and on), one list for each shard.
    pub shards: Vec<Vec<String>>,
    /// What it may listen to.
    pub subscribe: Vec<String>,
    /// Whether it answers what it is asked, wherever the answer is to go, and may send nothing else. Nobody who may send anything may do
    /// this: it could ask itself, with any subject for the answer.
    pub answers: bool,
}

impl Grants {
    /// What a process with these roles needs, where the logs are spread over so many shards.
    pub fn of(roles: &BTreeSet<Role>, shards: u32) -> Self {
        let mut all = Self::default();
        for role in roles {
            let one = of_role(*role, shards);
            add(&mut all.publish, one.publish);
            add(&mut all.subscribe, one.subscribe);
            all.shards.resize(one.shards.len(), Vec::new());
            all.shards.iter_mut().zip(one.shards).for_each(|(all, one)| add(all, one));
        }
        all.subscribe.push(format!("_INBOX_{}.>", inbox(roles)));
        all
    }

    /// What a host needs that plays these models and no others.
    pub fn of_host_for(models: &[ModelName], shards: u32) -> Self {
        let mut grants = Self::of(&BTreeSet::from([Role::Host]), shards);
        let any = any_queue();
        grants.publish.retain(|subject| !any.contains(subject));
        add(&mut grants.publish, models.iter().flat_map(|model| queue_of(&queue_token(model, false))).collect());
        grants
    }

    /// The same for a user of the account of hosts. What JetStream is asked there has another name, and whatever would let the server send to
    /// a subject of the caller's choice in the streams' account is left out: a consumer delivers wherever its maker says.
    pub fn lent(mut self) -> Self {
        for subjects in std::iter::once(&mut self.publish).chain(&mut self.shards) {
            *subjects = subjects.iter().filter_map(|subject| lent(subject)).collect();
        }
        // the account has no JetStream, and says so: by this a process knows where it is
        self.publish.push(format!("{API}.STREAM.INFO.AGON_GEN"));
        self
    }

    /// What `agon provision` needs.
    pub fn of_provisioner() -> Self {
        Self { publish: owned(PROVISIONER), subscribe: vec!["_INBOX_provisioner.>".to_owned()], ..Self::default() }
    }

    /// What an external participant needs for seats of this name in debates of this tenant, or for all seats of the tenant.
    pub fn of_seat(user: &str, tenant: &Token, name: Option<&Token>) -> Self {
        let seats = match name {
            Some(name) => format!("agon.v1.seat.{tenant}.*.{name}"),
            None => format!("agon.v1.seat.{tenant}.>"),
        };
        Self { subscribe: vec![seats, format!("_INBOX_{user}.>")], answers: true, ..Self::default() }
    }

    /// What has to be allowed for these roles to serve: everything that they send to, but for what none of them needs to serve. Answers are not
    /// tried: older configurations allow them in another way.
    pub fn needed_to_publish(roles: &BTreeSet<Role>, shards: u32) -> Vec<String> {
        let (mut all, answers) = (Vec::new(), answers());
        for role in roles {
            let wishes = wishes(*role);
            let needed = of_role(*role, shards).all_publish().cloned().collect::<Vec<_>>();
            let needed = needed.into_iter().filter(|one| !wishes.contains(&one.as_str()) && !answers.contains(one));
            add(&mut all, needed.collect());
        }
        all
    }

    /// Everything that may be sent to.
    pub fn all_publish(&self) -> impl Iterator<Item = &String> {
        self.publish.iter().chain(self.shards.iter().flatten())
    }
}

/// The subject under which the account of hosts asks for the same; none where it may not.
pub fn lent(subject: &str) -> Option<String> {
    let Some(call) = subject.strip_prefix(API) else { return Some(subject.to_owned()) };
    let kept = ["CONSUMER.CREATE.", "CONSUMER.DELETE.", "CONSUMER.MSG.NEXT.AGON_LOG_"];
    let call = call.strip_prefix('.')?;
    (!kept.iter().any(|kept| call.starts_with(kept))).then(|| format!("{HOSTS_API}.{call}"))
}

/// Where those who ask hosts and the seats of coordinators hear the answers: apart from the server's own answers.
fn answers() -> Vec<String> {
    const ASKING: [&[Role]; 6] = [
        &[Role::Gateway],
        &[Role::Coordinator],
        &[Role::Gateway, Role::Coordinator],
        &[Role::Gateway, Role::Host],
        &[Role::Coordinator, Role::Host],
        &[Role::Gateway, Role::Coordinator, Role::Host],
    ];
    let asking = ASKING.iter().map(|roles| inbox(&roles.iter().copied().collect()));
    asking.map(|roles| format!("_INBOX_{roles}.{ANSWERS}.>")).collect()
}

/// The roles of a process as its private inbox names them, in a fixed order.
pub fn inbox(roles: &BTreeSet<Role>) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join("-")
}

fn wishes(role: Role) -> &'static [&'static str] {
    match role {
        Role::Gateway => GATEWAY_WISHES,
        Role::Coordinator => COORDINATOR_WISHES,
        Role::Host => &[],
    }
}

fn of_role(role: Role, shards: u32) -> Grants {
    let (publish, subscribe, queues, answers) = match role {
        Role::Gateway => (GATEWAY_PUBLISH, GATEWAY_SUBSCRIBE, Vec::new(), Vec::new()),
        Role::Coordinator => (COORDINATOR_PUBLISH, COORDINATOR_SUBSCRIBE, seat_queue(), answers()),
        Role::Host => (HOST_PUBLISH, HOST_SUBSCRIBE, any_queue(), answers()),
    };
    let mut publish = owned(publish);
    publish.extend(queues);
    publish.extend(answers);
    let of_shard = |shard| {
        let stream = format!("AGON_LOG_{shard}");
        let mut subjects = log_reading(&stream);
        if role == Role::Gateway {
            subjects.push(format!("$JS.API.STREAM.PURGE.{stream}"));
        }
        subjects
    };
    let shards = (0..shards).map(of_shard).collect();
    Grants { publish, shards, subscribe: owned(subscribe), ..Grants::default() }
}

fn owned(subjects: &[&str]) -> Vec<String> {
    subjects.iter().map(|subject| (*subject).to_owned()).collect()
}

/// Adds what is not there yet, so that the order stays that of the table.
fn add(all: &mut Vec<String>, more: Vec<String>) {
    for subject in more {
        if !all.contains(&subject) {
            all.push(subject);
        }
    }
}

const PROVISIONER: &[&str] = &[
    "$JS.API.STREAM.INFO.*",
    "$JS.API.STREAM.CREATE.*",
    "$JS.API.STREAM.UPDATE.*",
    "$JS.API.CONSUMER.INFO.AGON_JOB.*",
    "$JS.API.CONSUMER.CREATE.AGON_JOB.*.agon.v1.job.>",
];

const GATEWAY_PUBLISH: &[&str] = &[
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
    "$JS.API.CONSUMER.INFO.AGON_IDX.*",
    // queued turns are counted; see GATEWAY_WISHES
    "$JS.API.STREAM.INFO.AGON_GEN",
    "$JS.API.STREAM.MSG.GET.AGON_GEN",
    // debates are deleted
    "$JS.API.STREAM.PURGE.AGON_RES",
    "$JS.API.STREAM.PURGE.AGON_CMD",
    "$JS.API.STREAM.PURGE.AGON_JOB",
    "$JS.API.STREAM.PURGE.AGON_IDX",
    "$JS.API.STREAM.PURGE.AGON_BIG",
    // large bodies
    "$JS.API.STREAM.INFO.AGON_BIG",
    "$JS.API.STREAM.MSG.GET.AGON_BIG",
];
/// What a gateway does without, because users of an older configuration lack it. None of it is tried at the start, so that the process
/// serves all the same: it lacks the metrics of queued turns, and after a lost connection the catalogue takes some seconds longer to be
/// followed again, because the client asks first whether its consumer is still there.
const GATEWAY_WISHES: &[&str] =
    &["$JS.API.STREAM.INFO.AGON_GEN", "$JS.API.STREAM.MSG.GET.AGON_GEN", "$JS.API.CONSUMER.INFO.AGON_IDX.*"];
/// The same of a coordinator, which follows the catalogue too, and makes the consumers of the turns that it queues.
const COORDINATOR_WISHES: &[&str] = &[
    "$JS.API.CONSUMER.INFO.AGON_IDX.*",
    // an older configuration has hosts make the consumers of turns
    "$JS.API.CONSUMER.INFO.AGON_GEN.*",
    "$JS.API.CONSUMER.CREATE.AGON_GEN.*.agon.v1.gen.>",
];
const GATEWAY_SUBSCRIBE: &[&str] = &["agon.v1.ctl.*.*", "agon.v1.tok.>", "agon.v1.hb.*", "agon.v1.alive.*"];

const COORDINATOR_PUBLISH: &[&str] = &[
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
    "$JS.API.CONSUMER.INFO.AGON_IDX.*",
    // hosts may make no consumers
    "$JS.API.CONSUMER.INFO.AGON_GEN.*",
    "$JS.API.CONSUMER.CREATE.AGON_GEN.*.agon.v1.gen.>",
    // marks of deleted debates are cleared
    "$JS.API.STREAM.PURGE.AGON_IDX",
    // jobs are taken
    "$JS.API.CONSUMER.INFO.AGON_JOB.*",
    "$JS.API.CONSUMER.MSG.NEXT.AGON_JOB.*",
    "$JS.ACK.AGON_JOB.*.*.*.*.*.*",
    "$JS.ACK.*.*.AGON_JOB.*.*.*.*.*.*",
    // the results of turns
    "$JS.API.STREAM.MSG.GET.AGON_RES",
    // large bodies
    "$JS.API.STREAM.INFO.AGON_BIG",
    "$JS.API.STREAM.MSG.GET.AGON_BIG",
];
const COORDINATOR_SUBSCRIBE: &[&str] = &[
    "agon.v1.node.*",
    "agon.v1.ready.*",
    "agon.v1.ctl.*.*",
    "agon.v1.hb.*",
    "agon.v1.alive.*",
    // the seats of external participants are kept by coordinators, and reached as hosts are
    "agon.v1.host.*.*",
];

const HOST_PUBLISH: &[&str] = &[
    // turns are played
    "agon.v1.res.>",
    "agon.v1.big.>",
    "agon.v1.tok.>",
    "agon.v1.hb.*",
    "agon.v1.node.*",
    "$JS.API.STREAM.INFO.AGON_RES",
    "$JS.API.STREAM.INFO.AGON_GEN",
    "$JS.API.STREAM.MSG.GET.AGON_RES",
    // large bodies
    "$JS.API.STREAM.INFO.AGON_BIG",
    "$JS.API.STREAM.MSG.GET.AGON_BIG",
];
const HOST_SUBSCRIBE: &[&str] = &["agon.v1.host.*.*", "agon.v1.ctl.*.*", "agon.v1.hb.*", "agon.v1.alive.*"];

/// Reading logs: the last messages one by one, many through a consumer that is named and has a filter.
fn log_reading(stream: &str) -> Vec<String> {
    vec![
        format!("$JS.API.STREAM.INFO.{stream}"),
        format!("$JS.API.STREAM.MSG.GET.{stream}"),
        format!("$JS.API.CONSUMER.CREATE.{stream}.*.agon.v1.log.>"),
        format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.*"),
        format!("$JS.API.CONSUMER.DELETE.{stream}.*"),
    ]
}

/// Taking turns from the consumers of one name.
fn queue(consumer: &str, filter: &str) -> Vec<String> {
    vec![
        format!("$JS.API.CONSUMER.INFO.AGON_GEN.{consumer}"),
        format!("$JS.API.CONSUMER.CREATE.AGON_GEN.{consumer}.{filter}"),
        format!("$JS.API.CONSUMER.MSG.NEXT.AGON_GEN.{consumer}"),
        // as many tokens as the server sends: with more or fewer, another one would be read as the stream
        format!("$JS.ACK.AGON_GEN.{consumer}.*.*.*.*.*"),
        format!("$JS.ACK.*.*.AGON_GEN.{consumer}.*.*.*.*.*"),
    ]
}

/// Taking the turns of every model.
pub fn any_queue() -> Vec<String> {
    queue("*", "agon.v1.gen.>")
}

/// Taking the turns of one model, or of external participants.
pub fn queue_of(model: &Token) -> Vec<String> {
    let of = |priority: Priority| {
        queue(&format!("gen-{model}-{}", urgency(priority)), &pattern::generations(model, priority))
    };
    Priority::ALL.into_iter().flat_map(of).collect()
}

fn seat_queue() -> Vec<String> {
    queue_of(&queue_token(&ModelName::from(ModelName::EXTERNAL), false))
}

#[cfg(test)]
mod readings;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(role: Role, shards: u32) -> Grants {
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
            ("take", asks("MSG.NEXT") && kind != "log"),
            ("read", asks("MSG.GET") && kind != "idx"),
            ("purge", asks("PURGE")),
        ];
        facts.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect()
    }

    #[test]
    fn what_one_role_does_without_another_still_needs() {
        let needed = |roles: &[Role]| Grants::needed_to_publish(&roles.iter().copied().collect(), 1);
        let stream = "$JS.API.STREAM.INFO.AGON_GEN".to_owned();
        assert!(!needed(&[Role::Gateway]).contains(&stream));
        assert!(needed(&[Role::Coordinator]).contains(&stream));
        assert!(needed(&[Role::Gateway, Role::Coordinator]).contains(&stream));
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
            for (role, column) in [(Role::Gateway, 4), (Role::Coordinator, 5), (Role::Host, 6)] {
                let grants = if role == Role::Host { of(role, 1).lent() } else { of(role, 1) };
                let granted: BTreeSet<_> = kinds.iter().flat_map(|kind| granted(&grants, kind)).collect();
                assert_eq!(told(row[column]), granted, "{} of {}", role.name(), row[2]);
            }
        }
    }

    #[test]
    fn a_process_of_several_roles_may_do_what_each_of_them_may_and_has_one_inbox() {
        let all = BTreeSet::from([Role::Gateway, Role::Coordinator, Role::Host]);
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
        let shards = of(Role::Gateway, 3).shards;
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
            let rights = |role| if role == Role::Host { of(role, shards).lent() } else { of(role, shards) };
            let roles = [Role::Gateway, Role::Coordinator, Role::Host].map(|role| (role.name(), rights(role)));
            for (user, grants) in [("provisioner", Grants::of_provisioner())].into_iter().chain(roles) {
                let publish: BTreeSet<String> = grants.all_publish().cloned().collect();
                let subscribe: BTreeSet<String> = grants.subscribe.iter().cloned().collect();
                let wanted = (publish, subscribe, grants.answers);
                assert_eq!(rendered(&conf, user), wanted, "{user} of {example}");
            }
        }
    }
}
