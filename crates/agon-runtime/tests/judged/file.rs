//! A debate file, drawn from a seed and written as an author would write it.
use serde_json::{Map, Value, json};

pub const MODELS: [&str; 4] = ["alpha:1b", "beta:1b", "gamma:1b", "delta:1b"];
const NAMES: [&str; 8] = ["Adalin", "Benvolio", "Cyprian", "Dorothee", "Emerald", "Fabiola", "Gwendal", "Hadrian"];
pub const TEAMS: [&str; 4] = ["Opening Government", "Opening Opposition", "Closing Government", "Closing Opposition"];
const DUTIES: [&str; 7] = ["opens", "closes", "interjects", "clarifies", "scores", "reconciles", "concludes"];
pub const ANSWERS: [&str; 3] = ["Lisbon", "Madrid", "Vienna"];

/// Numbers that follow from a seed (splitmix64).
#[derive(Clone, Debug)]
pub struct FileDice(pub u64);
impl FileDice {
    pub fn new(seed: u64, index: u64) -> Self {
        let mut dice = Self(seed ^ index.wrapping_mul(0xA076_1D64_78BD_642F));
        dice.next();
        dice
    }
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }
}

#[derive(Clone, Debug, Default)]
pub struct DrawnPersona {
    pub name: &'static str,
    pub stance: Option<String>,
    pub priority: i64,
    /// Thousandths, as the documents work them out.
    pub weight: u64,
    pub sees: Option<Vec<&'static str>>,
    pub hidden_from: Vec<&'static str>,
    /// Keys that are only written down.
    keys: Map<String, Value>,
}

#[derive(Clone, Debug, Default)]
pub struct File {
    pub seed: u64,
    pub format: &'static str,
    pub deliberative: bool,
    pub rounds: u32,
    pub personas: Vec<DrawnPersona>,
    pub turn_mode: &'static str,
    pub simultaneous: bool,
    /// How many of the last entries are shown at most, and exactly or not.
    pub window: Option<(usize, bool)>,
    pub scoped: bool,
    pub masked: bool,
    pub moderator: Vec<&'static str>,
    pub strategy: &'static str,
    pub rule: &'static str,
    pub excludes_self: bool,
    pub judges_vote: bool,
    pub every_round: bool,
    pub orders: u64,
    pub panel: u64,
    pub anonymized: bool,
    pub ballots: &'static str,
    pub openings: bool,
    pub closings: bool,
    pub rebuttals: bool,
    pub quorum: Option<u64>,
    pub aborts: bool,
    pub stops_on_agreement: bool,
    pub stops_after: Option<u32>,
    pub judge_ends: bool,
    pub budget: Option<u64>,
    pub synthesizer: bool,
    pub notes: bool,
    pub confidence: bool,
    pub options: bool,
    pub gated: bool,
    pub samples: u64,
    pub inner_circle: usize,
    pub points: bool,
    pub topology: &'static str,
    /// How many in a hundred calls fail; who never gets a speech out; whether no vote ever arrives.
    pub trouble: u64,
    pub silent: Option<&'static str>,
    pub abstain: bool,
    /// Everybody has the same opinion, nearly always.
    pub agreeable: bool,
}

impl File {
    pub fn drawn(mut dice: FileDice) -> Self {
        let d = &mut dice;
        let mut file = Self { seed: d.below(1 << 40), ..Self::default() };
        file.format = d.pick(&[
            "round_robin",
            "round_robin",
            "round_robin",
            "chain_of_thought",
            "socratic",
            "fishbowl",
            "open_fight",
            "bp_style",
            "critique_revision",
            "poll",
        ]);
        file.deliberative = file.format == "poll" || file.format != "bp_style" && d.one_in(3);
        file.rounds = if file.format == "bp_style" { 1 } else { 1 + d.below(3) as u32 };
        let count = match file.format {
            "bp_style" => d.pick(&[4, 8]),
            "fishbowl" => 3 + d.below(3) as usize,
            "poll" => 1 + d.below(4) as usize,
            _ => d.pick(&[2, 3, 3, 4]),
        };
        file.personas = (0..count).map(|at| DrawnPersona { name: NAMES[at], ..DrawnPersona::default() }).collect();
        if file.format == "poll" {
            file.poll(d)
        } else {
            file.debate(d)
        }
        // what masks leave to score is told by tests of its own
        file.masked &= file.rule != "anonymous_scoring";
        file.people(d);
        // who may offer a point to whom depends on masks, which the documents tell of scores and speeches alone
        file.points &= file.personas.iter().all(|persona| persona.sees.is_none() && persona.hidden_from.is_empty());
        (file.trouble, file.agreeable) = (d.pick(&[0, 0, 8, 25]), d.one_in(4));
        file.silent = d.one_in(8).then(|| d.pick(&file.personas).name);
        file.abstain = d.one_in(12);
        file.aborts = d.one_in(10);
        file.quorum = d.pick(&[None, None, Some(1), Some(u64::MAX)]);
        file
    }

    fn poll(&mut self, d: &mut FileDice) {
        (self.samples, self.simultaneous, self.openings) = (1 + d.below(7), true, true);
        (self.turn_mode, self.ballots) = ("round_robin", "none");
        self.options = d.one_in(2);
        self.strategy = d.pick(&["vote", "judge"]);
        self.rule = d.pick(&["plurality", "majority", "supermajority", "unanimous"]);
        (self.orders, self.panel, self.anonymized) = (1 + d.below(2), d.pick(&[1, 1, 3]), true);
        self.synthesizer = d.one_in(4);
    }

    fn debate(&mut self, d: &mut FileDice) {
        let fixed = matches!(self.format, "round_robin" | "chain_of_thought");
        self.turn_mode = match self.format {
            "round_robin" | "chain_of_thought" => {
                d.pick(&["round_robin", "random", "priority_order", "moderator", "reaction_triggered"])
            }
            "fishbowl" => d.pick(&["round_robin", "random", "priority_order", "reaction_triggered"]),
            "socratic" => d.pick(&["round_robin", "random", "priority_order"]),
            _ => "round_robin",
        };
        let may_be_at_once = (fixed || self.format == "fishbowl") && self.turn_mode != "reaction_triggered";
        self.simultaneous = may_be_at_once && d.one_in(3);
        let parliament = self.format == "bp_style";
        // in deliberative mode all speak at once where the format allows it
        self.simultaneous |= self.format == "critique_revision" && self.deliberative;
        self.strategy = d.pick(&[
            "judge",
            "judge",
            "vote",
            "vote",
            "vote",
            "ranked_reasons",
            "mediator_summary",
            "agent_closing",
            "no_consensus",
        ]);
        if parliament && self.strategy == "agent_closing" {
            self.strategy = "ranked_reasons";
        }
        self.closings = !parliament && (self.strategy == "agent_closing" || d.one_in(2));
        self.rebuttals = self.closings && d.one_in(3);
        self.openings = self.format == "critique_revision" || !parliament && d.one_in(2);
        self.ballots = if self.deliberative {
            d.pick(&["both", "final_only"])
        } else {
            d.pick(&["both", "final_only", "none", "none"])
        };
        self.options = self.deliberative && d.one_in(2);
        self.moderated(d);
        self.voting(d);
        (self.orders, self.panel, self.anonymized) = (1 + d.below(2), d.pick(&[1, 1, 3]), !d.one_in(4));
        self.remembering(d);
        let no_speech_before = !self.openings && !self.every_round;
        self.stops_on_agreement = self.deliberative && self.format != "critique_revision" && d.one_in(3);
        self.stops_after = d.one_in(6).then(|| 1 + d.below(2) as u32);
        self.judge_ends = self.judges() && self.rounds > 1 && d.one_in(5);
        self.notes = self.rounds > 1 && d.one_in(5);
        self.gated = self.ballots == "both"
            && self.personas.len() > 2
            && (self.strategy == "judge" || self.strategy == "vote" && self.rule != "anonymous_scoring")
            && no_speech_before
            && d.one_in(5);
        self.budget = (fixed && d.one_in(10)).then(|| 20_000 + d.below(40_000));
        self.inner_circle = 2 + d.below((self.personas.len() as u64 - 2).max(1)) as usize;
        self.points = parliament && d.one_in(2);
        self.topology = d.pick(&["all_to_all", "round_robin", "ring", "star", "sparse"]);
    }

    fn moderated(&mut self, d: &mut FileDice) {
        let wanted = self.turn_mode == "moderator" || self.strategy == "mediator_summary";
        if wanted || d.one_in(4) {
            let opens = self.turn_mode == "moderator" || d.one_in(2);
            let closes = d.one_in(2);
            let concludes = self.strategy == "mediator_summary" && !closes || d.one_in(3);
            let duties = [
                ("opens", opens),
                ("closes", closes),
                ("interjects", d.one_in(3)),
                ("clarifies", d.one_in(4)),
                ("scores", d.one_in(3)),
                ("reconciles", d.one_in(3)),
                ("concludes", concludes),
            ];
            self.moderator = duties.iter().filter(|(_, on)| *on).map(|(duty, _)| *duty).collect();
            if self.moderator.is_empty() {
                self.moderator.push("closes");
            }
        }
        self.synthesizer = d.one_in(5);
    }

    fn voting(&mut self, d: &mut FileDice) {
        self.rule = d.pick(&[
            "majority",
            "supermajority",
            "unanimous",
            "plurality",
            "borda",
            "approval",
            "weighted",
            "anonymous_scoring",
            "anonymous_scoring",
        ]);
        if self.format == "bp_style" && self.rule == "anonymous_scoring" {
            self.rule = "plurality";
        }
        let votes = self.strategy == "vote";
        self.judges_vote = votes && !matches!(self.rule, "weighted" | "anonymous_scoring") && d.one_in(4);
        self.every_round = votes
            && self.rule != "anonymous_scoring"
            && !self.judges_vote
            && !(self.deliberative && self.ballots != "both")
            && d.one_in(3);
        self.excludes_self = self.personas.len() > 2 && d.one_in(2);
        self.confidence = d.one_in(5) && (self.ballots != "none" || votes && self.rule != "anonymous_scoring");
    }

    fn remembering(&mut self, d: &mut FileDice) {
        let plain = matches!(self.format, "round_robin" | "chain_of_thought" | "fishbowl")
            && !self.moderator.iter().any(|duty| matches!(*duty, "interjects" | "clarifies" | "reconciles"));
        match d.below(6) {
            0 if plain => self.window = Some((1 + d.below(5) as usize, d.one_in(2))),
            1 if plain => self.scoped = true,
            2 | 3 => self.masked = true,
            _ => {}
        }
    }

    fn people(&mut self, d: &mut FileDice) {
        let one_model = d.one_in(5);
        let shared = self.personas.len() > 2 && !self.deliberative && self.format != "bp_style" && d.one_in(6);
        self.excludes_self &= !(shared && self.personas.len() == 3);
        let names: Vec<&'static str> = self.personas.iter().map(|persona| persona.name).collect();
        let (masked, weighs) = (self.masked, self.strategy == "vote" && self.rule == "weighted");
        let (assigned, by_priority) =
            (!self.deliberative && self.format != "bp_style", self.turn_mode == "priority_order");
        for (at, persona) in self.personas.iter_mut().enumerate() {
            let mut keys = json!({"name": persona.name, "model": MODELS[if one_model { 0 } else { at % 3 }]});
            if assigned {
                let side = if shared && at == 2 { 0 } else { at };
                persona.stance = Some(format!("Position {}", ["one", "two", "three", "four", "five", "six"][side]));
                keys["stance"] = json!(persona.stance);
            }
            if by_priority {
                persona.priority = d.below(3) as i64;
                keys["priority"] = json!(persona.priority);
            }
            if masked && d.one_in(2) {
                let kinds = ["openings", "arguments", "closings", names[0], names[1]];
                persona.sees = Some(vec![kinds[d.below(5) as usize]]).filter(|sees| sees[0] != persona.name);
                if let Some(sees) = &persona.sees {
                    keys["sees"] = json!(sees);
                }
            }
            if masked && (at == 0 || d.one_in(2)) {
                persona.hidden_from =
                    names.iter().filter(|name| **name != persona.name && d.one_in(2)).copied().collect();
                keys["hidden_from"] = json!(persona.hidden_from);
            }
            if masked && at == 0 && persona.sees.is_none() && persona.hidden_from.is_empty() {
                persona.hidden_from = vec![names[1]];
                keys["hidden_from"] = json!(persona.hidden_from);
            }
            persona.weight = weight(d, weighs, &mut keys);
            persona.keys = keys.as_object().unwrap().clone();
        }
    }

    /// Whether judges are asked for the decision.
    pub fn judges(&self) -> bool {
        self.judges_vote || matches!(self.strategy, "judge" | "ranked_reasons")
    }
    pub fn persona(&self, name: &str) -> Option<&DrawnPersona> {
        self.personas.iter().find(|persona| persona.name == name)
    }
    /// The side that a debater is on by assignment: its stance or team.
    pub fn side(&self, name: &str) -> Option<String> {
        let at = self.personas.iter().position(|persona| persona.name == name)?;
        match self.format {
            "bp_style" if self.personas.len() == 4 => Some(TEAMS[at].to_owned()),
            "bp_style" => Some(TEAMS[at % 2 + at / 4 * 2].to_owned()),
            _ => self.personas[at].stance.clone(),
        }
    }

    pub fn name(&self) -> &'static str {
        ["debate.json", "debate.yaml", "debate.md"][(self.seed % 3) as usize]
    }

    /// The file in one of the three forms.
    pub fn text(&self) -> String {
        let mut keys = self.keys();
        let topic = "Where should the congress meet?";
        if self.name() == "debate.json" {
            keys.insert("topic".into(), json!(topic));
            return Value::Object(keys).to_string();
        }
        let lines: String = keys.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
        match self.name() {
            "debate.md" => format!("---\n{lines}---\n# {topic}\n"),
            _ => format!("topic: {topic}\n{lines}"),
        }
    }

    fn keys(&self) -> Map<String, Value> {
        let poll = self.format == "poll";
        let personas: Vec<Value> = self.personas.iter().map(|persona| Value::Object(persona.keys.clone())).collect();
        let mut keys = json!({"debate_format": self.format, "model": MODELS[3], "personas": personas, "consensus_strategy": self.strategy});
        let mut put = |on: bool, key: &str, value: Value| {
            if on {
                keys[key] = value;
            }
        };
        put(true, "mode", json!(if self.deliberative { "deliberative" } else { "adversarial" }));
        // who is asked is told by the name in the prompt
        put(!self.deliberative, "visible", json!({"names": true}));
        put(!poll && self.format != "bp_style", "max_rounds", json!(self.rounds));
        put(self.turn_mode != "round_robin", "turn_mode", json!(self.turn_mode));
        let speaks = matches!(self.format, "round_robin" | "chain_of_thought" | "fishbowl")
            && self.turn_mode != "reaction_triggered";
        put(speaks, "visibility", json!(if self.simultaneous { "simultaneous" } else { "sequential" }));
        put(!poll, "ballots", json!(self.ballots));
        let shared = self.personas.len() > 2
            && self.personas[0].stance.is_some()
            && self.personas[0].stance == self.personas[2].stance;
        put(shared, "allow_shared_stance", json!(true));
        let mut phases = json!({"final_statements": self.closings, "rebuttals": self.rebuttals});
        if self.format != "critique_revision" {
            phases["opening_statements"] = json!(self.openings);
        }
        put(!poll && self.format != "bp_style", "phases", phases);
        if let Some((size, exact)) = self.window {
            let (kind, name, size_key) = if self.seed.is_multiple_of(2) {
                ("memory", "rolling_window", "memory_window")
            } else {
                ("context_scope", "last_n_turns", "context_turns")
            };
            put(true, kind, json!(name));
            put(true, size_key, json!(size));
            put(exact, "window_step", json!(1));
        }
        put(self.scoped, "context_scope", json!("persona_scoped"));
        put(self.masked, "memory", json!("persona_masking"));
        let duties: Map<String, Value> =
            DUTIES.iter().map(|duty| ((*duty).to_owned(), json!(self.moderator.contains(duty)))).collect();
        put(!self.moderator.is_empty(), "moderator", Value::Object(duties));
        put(true, "synthesizer", json!(self.synthesizer));
        let mut judge = json!({"orders": self.orders, "panel": self.panel, "anonymize_transcript": self.anonymized});
        if self.judge_ends {
            judge["ends_rounds"] = json!(true);
        }
        if self.judges_vote || self.strategy == "ranked_reasons" {
            judge.as_object_mut().unwrap().remove(if self.judges_vote { "orders" } else { "none" });
        }
        put(self.judges(), "judge", judge);
        let mut voting = json!({"rule": self.rule});
        if !poll && self.rule != "anonymous_scoring" {
            voting["voters"] = json!(if self.judges_vote { "judges" } else { "debaters" });
            voting["every_round"] = json!(self.every_round);
            if !self.judges_vote {
                voting["self_votes"] = json!(if self.excludes_self { "exclude" } else { "allow" });
            }
        }
        put(self.strategy == "vote", "voting", voting);
        put(self.stops_on_agreement, "end_condition", json!(["consensus_reached"]));
        put(self.stops_after.is_some(), "terminate_when", json!(format!("round >= {}", self.stops_after.unwrap_or(0))));
        put(self.budget.is_some(), "budget", json!({"tokens": self.budget}));
        put(self.aborts, "on_turn_failure", json!("abort"));
        put(
            self.quorum.is_some(),
            "quorum",
            self.quorum.map_or(Value::Null, |n| if n == u64::MAX { json!("all") } else { json!(n) }),
        );
        put(self.confidence, "confidence", json!(true));
        put(self.confidence && self.strategy == "vote" && self.rule == "weighted", "weigh_by_confidence", json!(true));
        put(self.options, "answer", json!({"kind": "choice", "options": ANSWERS}));
        put(self.gated, "debate", json!("if_contested"));
        put(poll, "samples", json!(self.samples));
        put(self.format == "fishbowl", "inner_circle", json!(self.inner_circle));
        put(self.format == "bp_style", "points_of_information", json!(self.points));
        put(self.format == "critique_revision", "topology", json!(self.topology));
        if self.notes {
            for persona in keys["personas"].as_array_mut().unwrap() {
                persona["reflection"] = json!(true);
            }
        }
        keys.as_object().unwrap().clone()
    }
}

/// Writes what a vote weighs, and works it out.
fn weight(d: &mut FileDice, on: bool, keys: &mut Value) -> u64 {
    if !on || d.one_in(3) {
        return 1_000;
    }
    if d.one_in(2) {
        let tenths = 1 + d.below(50);
        keys["weight"] = json!(tenths as f64 / 10.0);
        return tenths * 100;
    }
    let (elo, tenths) = (1_000 + 50 * d.below(41), d.below(11));
    (keys["elo"], keys["calibration"]) = (json!(elo), json!(tenths as f64 / 10.0));
    // ((elo - 1000) / 500) * (0.5 + calibration), in thousandths, from 0.1 to 5
    ((elo - 1_000) * (5 + tenths) / 5).clamp(100, 5_000)
}
