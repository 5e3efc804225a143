//! The form of a debate: what was typed, the debate file that it stands for, and back.
use super::form_words::in_words;
use crate::form::Fields;
use agon_core::{Choice, ConsensusStrategy, DebateFormat, DebateSpec, Mode, VoteRule};
use serde_json::{Map, Value, json};

/// Debaters that the form has room for.
pub(crate) const MOST_DEBATERS: usize = 8;
/// Debaters of a debate, at least.
const LEAST_DEBATERS: usize = 2;

/// A debater as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DebaterFields {
    pub name: String,
    pub stance: String,
    pub model: String,
    pub role: String,
}

/// Everything as it was typed, so that a mistake comes back as it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DebateForm {
    pub topic: String,
    pub context: String,
    /// Debaters find their own answers.
    pub own_answers: bool,
    /// The answers that can be given, one a line.
    pub options: String,
    pub format: String,
    pub rounds: String,
    pub model: String,
    pub debaters: Vec<DebaterFields>,
    pub moderator: bool,
    /// Empty: as usual for the format.
    pub decision: String,
    pub judges: String,
    pub judge_model: String,
    pub rule: String,
    pub timeout: String,
    pub tokens: String,
    pub seconds: String,
    pub language: String,
}

impl DebateForm {
    /// What somebody begins with.
    pub fn fresh() -> Self {
        let named = |name: &str| DebaterFields { name: name.to_owned(), ..DebaterFields::default() };
        Self {
            format: DebateFormat::RoundRobin.as_str().to_owned(),
            rounds: "2".to_owned(),
            debaters: vec![named("Ada"), named("Ben")],
            ..Self::default()
        }
    }

    /// Whether nothing is written yet.
    pub fn is_blank(&self) -> bool {
        let cast = self.debaters.iter().flat_map(|debater| [&debater.stance, &debater.role]);
        [&self.topic, &self.context, &self.options].into_iter().chain(cast).all(String::is_empty)
    }

    /// What a browser sent.
    pub fn read(fields: &Fields) -> Self {
        let text = |name: &str| fields.text(name).trim().replace("\r\n", "\n");
        let debater = |at: usize| DebaterFields {
            name: text(&format!("name-{at}")),
            stance: text(&format!("stance-{at}")),
            model: text(&format!("model-{at}")),
            role: text(&format!("role-{at}")),
        };
        let debaters = text("debaters").parse().unwrap_or(LEAST_DEBATERS).clamp(LEAST_DEBATERS, MOST_DEBATERS);
        Self {
            topic: text("topic"),
            context: text("context"),
            own_answers: fields.text("answers") == "own",
            options: text("options"),
            format: text("format"),
            rounds: text("rounds"),
            model: text("model"),
            debaters: (0..debaters).map(debater).collect(),
            moderator: fields.ticked("moderator"),
            decision: text("decision"),
            judges: text("judges"),
            judge_model: text("judge_model"),
            rule: text("rule"),
            timeout: text("timeout"),
            tokens: text("tokens"),
            seconds: text("seconds"),
            language: text("language"),
        }
    }

    /// The form of a debate. It may say less than the debate does: see what it comes to.
    pub fn of(spec: &DebateSpec) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let debaters = spec.personas.iter().map(|persona| DebaterFields {
            name: persona.name.to_string(),
            stance: text(&persona.stance),
            model: persona.voice.model.to_string(),
            role: text(&persona.role),
        });
        Self {
            topic: spec.topic.clone(),
            context: text(&spec.context),
            own_answers: spec.mode == Mode::Deliberative,
            options: spec.answer.as_ref().map(|answer| answer.options.join("\n")).unwrap_or_default(),
            format: spec.debate_format.as_str().to_owned(),
            rounds: spec.max_rounds.to_string(),
            model: String::new(),
            debaters: debaters.collect(),
            moderator: spec.moderator.is_some(),
            decision: spec.consensus_strategy.as_str().to_owned(),
            judges: spec.judge.as_ref().map(|judge| judge.panel.to_string()).unwrap_or_default(),
            judge_model: spec.judge.as_ref().map(|judge| judge.voice.model.to_string()).unwrap_or_default(),
            rule: spec.voting.map(|voting| voting.rule.as_str().to_owned()).unwrap_or_default(),
            timeout: format!("{}s", spec.timeout_per_turn_ms / 1000),
            tokens: number(spec.budget.tokens),
            seconds: number(spec.budget.seconds),
            language: text(&spec.language),
        }
    }

    /// One more debater, or without one.
    pub fn with_cast(mut self, order: &str) -> Self {
        if order == "add" && self.debaters.len() < MOST_DEBATERS {
            self.debaters.push(DebaterFields::default());
        }
        let gone = order.strip_prefix("remove-").and_then(|at| at.parse::<usize>().ok());
        if let Some(at) = gone.filter(|at| *at < self.debaters.len() && self.debaters.len() > LEAST_DEBATERS) {
            self.debaters.remove(at);
        }
        self
    }

    /// Whether debaters argue answers that they were given.
    pub fn assigns_stances(&self) -> bool {
        // the teams are the stances of British Parliamentary, and a poll has none
        !self.own_answers && self.has_rounds()
    }

    /// Whether it is for the author to say how many rounds there are: one in British Parliamentary, none in a poll.
    fn has_rounds(&self) -> bool {
        self.format != DebateFormat::BpStyle.as_str() && !self.is_poll()
    }

    fn is_poll(&self) -> bool {
        self.format == DebateFormat::Poll.as_str()
    }

    /// The debate file, as data: whatever was typed is a value and never a part of the file's form.
    pub fn value(&self) -> Value {
        let mut file = Map::new();
        put(&mut file, "topic", &self.topic);
        put(&mut file, "context", &self.context);
        if !self.options.is_empty() {
            let options: Vec<&str> = self.options.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            file.insert("answer".to_owned(), json!({"kind": "choice", "options": options}));
        }
        if self.own_answers && self.has_rounds() {
            put(&mut file, "mode", Mode::Deliberative.as_str());
        }
        put(&mut file, "debate_format", &self.format);
        if self.has_rounds() {
            put_number(&mut file, "max_rounds", &self.rounds);
        }
        put(&mut file, "model", &self.model);
        let personas: Vec<Value> = self.debaters.iter().map(|debater| self.persona(debater)).collect();
        file.insert("personas".to_owned(), personas.into());
        if self.moderator {
            file.insert("moderator".to_owned(), true.into());
        }
        self.put_decision(&mut file);
        put(&mut file, "timeout_per_turn", &self.timeout);
        let mut budget = Map::new();
        put_number(&mut budget, "tokens", &self.tokens);
        put_number(&mut budget, "seconds", &self.seconds);
        put_block(&mut file, "budget", budget);
        put(&mut file, "language", &self.language);
        Value::Object(file)
    }

    fn persona(&self, debater: &DebaterFields) -> Value {
        let mut persona = Map::new();
        put(&mut persona, "name", &debater.name);
        if self.assigns_stances() {
            put(&mut persona, "stance", &debater.stance);
        }
        put(&mut persona, "role", &debater.role);
        put(&mut persona, "model", &debater.model);
        Value::Object(persona)
    }

    fn put_decision(&self, file: &mut Map<String, Value>) {
        put(file, "consensus_strategy", &self.decision);
        let (mut judge, mut voting) = (Map::new(), Map::new());
        put_number(&mut judge, "panel", &self.judges);
        put(&mut judge, "model", &self.judge_model);
        put(&mut voting, "rule", &self.rule);
        put_block(file, "judge", judge);
        put_block(file, "voting", voting);
    }

    /// Whether what is folded up says anything.
    pub fn has_more(&self) -> bool {
        [&self.options, &self.judges, &self.judge_model, &self.rule, &self.timeout, &self.tokens, &self.seconds]
            .into_iter()
            .chain([&self.language])
            .any(|text| !text.is_empty())
    }

    /// Formats to choose from.
    pub fn formats() -> impl Iterator<Item = (DebateFormat, String)> {
        DebateFormat::ALL.into_iter().zip(DebateFormat::CHOICES.into_iter().map(|choice| in_words(choice.meaning)))
    }

    /// Ways to decide: name, and words.
    pub fn decisions() -> impl Iterator<Item = (&'static str, String)> {
        worded(ConsensusStrategy::CHOICES)
    }

    /// Rules of a vote: name, and words.
    pub fn rules() -> impl Iterator<Item = (&'static str, String)> {
        worded(VoteRule::CHOICES)
    }
}

fn worded<const N: usize>(choices: [Choice; N]) -> impl Iterator<Item = (&'static str, String)> {
    let words = |choice: Choice| format!("{}: {}", choice.name.replace('_', " "), choice.meaning);
    choices.into_iter().map(move |choice| (choice.name, words(choice)))
}

fn put(map: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        map.insert(key.to_owned(), text.into());
    }
}

/// What is no number stays a text, which the file's rules then find.
fn put_number(map: &mut Map<String, Value>, key: &str, text: &str) {
    if !text.is_empty() {
        let value = text.parse::<u64>().map_or_else(|_| Value::from(text), Value::from);
        map.insert(key.to_owned(), value);
    }
}

fn put_block(map: &mut Map<String, Value>, key: &str, block: Map<String, Value>) {
    if !block.is_empty() {
        map.insert(key.to_owned(), Value::Object(block));
    }
}

/// The control of the form that a field of the file comes from.
pub(crate) fn control(field: &str) -> Option<String> {
    let list = field.strip_prefix("personas").and_then(|rest| rest.strip_prefix('['));
    if let Some((at, key)) = list.and_then(|rest| rest.split_once(']')) {
        let key = key.trim_start_matches('.');
        let key = if ["stance", "model", "role"].contains(&key) { key } else { "name" };
        return Some(format!("{key}-{at}"));
    }
    let control = match field {
        "topic" | "context" | "model" | "language" => field,
        "mode" => "answers-given",
        "debate_format" => "format-round_robin",
        "max_rounds" => "rounds",
        "personas" | "persona_count" => "name-0",
        "consensus_strategy" => "decision",
        "judge.panel" => "judges",
        "judge.model" => "judge_model",
        "timeout_per_turn" => "timeout",
        "budget.tokens" => "tokens",
        "budget.seconds" => "seconds",
        _ => match field.split(['.', '[']).next() {
            Some("answer") => "options",
            Some("moderator") => "moderator",
            Some("judge") => "judges",
            Some("voting") => "rule",
            Some("budget") => "tokens",
            Some("labels") => "labels",
            Some("priority") => "priority",
            Some(_) | None => return None,
        },
    };
    Some(control.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_spec::{Defaults, Parsed, Source, Syntax, parse};

    const HOSTILE: [&str; 9] = [
        "plain",
        "A: b # c \"d\" 'e' {f} [g] & *h !i | > % @ `j`",
        "two\nlines\n\n---\nmode: poll",
        "---",
        "!!python/object:os.system x",
        "{{topic}} yes",
        "&a *a <<: *a",
        "\u{202e}right to left\u{2028}x \u{85} \\ \\n",
        "null",
    ];

    fn read(form: &DebateForm) -> Parsed {
        let defaults = Defaults { model: Some("m:1".to_owned()), ..Defaults::default() };
        let text = agon_spec::yaml(&form.value());
        parse(&Source::new("debate.yaml", text).with_syntax(Syntax::Yaml), &defaults)
    }

    fn spec(form: &DebateForm) -> DebateSpec {
        let parsed = read(form);
        parsed.spec.unwrap_or_else(|| panic!("{}\n{form:?}", agon_spec::render(&parsed.diagnostics)))
    }

    fn filled() -> DebateForm {
        let mut form = DebateForm { topic: "Should we?".to_owned(), ..DebateForm::fresh() };
        for (debater, stance) in form.debaters.iter_mut().zip(["Yes", "No"]) {
            debater.stance = stance.to_owned();
        }
        form
    }

    #[test]
    fn whatever_is_typed_stays_a_value() {
        for text in HOSTILE {
            let mut form = filled();
            form.topic = text.to_owned();
            form.context = text.to_owned();
            form.debaters[0].stance = text.to_owned();
            form.debaters[0].role = text.to_owned();
            let spec = spec(&form);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&spec.topic), words(text), "a topic is one line");
            assert_eq!(spec.context.as_deref(), Some(text));
            assert_eq!(spec.personas[0].stance.as_deref().map(words), Some(words(text)), "stances are one line");
            assert_eq!(spec.personas[0].role.as_deref(), Some(text));
            assert_eq!((spec.mode, spec.personas.len()), (Mode::Adversarial, 2));
        }
    }

    #[test]
    fn a_hostile_name_is_a_name_or_a_mistake_at_its_place() {
        for text in HOSTILE {
            let mut form = filled();
            form.debaters[1].name = text.to_owned();
            let parsed = read(&form);
            match parsed.spec {
                Some(spec) => assert_eq!(spec.personas[1].name.as_str(), text),
                None => {
                    let errors = parsed.diagnostics.iter().filter(|one| one.severity == agon_spec::Severity::Error);
                    assert!(
                        errors.into_iter().all(|one| one.field == "personas[1].name"),
                        "{text:?}: {:?}",
                        parsed.diagnostics
                    );
                }
            }
        }
    }

    #[test]
    fn every_format_can_be_filled_in() {
        for (format, _) in DebateForm::formats() {
            let mut form =
                DebateForm { format: format.as_str().to_owned(), ..filled().with_cast("add").with_cast("add") };
            for (debater, name) in form.debaters.iter_mut().skip(2).zip(["Cy", "Dee"]) {
                (debater.name, debater.stance) = (name.to_owned(), format!("{name}'s way"));
            }
            assert_eq!(spec(&form).debate_format, format);
        }
    }

    #[test]
    fn a_form_read_back_from_its_debate_makes_the_same_debate() {
        let judged = DebateForm { judges: "3".into(), judge_model: "j:1".into(), tokens: "90000".into(), ..filled() };
        let voted = DebateForm { decision: "vote".into(), rule: "unanimous".into(), own_answers: true, ..filled() };
        let moderated = DebateForm { moderator: true, timeout: "40s".into(), options: "Yes\nNo".into(), ..filled() };
        for form in [filled(), judged, voted, moderated] {
            let first = spec(&form);
            assert_eq!(spec(&DebateForm::of(&first)), first);
        }
    }

    #[test]
    fn debaters_come_and_go_between_two_and_eight() {
        let mut form = filled();
        assert_eq!(form.clone().with_cast("remove-0").debaters.len(), 2);
        for _ in 0..9 {
            form = form.with_cast("add");
        }
        assert_eq!(form.debaters.len(), 8);
        assert_eq!(form.with_cast("remove-0").debaters[0].name, "Ben");
    }

    #[test]
    fn a_field_of_the_file_leads_to_its_control() {
        let all = ["personas[1].stance", "personas[0].tone", "judge.orders", "labels[\"a\"]", "memory"];
        let controls = all.map(|field| control(field).unwrap_or_default());
        assert_eq!(controls, ["stance-1", "name-0", "judges", "labels", ""]);
    }
}
