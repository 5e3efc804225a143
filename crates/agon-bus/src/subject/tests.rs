use super::*;
use crate::pattern::matches;
use proptest::prelude::*;

fn token() -> impl Strategy<Value = Token> {
    "[a-z0-9_-]{1,12}".prop_map(|text| Token::new(&text))
}
fn key() -> impl Strategy<Value = DebateKey> {
    (token(), token()).prop_map(|(tenant, debate)| DebateKey { tenant, debate })
}
fn turn() -> impl Strategy<Value = TurnKey> {
    any::<(u32, u32, u32)>().prop_map(|(round, seat, attempt)| TurnKey { round, seat, attempt })
}
fn prio() -> impl Strategy<Value = Priority> {
    proptest::sample::select(&Priority::ALL)
}
fn subject() -> impl Strategy<Value = Subject> {
    prop_oneof![
        (any::<u32>(), key()).prop_map(|(shard, key)| Subject::Log { shard, key }),
        (key(), turn()).prop_map(|(key, turn)| Subject::Res { key, turn }),
        (key(), token()).prop_map(|(key, verb)| Subject::Cmd { key, verb }),
        (prio(), any::<u32>(), key()).prop_map(|(prio, lane, key)| Subject::Job { prio, lane, key }),
        (".{1,20}", prio(), key(), turn()).prop_map(|(name, prio, key, turn)| Subject::Gen {
            model: Token::model(&name),
            prio,
            key,
            turn
        }),
        (key(), turn()).prop_map(|(key, turn)| Subject::Tok { key, turn }),
        key().prop_map(|key| Subject::Ctl { key }),
        token().prop_map(|host| Subject::Hb { host }),
        token().prop_map(|host| Subject::Key { host }),
        token().prop_map(|node| Subject::Alive { node }),
        token().prop_map(|node| Subject::Node { node }),
        prio().prop_map(|prio| Subject::Ready { prio }),
        key().prop_map(|key| Subject::Idx { key }),
        (token(), token()).prop_map(|(tenant, request)| Subject::Req { tenant, request }),
        (key(), token(), any::<u32>()).prop_map(|(key, hash, part)| Subject::Big { key, hash, part }),
        (token(), any::<u32>()).prop_map(|(id, part)| Subject::Blob { id, part }),
        (token(), token()).prop_map(|(host, verb)| Subject::Host { host, verb }),
        (key(), token()).prop_map(|(key, participant)| Subject::Seat { key, participant }),
    ]
}

proptest! {
    #[test]
    fn a_subject_is_read_back_as_it_was_written(subject in subject()) {
        prop_assert_eq!(subject.to_string().parse(), Ok(subject));
    }

    #[test]
    fn what_is_read_is_written_back_as_it_was(text in "agon\\.v1\\.(log|res|cmd|job|gen|tok|ctl|hb|alive|node|ready|idx|req|big|blob|host|seat)(\\.(r?[0-9]{1,2}(-s[0-9]{1,2})?|p[0-4]|[a-zA-Z*>]{0,3})){0,6}") {
        if let Ok(subject) = text.parse::<Subject>() {
            prop_assert_eq!(subject.to_string(), text);
        }
    }

    #[test]
    fn any_name_makes_a_token(name in ".*") {
        prop_assert!(Token::parse(Token::new(&name).as_str()).is_some());
        prop_assert!(Token::parse(Token::model(&name).as_str()).is_some());
    }
}

#[test]
fn models_that_differ_in_punctuation_get_different_tokens() {
    let tokens = ["qwen3:4b", "qwen3.4b", "Qwen3:4b", "qwen3-4b"].map(Token::model);
    assert_eq!(tokens[0].as_str(), "qwen3-4b-da37b5");
    assert!((1..4).all(|n| tokens[..n].iter().all(|other| *other != tokens[n])), "{tokens:?}");
}

#[test]
fn the_patterns_fit_their_subjects_and_no_others() {
    let key = DebateKey { tenant: Token::new("acme"), debate: Token::new("bus-or-tram") };
    let other = DebateKey { debate: Token::new("bus"), ..key.clone() };
    let turn = TurnKey { round: 2, seat: 1, attempt: 1 };
    let model = Token::model("qwen3:4b");
    let work = |key: &DebateKey| {
        Subject::Gen { model: model.clone(), prio: Priority::Normal, key: key.clone(), turn }.to_string()
    };
    assert!(matches(&pattern::generations(&model, Priority::Normal), &work(&key)));
    assert!(!matches(&pattern::generations(&model, Priority::Batch), &work(&key)));
    assert!(matches(&pattern::results(&key), &Subject::Res { key: key.clone(), turn }.to_string()));
    assert!(!matches(&pattern::results(&other), &Subject::Res { key: key.clone(), turn }.to_string()));
    assert!(matches(&pattern::tokens(&key), &Subject::Tok { key: key.clone(), turn }.to_string()));
    assert!(matches(
        &pattern::jobs(Priority::Interactive, 3),
        &Subject::Job { prio: Priority::Interactive, lane: 3, key: key.clone() }.to_string()
    ));
    let verb = Token::new("offer");
    assert!(matches(&pattern::commands(&key), &Subject::Cmd { key: key.clone(), verb: verb.clone() }.to_string()));
    let host = Token::new("gpu-1");
    let alive = Subject::Alive { node: host.clone() }.to_string();
    assert!(matches(&pattern::nodes(), &alive));
    assert!(!matches(&pattern::nodes(), &Subject::Node { node: host.clone() }.to_string()));
    assert!(matches(&pattern::heartbeats(), &Subject::Hb { host: host.clone() }.to_string()));
    assert!(matches(&pattern::keys(), &Subject::Key { host: host.clone() }.to_string()));
    assert!(matches(&pattern::host(&host), &Subject::Host { host: host.clone(), verb }.to_string()));
}
