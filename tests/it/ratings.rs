//! `agon ratings` over debates that were rehearsed.
use crate::support::World;
use serde_json::Value;

/// One round, a judge; both debaters are rated whoever wins.
const FILE: &str = "---
model: m:1
max_rounds: 1
phases: {opening_statements: false, final_statements: false}
personas:
  - {name: Ada, stance: Build it}
  - {name: Bo, stance: Leave it}
---
# Should the town build a bridge?
";

/// So many rehearsals of one file that count, and one that does not.
fn rehearsed(world: &World, ids: &[&str]) {
    let counts = world.file("bridge.md", FILE);
    let silent = FILE.replace("final_statements: false}", "final_statements: false, feedback: false}");
    let silent = world.file("silent.md", &silent);
    let all = ids.iter().map(|id| (*id, counts.as_str())).chain([("silent-1", silent.as_str())]);
    for (id, file) in all {
        let said = world.agon(&["run", file, "--rehearsal", "--seed", "7", "--id", id, "--quiet", "--no-reports"]);
        assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    }
}

fn sum(row: &Value, names: &[&str]) -> u64 {
    names.iter().map(|name| row[*name].as_u64().unwrap()).sum()
}

#[test]
fn rehearsals_are_rated_apart_and_only_those_that_their_files_let_count() {
    let world = World::new();
    rehearsed(&world, &["first-1", "second-1"]);
    let told = world.json(&["ratings", "--rehearsal", "--json"]);
    assert_eq!((&told["rehearsal"], &told["debates"], &told["truncated"]), (&true.into(), &2.into(), &false.into()));
    let rows = told["ratings"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{told}");
    for row in rows {
        assert_eq!(row["debates"], 2);
        assert_eq!(sum(row, &["won", "lost", "drawn", "undecided"]), 2, "{row}");
        assert_eq!(row["balloted"], 2, "{row}");
    }
    let total: f64 = rows.iter().map(|row| row["elo"].as_f64().unwrap()).sum();
    assert!((total - 3_000.0).abs() < 1e-6, "a duel takes from the one what it gives the other: {told}");
    assert_eq!(told["positions"].as_array().unwrap().len(), 4);
    assert_eq!(told["relationships"][0]["debates"], 2);
    let real = world.json(&["ratings", "--json"]);
    assert_eq!((&real["rehearsal"], &real["debates"]), (&false.into(), &0.into()));
    assert!(real["ratings"].as_array().unwrap().is_empty(), "{real}");
}

#[test]
fn the_table_says_that_it_is_a_rehearsal_and_a_persona_is_told_in_full() {
    let world = World::new();
    rehearsed(&world, &["first-1"]);
    let table = world.agon(&["ratings", "--rehearsal"]).ok().stdout;
    assert!(table.starts_with("Rehearsal: ") && table.contains("PERSONA") && table.contains("m:1"), "{table}");
    let models = world.agon(&["ratings", "--rehearsal", "--by", "model"]).ok().stdout;
    assert!(models.contains("MODEL") && !models.contains("Ada"), "{models}");
    let ada = world.agon(&["ratings", "--rehearsal", "--persona", "Ada"]).ok().stdout;
    for wanted in ["Positions", "Build it (assigned)", "first-1", "Relationships", "Bo (m:1)"] {
        assert!(ada.contains(wanted), "{wanted} is missing in\n{ada}");
    }
    let nobody = world.agon(&["ratings", "--rehearsal", "--persona", "Nobody"]).code(64);
    assert!(nobody.stderr.contains("agon ratings"), "{nobody:?}");
    let both = world.agon(&["ratings", "--persona", "Ada", "--by", "model"]).code(64);
    assert!(both.stderr.contains("--by"), "{both:?}");
}

#[test]
fn where_nothing_was_held_nothing_is_rated_and_nothing_is_left_behind() {
    let world = World::new();
    let said = world.agon(&["ratings"]).ok();
    assert!(said.stdout.is_empty() && said.stderr.contains("--rehearsal"), "{said:?}");
    assert!(!world.database().exists());
}

/// Proposals, two rounds of critiques and revisions, a vote in which everybody may vote for itself.
const PLANS: &str = "---
model: m:1
debate_format: critique_revision
max_rounds: 2
phases: {final_statements: false}
personas:
  - {name: Ada, stance: Build it}
  - {name: Bo, stance: Leave it}
  - {name: Cy, stance: Ask again}
consensus_strategy: vote
voting: {rule: plurality, self_votes: allow}
---
# Should the town build a bridge?
";

/// Four debates with critiques.
fn criticised(world: &World) -> Vec<Vec<Value>> {
    let plans = world.file("plans.md", PLANS);
    let ids = ["plans-1", "plans-2", "plans-3", "plans-4"];
    let each = ids.iter().zip(["1", "2", "3", "4"]).map(|(id, seed)| {
        let said = world.agon(&["run", &plans, "--rehearsal", "--seed", seed, "--id", id, "--quiet", "--no-reports"]);
        assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
        world.events(id)
    });
    each.collect()
}

fn of_type<'e>(logs: &'e [Vec<Value>], kind: &str) -> Vec<&'e Value> {
    logs.iter().flatten().filter(|event| event["type"] == kind).collect()
}

/// How often the revisions of the logs name a critic of a critique with fault in these members.
fn answered(logs: &[Vec<Value>], author: &str, list: &str) -> u64 {
    let each = logs.iter().map(|log| {
        let log = std::slice::from_ref(log);
        let revisions = of_type(log, "speech_recorded");
        let revisions =
            revisions.iter().filter(|speech| speech["kind"] == "revision" && speech["participant"] == author);
        let named = revisions.map(|speech| {
            let critics = speech[list].as_array().into_iter().flatten();
            let names = critics.map(|critic| critic.get("critic").unwrap_or(critic).clone());
            let objected = |name: &Value| {
                let critiques = of_type(log, "critique_recorded");
                critiques.iter().any(|critique| {
                    critique["participant"] == *name
                        && critique["of"] == author
                        && critique["turn"]["round"] == speech["turn"]["round"]
                        && critique["severity"].as_u64() > Some(0)
                })
            };
            names.filter(objected).count() as u64
        });
        named.sum::<u64>()
    });
    each.sum()
}

#[test]
fn objections_and_traits_are_what_the_logs_of_the_debates_say() {
    let world = World::new();
    let logs = criticised(&world);
    let told = world.json(&["ratings", "--rehearsal", "--objections", "--json"]);
    assert_eq!((&told["debates"], &told["without_course"]), (&4.into(), &0.into()));
    let critiques = of_type(&logs, "critique_recorded");
    for name in ["Ada", "Bo", "Cy"] {
        let rows = told["objections"].as_array().unwrap().iter().filter(|row| row["persona"] == name);
        let sum = |side: &str, what: &str| rows.clone().map(|row| row[side][what].as_u64().unwrap()).sum::<u64>();
        let raised = critiques.iter().filter(|one| one["participant"] == name && one["severity"].as_u64() > Some(0));
        assert_eq!(sum("raised", "raised"), raised.count() as u64, "{name}: {told}");
        assert_eq!(sum("met", "accepted"), answered(&logs, name, "accepted"), "{name}: {told}");
        assert_eq!(sum("met", "declined"), answered(&logs, name, "declined"), "{name}: {told}");
        assert!(sum("met", "raised") >= sum("met", "accepted") + sum("met", "declined"));
    }
    let table = world.agon(&["ratings", "--rehearsal", "--objections", "--by", "model"]).ok().stdout;
    assert!(table.contains("SEVERITY") && table.contains("m:1") && !table.contains("Ada"), "{table}");

    let told = world.json(&["ratings", "--rehearsal", "--traits", "--json"]);
    let ada = told["traits"].as_array().unwrap().iter().find(|row| row["persona"] == "Ada").unwrap();
    let habit =
        |kind: &str| ada["habits"].as_array().unwrap().iter().find(|habit| habit["kind"] == kind).unwrap().clone();
    let votes = habit("votes_for_itself");
    let own = of_type(&logs, "vote_cast");
    let own = own.iter().filter(|vote| vote["participant"] == "Ada" && vote["choice"] == "Ada").count();
    assert_eq!((&votes["of"], &votes["did"], &votes["earlier"]["debates"]), (&4.into(), &own.into(), &2.into()));
    let accepts = habit("accepts_objections");
    assert_eq!(accepts["did"], answered(&logs, "Ada", "accepted"));
    assert_eq!(sum(&accepts["earlier"], &["did"]) + sum(&accepts["later"], &["did"]), sum(&accepts, &["did"]));
    let text = world.agon(&["ratings", "--rehearsal", "--traits"]).ok().stdout;
    assert!(text.contains("Ada (m:1): 4 debates\n") && text.contains("earlier debates: "), "{text}");
}

#[test]
fn what_failed_names_its_debate_and_is_told_to_the_next_debate_that_asks_for_it() {
    let world = World::new();
    criticised(&world);
    let told = world.json(&["ratings", "--rehearsal", "--failed", "--json"]);
    let rows = told["failed"].as_array().unwrap();
    assert_eq!(rows[0]["debate"], "plans-4", "the newest first: {told}");
    assert!(rows.iter().all(|row| ["conceded", "left", "lost"].contains(&row["how"].as_str().unwrap())), "{told}");
    assert!(rows.iter().any(|row| row["how"] == "conceded" && row["raised_by"].is_string()), "{told}");
    let similar = world.json(&["ratings", "--rehearsal", "--failed", "A bridge for the town?", "--json"]);
    assert_eq!(similar["failed"].as_array().unwrap().len(), rows.len());
    let unlike = world.agon(&["ratings", "--rehearsal", "--failed", "Zebras?"]).ok().stdout;
    assert!(unlike.contains("No argument that failed"), "{unlike}");
    let text = world.agon(&["ratings", "--rehearsal", "--failed"]).ok().stdout;
    assert!(text.contains("plans-1") && text.contains("conceded by "), "{text}");

    let asking = FILE.replace("max_rounds: 1", "max_rounds: 1\nhistory_limit: 2\nfailed_arguments: 3");
    let asking = world.file("asking.md", &asking);
    world.agon(&["run", &asking, "--rehearsal", "--seed", "7", "--id", "asking", "--quiet", "--no-reports"]);
    let events = world.events("asking");
    let history = events[0]["history"].as_array().unwrap();
    assert_eq!(history.len(), 2);
    for past in history {
        let of = rows.iter().filter(|row| row["debate"] == past["id"]).take(3).map(|row| &row["text"]);
        let told = past["failed"].as_array().unwrap().iter().map(|failed| &failed["text"]);
        assert!(told.eq(of), "{past}");
    }
    let refused = world.agon(&["ratings", "--failed", "--by", "model"]).code(64);
    assert!(refused.stderr.contains("--by"), "{refused:?}");
    let server = world.agon(&["ratings", "--traits", "--server", "127.0.0.1:1"]).code(64);
    assert!(server.stderr.contains("--traits") && server.stderr.contains("--local"), "{server:?}");
}

#[test]
fn the_next_cast_has_the_habits_of_the_last_ones_and_draws_no_warning() {
    let world = World::new();
    let none = world.agon(&["new", "--from-ratings"]).code(64);
    assert!(none.stderr.contains("has 0"), "{none:?}");
    criticised(&world);
    let args = ["new", "--topic", "A ferry?", "--from-ratings", "--rehearsal", "-o", "next.md"];
    world.agon(&args).ok();
    let file = std::fs::read_to_string(world.path("next.md")).unwrap();
    assert!(file.contains("from the ratings of 4 debates (rehearsed"), "{file}");
    let told = world.json(&["ratings", "--rehearsal", "--traits", "--json"]);
    for row in told["traits"].as_array().unwrap() {
        let votes = row["habits"].as_array().unwrap().iter().find(|habit| habit["kind"] == "votes_for_itself").unwrap();
        let figures = format!("{} of {}", votes["did"], votes["of"]);
        let name = row["persona"].as_str().unwrap();
        let (_, own) = file.split_once(&format!("name: \"{name}\"")).unwrap();
        let own = own.split_once("- name").map_or(own, |(own, _)| own);
        assert!(own.contains("voted for yourself") && own.contains(&figures), "{name}, {figures}: {file}");
    }
    let checked = world.agon(&["check", "next.md"]).ok();
    assert!(!format!("{}{}", checked.stdout, checked.stderr).contains("warning"), "{checked:?}");
    let more = world.agon(&["new", "--topic", "A ferry?", "--from-ratings", "--rehearsal", "--cast", "4"]).code(64);
    assert!(more.stderr.contains("a cast of 4") && more.stderr.contains("has 3"), "{more:?}");
}
