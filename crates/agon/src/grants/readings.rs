//! What nats-server makes of the subjects of JetStream: no wildcard may stand for a stream or consumer that is not meant.
use super::{API, Grants, HOSTS_API, ProcessRole, Token};

/// How nats-server reads a subject of the JetStream family: `S` is the stream, `C` the consumer. Each of the two forms of an acknowledgement
/// has its number of tokens, by which the server tells them apart.
const READ_AS: [&str; 12] = [
    "$JS.ACK.S.C.*.*.*.*.*",
    "$JS.ACK.*.*.S.C.*.*.*.*.*",
    "$JS.API.STREAM.INFO.S",
    "$JS.API.STREAM.CREATE.S",
    "$JS.API.STREAM.UPDATE.S",
    "$JS.API.STREAM.PURGE.S",
    "$JS.API.STREAM.MSG.GET.S",
    "$JS.API.STREAM.MSG.DELETE.S",
    "$JS.API.CONSUMER.INFO.S.C",
    "$JS.API.CONSUMER.CREATE.S.C.>",
    "$JS.API.CONSUMER.DELETE.S.C",
    "$JS.API.CONSUMER.MSG.NEXT.S.C",
];

/// What stands for the stream and the consumer if some subject that fits the pattern is read in this way.
fn read_as<'a>(pattern: &'a str, form: &str) -> Option<(&'a str, Option<&'a str>)> {
    let (mut stream, mut consumer) = ("", None);
    let mut form = form.split('.');
    let mut pattern = pattern.split('.').peekable();
    loop {
        let wanted = form.next();
        // a last wildcard stands for all that is left
        let token = match pattern.peek() {
            Some(&">") => Some(">"),
            _ => pattern.next(),
        };
        match (wanted, token) {
            (None, None | Some(">")) | (Some(">"), Some(_)) => return Some((stream, consumer)),
            (Some("S"), Some(token)) => stream = token,
            (Some("C"), Some(token)) => consumer = Some(token),
            (Some(_), Some("*" | ">")) | (Some("*"), Some(_)) => {}
            (Some(wanted), Some(token)) if wanted == token => {}
            _ => return None,
        }
    }
}

/// Every user that is printed, and what the consumers of turns that it may use begin with.
fn users() -> Vec<(&'static str, Grants, String)> {
    let of = |roles: &[ProcessRole]| Grants::of(&roles.iter().copied().collect(), 2);
    let bound = Grants::of_host_for(&["qwen3:8b".into()], 2);
    vec![
        ("gateway", of(&[ProcessRole::Gateway]), String::new()),
        ("coordinator", of(&[ProcessRole::Coordinator]), String::new()),
        ("host", of(&[ProcessRole::Host]), String::new()),
        ("all roles", of(&[ProcessRole::Gateway, ProcessRole::Coordinator, ProcessRole::Host]), String::new()),
        ("bound host", bound, format!("gen-{}-p", Token::model("qwen3:8b"))),
    ]
}

#[test]
fn no_wildcard_of_a_pattern_stands_for_another_stream_or_consumer() {
    for (user, grants, turns) in users() {
        let lent = grants.clone().lent();
        for subject in grants.all_publish().chain(lent.all_publish()) {
            let subject = match subject.strip_prefix(HOSTS_API) {
                Some(call) => format!("{API}{call}"),
                None => subject.clone(),
            };
            if !subject.starts_with("$JS") {
                continue;
            }
            let readings: Vec<_> = READ_AS.iter().filter_map(|form| read_as(&subject, form)).collect();
            assert_eq!(readings.len(), 1, "{user}: {subject} is read as {readings:?}");
            for (stream, consumer) in readings {
                assert!(stream.starts_with("AGON_"), "{user}: {subject} stands for the stream {stream}");
                let taken = consumer.filter(|_| stream == "AGON_GEN");
                assert!(taken.is_none_or(|name| name.starts_with(&turns)), "{user}: {subject} stands for {taken:?}");
            }
        }
    }
}

#[test]
fn the_rule_refuses_what_could_be_read_in_two_ways() {
    let readings = |pattern| READ_AS.iter().filter_map(|form| read_as(pattern, form)).collect::<Vec<_>>();
    let jobs = ("*", Some("*"));
    assert!(readings("$JS.ACK.*.*.AGON_GEN.*.>").contains(&jobs));
    assert!(readings("$JS.ACK.*.*.AGON_JOB.>").contains(&jobs));
    assert_eq!(readings("$JS.ACK.AGON_GEN.*.>").len(), 2);
    assert_eq!(readings("$JS.ACK.AGON_GEN.*.*.*.*.*.*"), [("AGON_GEN", Some("*"))]);
    assert_eq!(readings("$JS.ACK.*.*.AGON_GEN.*.*.*.*.*.*"), [("AGON_GEN", Some("*"))]);
    assert_eq!(readings("$JS.API.STREAM.INFO.*"), [("*", None)]);
}
