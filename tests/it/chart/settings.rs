//! What stands in the files of every golden render, without starting it.
use super::render::{RENDERS, Render};
use crate::support::{World, nats_config, nats_users};
use std::collections::BTreeSet;

#[test]
fn every_rendered_settings_file_is_accepted() {
    for name in RENDERS.into_iter().chain(["bare", "everything"]) {
        let render = Render::golden(name);
        let mut files = render.files_named("agon.toml");
        files.extend(render.files_named("host.toml"));
        files.extend(render.files_named("client.toml"));
        assert!(files.len() >= 3, "{name}: {}", files.len());
        for (map, text) in files {
            let world = World::new();
            let path = world.file("agon.toml", &text);
            let said = world.agon(&["config", "show", "--config", &path]);
            assert_eq!(said.code, Some(0), "{name}, {map}: {}\n{text}", said.stderr);
        }
    }
}

#[test]
fn users_of_nats_may_do_what_the_roles_need_and_nothing_else() {
    let mut guarded = 0;
    for name in RENDERS {
        let render = Render::golden(name);
        for (_, conf) in render.files_named("nats.conf").into_iter().filter(|(_, conf)| conf.contains("system_account"))
        {
            let shards = render.files("agon-gateway")[0]
                .1
                .split("shards = ")
                .nth(1)
                .unwrap()
                .split('\n')
                .next()
                .unwrap()
                .to_owned();
            let printed = nats_config(&["--shards", &shards]);
            assert!(lent(&printed).is_subset(&lent(&conf)), "{name}: {:#?}", lent(&printed).difference(&lent(&conf)));
            let table = nats_users(&printed);
            let users = nats_users(&conf);
            for role in ["provisioner", "gateway", "coordinator", "host"] {
                let (has, needs) = (&users[role], &table[role]);
                assert_eq!(
                    (&has.publish, &has.subscribe, &has.kept_from, &has.answers),
                    (&needs.publish, &needs.subscribe, &needs.kept_from, &needs.answers),
                    "{name}: {role}"
                );
                guarded += 1;
            }
        }
    }
    assert!(guarded >= 12, "{guarded}");
}

/// What the accounts of a configuration lend each other. A render with more accounts has more of them.
fn lent(conf: &str) -> BTreeSet<String> {
    let lends = |line: &&str| line.starts_with("{ service: ") || line.starts_with("{ stream: ");
    let lent: BTreeSet<String> = conf.lines().map(str::trim).filter(lends).map(str::to_owned).collect();
    assert!(lent.len() > 40, "{conf}");
    lent
}

#[test]
fn a_nats_without_users_has_its_streams_in_the_same_account() {
    for name in ["default", "kind", "gpu-pool"] {
        for (_, conf) in Render::golden(name).files_named("nats.conf") {
            assert!(
                conf.contains("\n  AGON {\n    jetstream: enabled\n") && conf.contains("no_auth_user: "),
                "{name}: {conf}"
            );
        }
    }
}

#[test]
fn a_gateway_without_credentials_may_be_called_by_every_name_of_its_service() {
    let mut open = 0;
    for name in RENDERS {
        let (_, text) = Render::golden(name).files("agon-gateway").remove(0);
        let names = ["\"agon-gateway.agon\"", "\"agon-gateway.agon.svc.cluster.local\""];
        let without = text.contains("insecure = true");
        assert_eq!(names.map(|host| text.contains(host)), [without; 2], "{name}: {text}");
        open += usize::from(without);
    }
    assert!((1..RENDERS.len()).contains(&open), "{open}");
}
