//! One debate for each option, with and without it.
use serde_json::{Value, json};

/// What every role has of its model, as pointers.
macro_rules! pointers {
    ($role:literal) => {
        [
            concat!($role, "/model"),
            concat!($role, "/temperature"),
            concat!($role, "/top_p"),
            concat!($role, "/presence_penalty"),
            concat!($role, "/max_tokens"),
            concat!($role, "/think"),
            concat!($role, "/num_ctx"),
            concat!($role, "/instructions"),
            concat!($role, "/fallback_models"),
        ]
    };
}

/// An option, what stands beside it in both debates, and its two values.
pub struct Case {
    pub name: &'static str,
    /// What both debates have besides the usual file, by JSON pointer.
    with: Vec<(&'static str, Value)>,
    /// The option's value in the first debate; null: it is absent.
    off: Vec<(&'static str, Value)>,
    /// Its value in the second.
    on: Vec<(&'static str, Value)>,
    /// Other files in the debate's folder.
    pub beside: &'static [(&'static str, &'static str)],
    /// Another debate in the same store, which has to show the option.
    pub around: Around,
}

/// What is held beside the debate of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Around {
    Nothing,
    /// The usual debate, before it.
    Before,
    /// The usual debate with history, after it: this one's log is looked at.
    After,
}

impl Case {
    /// The options that differ between the two debates, as the schema names them.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.off.iter().chain(&self.on).map(|(pointer, _)| key_of(pointer)).collect();
        keys.sort();
        keys.dedup();
        keys
    }
    pub fn off(&self) -> Value {
        self.file(&self.off)
    }
    pub fn on(&self) -> Value {
        self.file(&self.on)
    }
    /// What both debates are made from, which need not be a whole file.
    pub fn base(&self) -> Value {
        self.file(&[])
    }
    fn file(&self, values: &[(&'static str, Value)]) -> Value {
        let mut file = usual();
        for (pointer, value) in self.with.iter().chain(values) {
            set(&mut file, pointer, value.clone());
        }
        file
    }
    fn around(mut self, around: Around) -> Self {
        self.around = around;
        self
    }
    fn and(mut self, pointer: &'static str, value: Value) -> Self {
        self.with.push((pointer, value));
        self
    }
}

/// `/personas/0/style` is `personas.style`.
fn key_of(pointer: &str) -> String {
    let parts = pointer.split('/').skip(1).filter(|part| part.parse::<usize>().is_err());
    parts.collect::<Vec<_>>().join(".")
}

/// The usual debate, told of so many earlier ones.
pub fn usual_with_history(limit: u32) -> Value {
    let mut file = usual();
    set(&mut file, "/history_limit", json!(limit));
    file
}

/// Three debaters, two rounds, a judge.
fn usual() -> Value {
    json!({
        "topic": "Tea or coffee for the office kitchen?",
        "context": "Forty people, one kettle, one machine.",
        "model": "m:1b",
        "max_rounds": 2,
        "personas": [
            {"name": "Ada", "stance": "Tea alone"},
            {"name": "Bo", "stance": "Coffee alone"},
            {"name": "Cy", "stance": "Both of them"}
        ]
    })
}

fn set(file: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    if !parent.is_empty() && file.pointer(parent).is_none() {
        set(file, parent, json!({}));
    }
    let parent = file.pointer_mut(parent).unwrap();
    match (parent, name.parse::<usize>()) {
        (Value::Array(items), Ok(at)) if at < items.len() => items[at] = value,
        (Value::Array(items), Ok(_)) => items.push(value),
        (Value::Object(members), _) if value.is_null() => {
            members.remove(name);
        }
        (Value::Object(members), _) => {
            members.insert(name.to_owned(), value);
        }
        (other, _) => panic!("{pointer}: {other}"),
    }
}

/// A case whose option is absent in the first debate.
fn given(pointer: &'static str, value: Value) -> Case {
    flip(pointer, Value::Null, value)
}

/// A case with two values of an option.
fn flip(pointer: &'static str, off: Value, on: Value) -> Case {
    Case {
        name: pointer,
        with: Vec::new(),
        off: vec![(pointer, off)],
        on: vec![(pointer, on)],
        beside: &[],
        around: Around::Nothing,
    }
}

fn fight(case: Case) -> Case {
    case.and("/debate_format", json!("open_fight"))
}
fn critiques(case: Case) -> Case {
    let case = case.and("/debate_format", json!("critique_revision"));
    case.and("/personas/3", json!({"name": "Dee", "stance": "Neither of them"}))
}
fn voting(case: Case) -> Case {
    case.and("/consensus_strategy", json!("vote")).and("/voting", json!({"self_votes": "allow"}))
}
fn answered(case: Case) -> Case {
    case.and("/mode", json!("deliberative")).and("/personas", json!([{"name": "Ada"}, {"name": "Bo"}, {"name": "Cy"}]))
}
fn gated(case: Case) -> Case {
    case.and("/debate", json!("if_contested"))
}
fn moderated(case: Case) -> Case {
    case.and("/moderator", json!({"opens": false, "closes": true}))
}
fn masked(case: Case) -> Case {
    case.and("/memory", json!("persona_masking")).and("/personas/1/hidden_from", json!(["Cy"]))
}
fn synthesised(case: Case) -> Case {
    case.and("/synthesizer", json!({"max_tokens": 800}))
}
fn many_rounds(case: Case) -> Case {
    case.and("/max_rounds", json!(3))
}
fn weighted(case: Case) -> Case {
    let rule = json!({"rule": "weighted", "self_votes": "allow"});
    case.and("/consensus_strategy", json!("vote")).and("/voting", rule)
}

/// The host has what Ada or the debate uses.
fn tooled(mut case: Case, beside: &'static [(&'static str, &'static str)]) -> Case {
    case.beside = beside;
    case
}

const SUMS: &[(&str, &str)] = &[("agon.toml", "[verifiers.sum]\ncommand = \"echo\"\nargs = [\"holds\"]\n")];
const NOTES: &[(&str, &str)] = &[
    ("agon.toml", "[tools.docs]\nkind = \"rag\"\npaths = [\"notes.md\"]\n"),
    (
        "notes.md",
        concat!(
            "Tea and coffee for the office kitchen: the kettle boils in four minutes, the machine brews in one. ",
            "Of forty people at the office eleven drink tea, twenty drink coffee, the others drink both of them, and the kitchen ",
            "has one kettle and one machine, which broke twice in the last year and was mended for ninety each time."
        ),
    ),
];
/// A feed that a program prints.
const WORDS: &[(&str, &str)] =
    &[("agon.toml", "[feeds.words]\ncommand = \"echo\"\nargs = [\"Kettles of the town office boil dry.\"]\n")];
fn tools() -> Vec<Case> {
    let with_tool = |case: Case| case.and("/personas/0/tools", json!(["docs"]));
    let duties = json!({"opens": false, "closes": true, "researches": true});
    vec![
        tooled(given("/feeds", json!(["words"])), WORDS),
        tooled(given("/personas/0/tools", json!(["docs"])), NOTES),
        tooled(given("/verifiers", json!(["sum"])), SUMS),
        tooled(given("/moderator/tools", json!(["docs"])).and("/moderator", duties), NOTES),
        tooled(with_tool(flip("/tools/max_calls_per_turn", json!(0), json!(2))), NOTES),
        tooled(with_tool(flip("/tools/max_result_chars", json!(100), json!(6_000))), NOTES),
    ]
}

/// Every option.
pub fn cases() -> Vec<Case> {
    [
        texts_and_rounds(),
        formats(),
        sight_and_memory(),
        deciding(),
        stopping(),
        moderators(),
        personas(),
        sampling(),
        outputs(),
        tools(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn texts_and_rounds() -> Vec<Case> {
    vec![
        flip("/topic", json!("Tea?"), json!("Coffee?")),
        flip("/context", json!("Forty people."), json!("Four people.")),
        given("/materials", json!("The machine broke twice.")),
        flip("/mode", json!("adversarial"), json!("deliberative")),
        answered(flip("/answer/kind", json!("text"), json!("number"))),
        answered(flip("/answer/options", json!(["Tea", "Coffee"]), json!(["Tea", "Both"])))
            .and("/answer/kind", json!("choice")),
        answered(flip("/answer/tolerance", json!(0), json!(1_000))).and("/answer/kind", json!("number")),
        flip("/max_rounds", json!(1), json!(2)),
        given("/language", json!("German")),
        flip("/model", json!("m:1b"), json!("other:1b")),
        given("/instructions", json!("Name a figure in each speech.")),
        flip("/seed", json!(1), json!(2)),
        flip("/agreement_intensity", json!(0), json!(10)),
        flip("/timeout_per_turn", json!("30s"), json!("90s")),
        flip("/budget/tokens", Value::Null, json!(9_000)),
        flip("/budget/seconds", Value::Null, json!(30)),
        flip("/phases/opening_statements", json!(true), json!(false)),
        flip("/phases/final_statements", json!(true), json!(false)),
        flip("/phases/rebuttals", json!(false), json!(true)),
        flip("/phases/analysis", json!(true), json!(false)),
        flip("/phases/feedback", json!(true), json!(false)).around(Around::After),
        flip("/history_limit", json!(0), json!(3)).around(Around::Before),
        flip("/failed_arguments", json!(0), json!(3)).and("/history_limit", json!(3)).around(Around::Before),
        given("/labels", json!({"quick": "yes"})).and("/terminate_when", json!("'quick' in labels")),
    ]
}

fn formats() -> Vec<Case> {
    vec![
        flip("/debate_format", json!("round_robin"), json!("chain_of_thought")),
        flip("/turn_mode", json!("round_robin"), json!("random")),
        flip("/visibility", json!("sequential"), json!("simultaneous")),
        flip("/inner_circle", json!(2), json!(3))
            .and("/debate_format", json!("fishbowl"))
            .and("/personas/3", json!({"name": "Dee", "stance": "Neither of them"})),
        fight(flip("/interruptions", json!("off"), json!("turn_boundary"))),
        fight(flip("/interruption_threshold", json!(1), json!(10))).and("/interruptions", json!("turn_boundary")),
        flip("/points_of_information", json!(true), json!(false))
            .and("/debate_format", json!("bp_style"))
            .and("/max_rounds", Value::Null)
            .and("/personas", json!([{"name": "A"}, {"name": "B"}, {"name": "C"}, {"name": "D"}])),
        critiques(flip("/topology", json!("all_to_all"), json!("ring"))),
        critiques(flip("/hub", json!("Ada"), json!("Bo"))).and("/topology", json!("star")),
        critiques(flip("/direction", json!("hub_critiques"), json!("critique_hub"))).and("/topology", json!("star")),
        flip("/samples", json!(3), json!(5))
            .and("/debate_format", json!("poll"))
            .and("/max_rounds", Value::Null)
            .and("/personas", json!([{"name": "Ada"}, {"name": "Bo"}])),
        flip("/debate", json!("always"), json!("if_contested")),
        gated(flip("/gate/rule", Value::Null, json!({"version": 1, "kind": "never"}))),
        gated(flip("/gate/explore", json!(0), json!(1))).and("/gate/rule", json!({"version": 1, "kind": "never"})),
        critiques(flip("/density", json!(0.1), json!(1.0))).and("/topology", json!("sparse")),
    ]
}

fn sight_and_memory() -> Vec<Case> {
    vec![
        flip("/context_scope", json!("full_log"), json!("persona_scoped")),
        many_rounds(flip("/memory", json!("append_all"), json!("rolling_window"))).and("/memory_window", Value::Null),
        many_rounds(flip("/context_turns", json!(2), json!(12))).and("/context_scope", json!("last_n_turns")),
        many_rounds(flip("/memory_window", json!(2), json!(12))).and("/memory", json!("rolling_window")),
        many_rounds(flip("/window_step", json!(1), json!(2)))
            .and("/context_scope", json!("last_n_turns"))
            .and("/context_turns", json!(3)),
        many_rounds(flip("/summarize_every", json!(1), json!(3)))
            .and("/memory", json!("summarize_past"))
            .and("/max_rounds", json!(5)),
        many_rounds(flip("/summarizer/model", json!("m:1b"), json!("s:1b"))).and("/memory", json!("summarize_past")),
        masked(flip("/personas/0/sees", json!(["Bo"]), json!(["Cy"]))),
        masked(flip("/personas/0/hidden_from", json!(["Bo"]), json!(["Cy"]))),
        flip("/personas/0/reflection", json!(false), json!(true)),
        flip("/personas/0/evolution", json!(false), json!(true)),
    ]
}

fn deciding() -> Vec<Case> {
    vec![
        flip("/consensus_strategy", json!("judge"), json!("ranked_reasons")),
        flip("/ballots", json!("both"), json!("none")),
        flip("/scoring", json!("none"), json!("anonymous")),
        flip("/confidence", json!(false), json!(true)),
        weighted(flip("/weigh_by_confidence", json!(false), json!(true))).and("/confidence", json!(true)),
        flip("/judge/orders", json!(1), json!(2)),
        flip("/judge/anonymize_transcript", json!(true), json!(false)),
        flip("/judge/shuffle_for_judge", json!(true), json!(false)),
        flip("/judge/panel", json!(1), json!(3)),
        flip("/judge/panel_models", json!(["p:1b"]), json!(["q:1b"])).and("/judge/panel", json!(2)),
        flip("/judge/ends_rounds", json!(false), json!(true)),
        given("/judge/instructions", json!("Weigh the costs.")),
        voting(flip("/voting/rule", json!("majority"), json!("borda"))),
        voting(flip("/voting/self_votes", json!("allow"), json!("exclude"))),
        voting(flip("/voting/voters", json!("debaters"), json!("judges"))).and("/voting", json!({})),
        voting(flip("/voting/every_round", json!(false), json!(true))),
        weighted(flip("/personas/0/weight", json!(0.1), json!(5))),
        weighted(flip("/personas/0/elo", json!(1_100), json!(1_900))),
        weighted(flip("/personas/0/calibration", json!(0.1), json!(0.9))),
        flip("/synthesizer/output_schema", Value::Null, schema()).and("/synthesizer/max_tokens", json!(900)),
        flip("/synthesizer/instructions", Value::Null, json!("Be brief.")).and("/synthesizer/max_tokens", json!(900)),
    ]
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"drink": {"type": "string", "enum": ["tea", "coffee", "both"]}},
        "required": ["drink"],
        "additionalProperties": false
    })
}

fn stopping() -> Vec<Case> {
    vec![
        many_rounds(flip("/end_condition", json!(["no_new_arguments"]), json!(["consensus_reached"])))
            .and("/similarity_threshold", json!(0.01)),
        many_rounds(flip("/similarity_threshold", json!(0.01), json!(1.0)))
            .and("/end_condition", json!(["no_new_arguments"])),
        given("/embedding_model", json!("e:1b")),
        given("/terminate_when", json!("round >= 1")),
        flip("/on_turn_failure", json!("skip"), json!("abort"))
            .and("/personas/0/num_ctx", json!(1_000))
            .and("/quorum", json!(1)),
        flip("/quorum", json!(1), json!("all")).and("/personas/0/num_ctx", json!(1_000)),
        flip("/personas/0/num_ctx", json!(1_000), json!(200_000)),
    ]
}

fn moderators() -> Vec<Case> {
    let mut cases = vec![
        flip("/moderator/opens", json!(false), json!(true)).and("/moderator/closes", json!(true)),
        flip("/moderator/closes", json!(false), json!(true)).and("/moderator/opens", json!(true)),
        flip("/moderator/type", json!("silent"), json!("judge")),
        moderated(given("/moderator/instructions", json!("Be strict."))),
        moderated(flip("/moderator/summary_style", json!("neutral"), json!("critical"))),
        moderated(flip("/moderator/interject", json!("every_round"), json!("final_only")))
            .and("/moderator/interjects", json!(true)),
        flip("/use_mediator", json!(false), json!(true)),
    ];
    let duties = [
        "/moderator/interjects",
        "/moderator/warns",
        "/moderator/clarifies",
        "/moderator/reflects",
        "/moderator/scores",
        "/moderator/researches",
        "/moderator/reconciles",
        "/moderator/concludes",
    ];
    cases.extend(duties.into_iter().map(|duty| moderated(flip(duty, json!(false), json!(true)))));
    cases
}

fn personas() -> Vec<Case> {
    vec![
        flip("/personas/0/name", json!("Ada"), json!("Eve")),
        flip("/personas/0/stance", json!("Tea"), json!("Mate")),
        given("/personas/0/role", json!("A nurse.")),
        given("/personas/0/system_prompt", json!("Argue by stories.")),
        given("/personas/0/instructions", json!("Name {{topic}}.")),
        given("/personas/0/style", json!("bullet_point")),
        given("/personas/0/tone", json!("sarcastic")),
        given("/personas/0/language", json!("French")),
        flip("/personas/0/priority", json!(0), json!(-5)).and("/turn_mode", json!("priority_order")),
        Case {
            name: "/persona_count",
            with: vec![("/personas", Value::Null)],
            off: vec![("/persona_count", json!(2))],
            on: vec![("/persona_count", json!(3))],
            beside: &[],
            around: Around::Nothing,
        },
    ]
}

/// What a role needs beside it, and its keys.
type RoleCase = (fn(Case) -> Case, [&'static str; 9]);

/// What every role has of its model, where it is not shown elsewhere.
fn sampling() -> Vec<Case> {
    let mut cases = Vec::new();
    let roles: [RoleCase; 5] = [
        (|case| case, pointers!("/personas/0")),
        (|case| case, pointers!("/judge")),
        (moderated, pointers!("/moderator")),
        (|case| many_rounds(case).and("/memory", json!("summarize_past")), pointers!("/summarizer")),
        (synthesised, pointers!("/synthesizer")),
    ];
    for (with, [model, temperature, top_p, presence, max_tokens, think, num_ctx, instructions, fallbacks]) in roles {
        // absent in the first debate, which is the same for all of them
        let values = [
            (model, json!("n:1b")),
            (temperature, json!(1.1)),
            (top_p, json!(0.2)),
            (presence, json!(1)),
            (max_tokens, json!(900)),
            (think, json!(true)),
            // not even the rules fit beside the answer
            (num_ctx, json!(1_600)),
            (instructions, json!("Be thorough.")),
        ];
        cases.extend(values.map(|(pointer, on)| with(given(pointer, on)).and("/quorum", json!(1))));
        // The first model cannot hold the prompt, the second one could not either: the log shows both tries.
        let fallback = with(given(fallbacks, json!(["b:1b"])));
        cases.push(fallback.and(num_ctx, json!(1_600)).and("/quorum", json!(1)));
    }
    cases
}

fn outputs() -> Vec<Case> {
    vec![
        flip("/outputs", json!(["full_markdown"]), json!(["visual_tree"])),
        flip("/logging_mode", json!("full_markdown"), json!("verbose")),
        flip("/visible/debaters/client", json!(true), json!(false)),
        flip("/visible/debaters/history", json!(true), json!(false)),
        moderated(flip("/visible/moderator/client", json!(true), json!(false))),
        moderated(flip("/visible/moderator/history", json!(true), json!(false))),
        flip("/visible/judge/client", json!(true), json!(false)),
        flip("/visible/judge/history", json!(true), json!(false)),
        synthesised(flip("/visible/synthesizer/history", json!(true), json!(false))),
        flip("/visible/names", json!(true), json!(false)),
    ]
}
