//! `agon nats config`: what is shipped, what can be asked for, and what nats-server says to it.
use super::tls::CertificateFiles;
use super::{PASSWORD, guarded_by, lacking, options};
use crate::support::{ProgramOutput, World, assert_valid, nats_config, nats_users, root, variables};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What the shipped TLS configuration takes for the folder of its certificates.
const CERTIFICATES: &str = "/etc/nats/tls";

fn shipped() -> Vec<PathBuf> {
    let folder = root().join("deploy/nats");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|ending| ending == "conf")).collect();
    assert!(files.len() >= 4, "{files:?}");
    files
}

fn validate(world: &World, conf: &str) {
    let path = world.file("nats.conf", conf);
    assert_valid(Path::new(&path), &variables(conf, PASSWORD));
}

#[test]
fn every_shipped_configuration_is_what_the_command_in_it_prints() {
    for path in shipped() {
        let text = std::fs::read_to_string(&path).unwrap();
        let command = text.lines().find_map(|line| line.strip_prefix("# Made by: agon nats config")).unwrap();
        let options: Vec<&str> = command.split_whitespace().collect();
        assert!(text == nats_config(&options), "{} is not: agon nats config{command}", path.display());
    }
}

#[test]
fn nats_server_takes_every_shipped_configuration() {
    let world = World::new();
    let authority = CertificateFiles::new(&world.path(""));
    for path in shipped() {
        let text = std::fs::read_to_string(&path).unwrap();
        validate(&world, &text.replace(CERTIFICATES, authority.folder()));
    }
}

#[test]
fn nats_server_takes_whatever_is_printed() {
    let world = World::new();
    let key = world.agon(&["nats", "key", "gateway.nk"]).ok().stdout;
    let key = format!("gateway={}", key.trim());
    let variations: [&[&str]; 7] = [
        &["--shards", "16"],
        &["--roles", "gateway+coordinator,host"],
        &["--roles", "host+coordinator+gateway,gateway,host", "--shards", "2"],
        &["--nkey", &key, "--seat", "one=default/it's a seat", "--seat", "all=default"],
        &["--bound-host", "small=qwen3:8b,hf.co/org/name:Q4_K_M", "--bound-host", "large=llama3.3:70b"],
        &["--account", "AGON", "--account", "ACME", "--bound-host", "qwen=qwen3:8b", "--seat", "all=default"],
        &["--account", "ON", "--shards", "3"],
    ];
    for options in variations {
        validate(&world, &nats_config(options));
    }
}

#[test]
fn accounts_alone_are_included_in_a_configuration_of_ones_own() {
    let world = World::new();
    let accounts = nats_config(&["--accounts-only", "--account", "ACME"]);
    world.file("acme.conf", &accounts);
    let own = "jetstream {}\naccounts {\n  include \"acme.conf\"\n  OTHER { users: [ { user: o, password: p } ] }\n}\n";
    let path = world.file("nats.conf", own);
    assert_valid(Path::new(&path), &variables(&accounts, PASSWORD));
    let alone = nats_users(&format!("accounts {{\n{accounts}}}\n"));
    let whole = nats_users(&nats_config(&["--account", "ACME"]));
    assert!(alone.iter().all(|(name, user)| whole[name] == *user) && alone.len() == whole.len() - 1, "{alone:#?}");
}

#[test]
fn two_shards_are_read_by_every_role_and_purged_by_gateways() {
    let users = nats_users(&nats_config(&["--shards", "2"]));
    for user in ["gateway", "coordinator", "host"] {
        for stream in ["AGON_LOG_0", "AGON_LOG_1"] {
            let api = if user == "host" { "agon.v1.js" } else { "$JS.API" };
            assert!(users[user].publish.contains(&format!("{api}.STREAM.MSG.GET.{stream}")), "{user} {stream}");
            let purges = users[user].publish.contains(&format!("$JS.API.STREAM.PURGE.{stream}"));
            assert_eq!(purges, user == "gateway", "{user} {stream}");
        }
    }
}

#[test]
fn a_host_bound_to_models_takes_their_queues_and_no_others() {
    let users = nats_users(&nats_config(&["--bound-host", "qwen=qwen3:8b,qwen3:32b"]));
    let (any, bound) = (&users["host"], &users["qwen"]);
    let queues =
        |set: &BTreeSet<String>| set.iter().filter(|subject| subject.contains(".AGON_GEN.")).cloned().collect();
    let (of_any, of_bound): (BTreeSet<String>, BTreeSet<String>) = (queues(&any.publish), queues(&bound.publish));
    // two models of three priorities, each with a consumer that is looked at, asked, and acknowledged in two ways
    assert_eq!((of_any.len(), of_bound.len()), (4, 2 * 3 * 4));
    assert!(of_bound.iter().all(|subject| subject.contains("gen-qwen3-")), "{of_bound:#?}");
    let rest =
        |user: &BTreeSet<String>, queues: &BTreeSet<String>| user.difference(queues).cloned().collect::<Vec<_>>();
    assert_eq!(rest(&any.publish, &of_any), rest(&bound.publish, &of_bound));
    assert_eq!(any.subscribe, bound.subscribe);
}

#[test]
fn a_seats_user_hears_its_own_tenant_and_may_only_answer() {
    let users = nats_users(&nats_config(&["--seat", "one=research/outsider", "--seat", "all=research"]));
    for (user, seats) in [("one", "agon.v1.seat.research.*.outsider"), ("all", "agon.v1.seat.research.>")] {
        let heard = BTreeSet::from([seats.to_owned(), format!("_INBOX_{user}.>")]);
        assert_eq!(users[user].subscribe, heard);
        assert!(users[user].publish.is_empty() && users[user].kept_from.contains(">"), "{:?}", users[user]);
        assert_eq!(users[user].answers["max"], "1");
    }
}

/// Whoever may send something and answer wherever it is asked to could ask itself, with any subject for the answer.
#[test]
fn only_users_that_may_send_nothing_answer_wherever_they_are_asked_to() {
    let all =
        ["--seat", "one=research/outsider", "--bound-host", "qwen=qwen3:8b", "--account", "AGON", "--account", "ACME"];
    for options in [&all[..], &["--roles", "gateway+coordinator+host"], &["--roles", "gateway+coordinator,host"]] {
        for (name, user) in nats_users(&nats_config(options)) {
            let sends = !user.publish.is_empty() || !user.kept_from.contains(">");
            assert!(user.answers.is_null() || !sends || name == "sys", "{name}: {user:?}");
        }
    }
}

#[test]
fn hosts_have_an_account_of_their_own_that_is_lent_no_maker_of_consumers() {
    let conf = nats_config(&["--bound-host", "qwen=qwen3:8b", "--seat", "one=research/outsider"]);
    let users = nats_users(&conf);
    let hosts: Vec<&str> =
        users.iter().filter(|(_, user)| user.account == "AGON_HOSTS").map(|(name, _)| name.as_str()).collect();
    assert_eq!(hosts, ["host", "qwen"]);
    let (_, hosts) = conf.split_once("  AGON_HOSTS {\n").unwrap();
    let lent: Vec<&str> = hosts.lines().filter(|line| line.contains("{ service: ")).collect();
    assert!(lent.len() > 8 && !hosts.contains("jetstream: enabled"), "{hosts}");
    for line in lent {
        let reads = [".STREAM.INFO.", ".STREAM.MSG.GET.", ".CONSUMER.INFO.AGON_GEN.", ".CONSUMER.MSG.NEXT.AGON_GEN."];
        let writes = ["\"agon.v1.res.>\"", "\"agon.v1.big.>\"", "\"$JS.ACK."];
        assert!(reads.iter().chain(&writes).any(|known| line.contains(known)), "{line}");
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_reason() {
    let world = World::new();
    let refusals: [(&[&str], &str); 8] = [
        (&["--roles", "judge"], "use gateway, coordinator or host"),
        (&["--roles", "host,host"], "two users host"),
        (&["--account", "acme"], "A-Z"),
        (&["--account", "SYS"], "operators"),
        (&["--seat", "all=No Tenant"], "1 to 32 characters"),
        (&["--bound-host", "qwen3:8b"], "a user's name"),
        (&["--nkey", "gateway=UNKNOWN"], "`agon nats key` prints one"),
        (&["--shards", "0"], "1..=1024"),
    ];
    for (options, why) in refusals {
        let said = world.agon(&[&["nats", "config"], options].concat()).code(64);
        assert!(said.stderr.contains(why) && said.stdout.is_empty(), "{options:?}: {said:?}");
    }
    let key = world.agon(&["nats", "key", "some.nk"]).ok().stdout;
    let nobody = world.agon(&["nats", "config", "--nkey", &format!("nobody={}", key.trim())]).code(64);
    assert!(nobody.stderr.contains("the users are coordinator, gateway, host, provisioner, sys"), "{nobody:?}");
    let again = world.agon(&["nats", "key", "some.nk"]).code(64);
    assert!(again.stderr.contains("never overwritten"), "{again:?}");
}

#[test]
fn nats_server_does_not_start_without_a_password() {
    let mut options = options(nats_config(&[]));
    options.environment.retain(|(name, _)| name != "AGON_NATS_HOST_PASSWORD");
    let refused = agon_testkit::NatsServer::start_with(options).err().unwrap();
    assert!(refused.to_string().contains("AGON_NATS_HOST_PASSWORD"), "{refused}");
}

#[test]
fn doctor_finds_no_fault_with_the_users_as_printed() {
    let conf = nats_config(&["--bound-host", "qwen=qwen3:8b", "--seat", "one=research/outsider"]);
    let mut cluster = guarded_by(conf);
    cluster.provision().ok();
    let url = cluster.nats_server().url();
    let doctor = |user: &str| {
        let mut command = cluster.world.command(&["doctor", "--rehearsal"]);
        command.env("AGON__NATS__URLS", &url).env("AGON__NATS__USER", user);
        command.env("AGON__NATS__PASSWORD__ENV", "NATS_PASSWORD").env("NATS_PASSWORD", PASSWORD);
        ProgramOutput::of(&command.output().unwrap())
    };

    for user in ["gateway", "coordinator", "host", "provisioner"] {
        let said = doctor(user);
        assert!(said.stdout.contains("ok    NATS") && said.stdout.contains("streams set up"), "{user}: {said:?}");
    }
    assert!(doctor("host").stdout.contains("what host needs"));
    assert!(doctor("qwen").stdout.contains("what host needs"), "a host with a name of its own");
    assert!(doctor("one").stdout.contains("may listen to no inbox of a role"), "a seat is no role");
}

#[test]
fn doctor_names_what_a_user_lacks_and_what_is_not_set_up() {
    let mut cluster = lacking(&nats_config(&[]), "gateway", &["agon.v1.job.>"]);
    let url = cluster.nats_server().url();
    for (user, lacks) in [("gateway", "publish to agon.v1.job.>"), ("coordinator", "without the streams")] {
        let mut command = cluster.world.command(&["doctor", "--rehearsal"]);
        command.env("AGON__NATS__URLS", &url).env("AGON__NATS__USER", user);
        command.env("AGON__NATS__PASSWORD__ENV", "NATS_PASSWORD").env("NATS_PASSWORD", PASSWORD);
        let said = ProgramOutput::of(&command.output().unwrap());
        assert!(said.stdout.contains("fail  NATS") && said.stdout.contains(lacks), "{user}: {said:?}");
    }
}
