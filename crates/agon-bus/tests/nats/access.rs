//! Who may connect, and what they may do.
use crate::servers::{SOON, bus_on, programs, soon, start, until};
use agon_bus::nats::permissions::{MissingPermission, Needed, probe};
use agon_bus::nats::{
    Access, NatsAuth, NatsBus, NatsConfig, NatsError, NatsLink, PermissionViolation, ProvisionConfig, QUEUE_STREAM,
    QueueConfig, connect, provision,
};
use agon_bus::{Bus, BusError, Payload};
use agon_testkit::NatsServer;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::StreamExt;
use nkeys::KeyPair;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

async fn connect_as(server: &NatsServer, auth: NatsAuth) -> Result<NatsLink, NatsError> {
    soon(connect(NatsConfig { auth, wait: SOON, ..NatsConfig::new([server.url()], "host", "gpu-1") })).await
}

fn user(user: &str, password: &str) -> NatsAuth {
    NatsAuth::UserPassword { user: user.into(), password: password.into() }
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[track_caller]
fn assert_refused(link: Result<NatsLink, NatsError>, who: &str) {
    let Err(error @ NatsError::Refused { .. }) = link else { panic!("not refused") };
    let text = error.to_string();
    assert!(text.contains(who) && text.contains("check the credentials"), "{text}");
    assert!(!text.contains("wrong"), "it tells the secret: {text}");
    assert!(std::error::Error::source(&error).is_none(), "it says it twice: {error:?}");
}

#[tokio::test]
async fn a_user_needs_its_password() {
    for program in programs() {
        let server = start(&program, "authorization { users = [ { user: host, password: right } ] }");
        connect_as(&server, user("host", "right")).await.unwrap();
        assert_refused(connect_as(&server, user("host", "wrong")).await, "user \"host\"");
        assert_refused(connect_as(&server, NatsAuth::None).await, "without credentials");
    }
}

#[tokio::test]
async fn a_token_lets_in() {
    for program in programs() {
        let server = start(&program, "authorization { token: right }");
        connect_as(&server, NatsAuth::Token("right".into())).await.unwrap();
        assert_refused(connect_as(&server, NatsAuth::Token("wrong".into())).await, "the token");
    }
}

#[tokio::test]
async fn a_key_lets_in_and_another_does_not() {
    let (key, other) = (KeyPair::new_user(), KeyPair::new_user());
    for program in programs() {
        let server = start(&program, &format!("authorization {{ users = [ {{ nkey: {} }} ] }}", key.public_key()));
        let seed = write(server.folder(), "seed", &format!("{}\n", key.seed().unwrap()));
        connect_as(&server, NatsAuth::NKeySeed(seed)).await.unwrap();
        let seed = write(server.folder(), "other", &other.seed().unwrap());
        assert_refused(connect_as(&server, NatsAuth::NKeySeed(seed)).await, "other");
    }
}

#[tokio::test]
async fn a_file_that_holds_no_key_is_named_before_anything_is_tried() {
    let folder = tempfile::tempdir().unwrap();
    let as_whom = async |auth| connect(NatsConfig { auth, ..NatsConfig::new(["nats://127.0.0.1:1"], "a", "b") }).await;
    let missing = as_whom(NatsAuth::CredsFile(folder.path().join("none"))).await;
    assert!(matches!(missing, Err(NatsError::File { .. })));
    let account = write(folder.path(), "account", &KeyPair::new_account().seed().unwrap());
    let Err(error @ NatsError::BadFile { .. }) = as_whom(NatsAuth::NKeySeed(account)).await else { panic!("taken") };
    assert!(error.to_string().contains("starts with SU"), "{error}");
    let empty = write(folder.path(), "empty", "");
    assert!(matches!(as_whom(NatsAuth::CredsFile(empty)).await, Err(NatsError::BadFile { .. })));
}

/// A claim signed by `issuer`, in the form that servers read.
fn signed(issuer: &KeyPair, subject: &KeyPair, nats: Value) -> String {
    let claims = json!({
        "jti": "1", "iat": 1_700_000_000, "iss": issuer.public_key(), "sub": subject.public_key(), "name": "n", "nats": nats,
    });
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let head = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
    format!("{head}.{}", URL_SAFE_NO_PAD.encode(issuer.sign(head.as_bytes()).unwrap()))
}

fn creds(jwt: &str, key: &KeyPair) -> String {
    format!(
        "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{}\n------END USER NKEY SEED------\n",
        key.seed().unwrap()
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_credentials_file_lets_in_and_is_read_again_at_a_reconnect() {
    let (operator, account) = (KeyPair::new_operator(), KeyPair::new_account());
    let any = json!({ "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1 });
    let operator_jwt = signed(&operator, &operator, json!({ "type": "operator", "version": 2 }));
    let account_jwt = signed(&operator, &account, json!({ "limits": any, "type": "account", "version": 2 }));
    let of_user = |key: &KeyPair| {
        let rights =
            json!({ "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2 });
        creds(&signed(&account, key, rights), key)
    };
    for program in programs() {
        let config = format!(
            "operator: {operator_jwt}\nresolver: MEMORY\nresolver_preload: {{ {}: {account_jwt} }}",
            account.public_key()
        );
        let options = agon_testkit::NatsOptions {
            program: Some(program),
            config,
            no_jetstream: true,
            ..agon_testkit::NatsOptions::default()
        };
        let mut server = NatsServer::start_with(options).unwrap();
        let file = write(server.folder(), "host.creds", &of_user(&KeyPair::new_user()));
        let link = connect_as(&server, NatsAuth::CredsFile(file.clone())).await.unwrap();

        server.kill();
        until(|| !link.is_connected()).await;
        let stranger = KeyPair::new_account();
        let rights =
            json!({ "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2 });
        let user = KeyPair::new_user();
        write(server.folder(), "host.creds", &creds(&signed(&stranger, &user, rights), &user));
        server.restart().unwrap();
        assert_refused(connect_as(&server, NatsAuth::CredsFile(file.clone())).await, "host.creds");
        assert!(!link.is_connected(), "it came back with credentials that are no longer there");
        std::fs::write(&file, of_user(&KeyPair::new_user())).unwrap();
        until(|| link.is_connected()).await;
        // it is told a little later
        until(|| link.state().reconnects == 1).await;
    }
}

const ROLES: &str = r#"
authorization {
  users = [
    { user: admin, password: right }
    { user: host, password: right, permissions {
        publish { allow = [ "agon.v1.hb.gpu-1", "agon.v1.res.>", "$JS.API.CONSUMER.MSG.NEXT.AGON_GEN.*" ] }
        subscribe { allow = [ "_INBOX_host.>", "agon.v1.ctl.>" ] }
    } }
  ]
}
"#;

async fn host_on(server: &NatsServer) -> (NatsLink, NatsBus) {
    let admin = connect_as(server, user("admin", "right")).await.unwrap();
    provision(&admin, &ProvisionConfig::default()).await.unwrap();
    let link = connect_as(server, user("host", "right")).await.unwrap();
    let bus = NatsBus::new(link.clone(), link.clone(), QueueConfig::default());
    (link, bus)
}

#[tokio::test]
async fn what_is_not_permitted_shows_in_the_state() {
    for program in programs() {
        let server = start(&program, ROLES);
        let (link, bus) = host_on(&server).await;
        bus.publish("agon.v1.log.0.t.d", Payload::default()).await.unwrap();
        let _listener = bus.subscribe("agon.v1.cmd.>").await.unwrap();
        until(|| link.state().permission_violations == 2).await;
        let state = link.state();
        let publish = PermissionViolation { access: Access::Publish, subject: "agon.v1.log.0.t.d".into() };
        let subscribe = PermissionViolation { access: Access::Subscribe, subject: "agon.v1.cmd.>".into() };
        assert!(state.recent_violations.contains(&publish) && state.recent_violations.contains(&subscribe));
        assert_eq!((state.connected, state.reconnects), (true, 0));
    }
}

#[tokio::test]
async fn what_may_be_listened_to_again_is_heard_again() {
    for program in programs() {
        let server = start(&program, ROLES);
        let (host, _bus) = host_on(&server).await;
        let admin = connect_as(&server, user("admin", "right")).await.unwrap();
        let mut heard = host.client().subscribe("agon.v1.ctl.>").await.unwrap();
        host.client().flush().await.unwrap();
        let file = server.folder().join("nats.conf");
        let conf = std::fs::read_to_string(&file).unwrap();
        assert!(conf.contains("\"agon.v1.ctl.>\""), "{conf}");
        let reload = |text: &str| {
            std::fs::write(&file, text).unwrap();
            server.signal(nix::sys::signal::Signal::SIGHUP).unwrap();
        };

        reload(&conf.replace("\"agon.v1.ctl.>\"", "\"agon.v1.other.>\""));
        until(|| host.state().recent_violations.iter().any(|refused| refused.access == Access::Subscribe)).await;
        reload(&conf);

        let told = async {
            loop {
                admin.client().publish("agon.v1.ctl.a", "news".into()).await.unwrap();
                if let Ok(Some(_)) = tokio::time::timeout(Duration::from_millis(200), heard.next()).await {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), told).await.expect("heard again");
    }
}

#[tokio::test]
async fn who_waits_for_an_answer_learns_at_once_that_it_is_not_permitted() {
    for program in programs() {
        let server = start(&program, ROLES);
        let (_link, bus) = host_on(&server).await;
        let patience = Duration::from_secs(600);
        let asked = soon(bus.request("agon.v1.host.other.offer", Payload::default(), patience)).await;
        assert!(matches!(asked, Err(BusError::Denied(why)) if why.contains("agon.v1.host.other.offer")));
        let queued = bus.enqueue("agon.v1.gen.m.p1.t.d.r1-s0.1", Payload::default()).await;
        assert!(matches!(queued, Err(BusError::Denied(_))), "{queued:?}");
        let pulled = soon(bus.pull("agon.v1.gen.m.p1.>", patience)).await;
        assert!(matches!(pulled, Err(BusError::Denied(why)) if why.contains("CONSUMER.INFO")));
    }
}

#[tokio::test]
async fn a_role_finds_out_what_it_lacks_when_it_starts() {
    for program in programs() {
        let server = start(&program, ROLES);
        let (link, _bus) = host_on(&server).await;
        let lacks = [
            Needed::publish("agon.v1.log.*.*.*"),
            Needed::subscribe("agon.v1.cmd.>"),
            Needed::publish("$JS.API.STREAM.INFO.AGON_LOG"),
        ];
        let has = [
            Needed::publish("agon.v1.hb.gpu-1"),
            Needed::publish("agon.v1.res.>"),
            Needed::publish("$JS.API.CONSUMER.MSG.NEXT.AGON_GEN.*"),
            Needed::subscribe("agon.v1.ctl.>"),
            Needed::subscribe("_INBOX_host.>"),
        ];
        let needed: Vec<_> = lacks.iter().chain(&has).cloned().collect();
        let missing = soon(probe(&link, &needed)).await.unwrap();
        assert_eq!(missing, lacks.map(MissingPermission).to_vec());
        assert_eq!(soon(probe(&link, &has)).await.unwrap(), []);
    }
}

#[tokio::test]
async fn trying_permissions_changes_nothing_and_nobody_hears_it() {
    for program in programs() {
        let server = start(&program, "");
        let bus = bus_on(&server).await;
        let link = crate::servers::link(&server).await;
        bus.enqueue("agon.v1.gen.m.p1.t.d.r1-s0.1", Payload::default()).await.unwrap();
        let mut listener = bus.subscribe("agon.v1.ctl.>").await.unwrap();
        let verbs = ["CREATE", "UPDATE", "PURGE", "DELETE", "INFO", "MSG.GET", "MSG.DELETE", "SNAPSHOT", "RESTORE"];
        let api = verbs.map(|verb| Needed::publish(format!("$JS.API.STREAM.{verb}.{QUEUE_STREAM}")));
        let ours = ["agon.v1.gen.>", "agon.v1.blob.>", "agon.v1.ctl.>"].map(Needed::publish);
        let needed: Vec<_> = api.into_iter().chain(ours).collect();
        assert_eq!(soon(probe(&link, &needed)).await.unwrap(), []);
        bus.publish("agon.v1.ctl.t.d", Payload::default()).await.unwrap();
        let Some(agon_bus::Received::Message(first)) = soon(listener.next()).await else { panic!("nothing came") };
        assert_eq!(first.subject, "agon.v1.ctl.t.d");
        for (stream, messages) in [(QUEUE_STREAM, 1), ("AGON_BLOB", 0)] {
            let info: Value = link.jetstream().request(format!("STREAM.INFO.{stream}"), &json!({})).await.unwrap();
            assert_eq!(info["state"]["messages"], messages, "{stream}");
        }
    }
}

const ANSWERING: &str = r#"
authorization {
  users = [
    { user: admin, password: right }
    { user: host, password: right, permissions {
        publish { allow = [ "agon.v1.hb.gpu-1" ] }
        subscribe { allow = [ "_INBOX_host.>", "agon.v1.host.gpu-1.offer" ] }
        allow_responses = { max: 1, expires: "1m" }
    } }
  ]
}
"#;

/// Asks a host that may answer, and nothing else, kills the server, and answers: at once, or when there is a connection again.
async fn answered_after_an_outage(program: &std::path::Path, at_once: bool) -> Vec<PermissionViolation> {
    let mut server = start(program, ANSWERING);
    let (link, bus) = host_on(&server).await;
    let mut offers = bus.serve("agon.v1.host.gpu-1.offer").await.unwrap();
    let admin = connect_as(&server, user("admin", "right")).await.unwrap();
    let asking = NatsBus::new(admin.clone(), admin, QueueConfig::default());
    let asked = tokio::spawn(async move {
        asking.request("agon.v1.host.gpu-1.offer", Payload::default(), Duration::from_secs(600)).await.map(drop)
    });
    let request = soon(offers.next()).await.unwrap();
    server.kill();
    until(|| !link.is_connected()).await;
    if at_once {
        (request.reply)(Payload::default());
        server.restart().unwrap();
        until(|| link.is_connected()).await;
    } else {
        server.restart().unwrap();
        until(|| link.is_connected()).await;
        (request.reply)(Payload::default());
    }
    bus.drain().await;
    // what the server says of this one comes after all that it had to say before
    NatsBus::new(link.clone(), link.clone(), QueueConfig::default())
        .publish("agon.v1.log.0.t.d", Payload::default())
        .await
        .unwrap();
    until(|| link.state().recent_violations.iter().any(|violation| violation.subject == "agon.v1.log.0.t.d")).await;
    asked.abort();
    link.state().recent_violations
}

#[tokio::test]
async fn an_answer_is_not_tried_over_another_connection_than_it_was_asked_for() {
    for program in programs() {
        for at_once in [true, false] {
            let seen = answered_after_an_outage(&program, at_once).await;
            assert_eq!(
                seen,
                [PermissionViolation { access: Access::Publish, subject: "agon.v1.log.0.t.d".into() }],
                "{at_once}"
            );
        }
    }
}
