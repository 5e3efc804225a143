//! The model: reads its prompt as text, answers as the seed says, and notes everything.
use crate::file::{ANSWERS, File, FileDice};
use agon_core::Usage;
use agon_llm::*;
use agon_rehearsal::Brief;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Tries of a turn.
pub const TRIES: u32 = 2;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Good,
    /// An answer that is none, which may be asked for again.
    Malformed,
    /// The call was refused half-way, which may not.
    Refused,
}

/// One call.
#[derive(Clone, Debug)]
pub struct CallNote {
    /// Words that only this answer has.
    pub mark: String,
    pub who: String,
    pub task: String,
    pub round: Option<u32>,
    /// Of a critique, whose proposal.
    pub target: String,
    pub prompt: String,
    pub schema: Value,
    pub answer: Value,
    pub text: String,
    pub fate: Fate,
    pub tokens: u64,
}
impl CallNote {
    /// The part of the prompt that is the speaker's own turn.
    pub fn turn(&self) -> &str {
        self.prompt.rsplit("=== YOUR TURN ===").next().unwrap_or_default()
    }
    /// What the schema allows of a member.
    pub fn allowed(&self, pointer: &str) -> Vec<String> {
        let values = self.schema.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
        values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
    }
    pub fn chosen(&self, member: &str) -> &str {
        self.answer[member].as_str().unwrap_or_default()
    }
}

#[derive(Clone)]
pub struct KnownModel {
    file: Arc<File>,
    notes: Arc<Mutex<Vec<CallNote>>>,
    endpoint: Endpoint,
}
impl KnownModel {
    pub fn new(file: File) -> Self {
        let endpoint = Endpoint::parse(EndpointKind::Ollama, "http://model:11434").unwrap();
        Self { file: Arc::new(file), notes: Arc::default(), endpoint }
    }
    pub fn notes(&self) -> Vec<CallNote> {
        self.notes.lock().unwrap().clone()
    }

    fn note(&self, request: &ChatRequest) -> CallNote {
        let mut notes = self.notes.lock().unwrap();
        let prompt: String = request.messages.iter().map(|message| format!("{}\n", message.content)).collect();
        let brief = Brief::read([("user", prompt.as_str())].into_iter());
        let task = brief.task.map_or("", |(_, title)| title).to_owned();
        let target = brief.to.filter(|_| task == "critique").unwrap_or_default();
        let mut dice = FileDice::new(self.file.seed, notes.len() as u64 + 1);
        let mut note = CallNote {
            mark: format!("zq{}w", notes.len()),
            who: brief.you.unwrap_or_default(),
            task,
            round: brief.round.map(|(round, _)| round),
            target,
            schema: request.format.as_deref().cloned().unwrap_or(Value::Null),
            answer: Value::Null,
            text: String::new(),
            fate: Fate::Good,
            tokens: request.min_prompt_tokens.unwrap_or(0) + 500 + dice.below(200),
            prompt,
        };
        note.fate = self.fate(&note, &mut dice);
        (note.answer, note.text) = match note.fate {
            Fate::Good => self.good(&note, &mut dice),
            Fate::Malformed if note.schema.is_null() => (Value::Null, String::new()),
            Fate::Malformed => (Value::Null, format!("{} is no object", note.mark)),
            Fate::Refused => (Value::Null, format!("{} broke off", note.mark)),
        };
        notes.push(note.clone());
        note
    }

    fn fate(&self, note: &CallNote, dice: &mut FileDice) -> Fate {
        let votes = matches!(note.task.as_str(), "vote" | "ranked vote" | "approval vote" | "score debaters");
        let mute = note.schema.is_null() && self.file.silent == Some(note.who.as_str());
        if mute || votes && self.file.abstain {
            return dice.pick(&[Fate::Refused, Fate::Malformed]);
        }
        if dice.below(100) < self.file.trouble { dice.pick(&[Fate::Refused, Fate::Malformed]) } else { Fate::Good }
    }

    fn good(&self, note: &CallNote, dice: &mut FileDice) -> (Value, String) {
        if note.schema.is_null() {
            return (Value::Null, self.speech(note, dice));
        }
        let answer = self.object(note, dice);
        let text = answer.to_string();
        (answer, text)
    }

    fn opinion(&self, dice: &mut FileDice) -> &'static str {
        if self.file.agreeable && !dice.one_in(10) { ANSWERS[0] } else { dice.pick(&ANSWERS) }
    }

    fn speech(&self, note: &CallNote, dice: &mut FileDice) -> String {
        let named = dice.pick(&self.file.personas).name;
        let to = if dice.one_in(3) { format!(" against {named}") } else { String::new() };
        let words = format!("{} {:x}{to} {:x} {:x}", note.mark, dice.next(), dice.next(), dice.next());
        let text = match note.task.as_str() {
            "argument in steps" => {
                format!("1. Claim: {words}\n2. Evidence: figures\n3. Inference: so\n4. Conclusion: thus")
            }
            _ => words,
        };
        const STATING: [&str; 6] =
            ["opening statement", "proposal", "argument", "argument in steps", "answer", "revision"];
        let states = note.prompt.contains("My answer:") && STATING.contains(&note.task.as_str());
        let sure = states && note.turn().contains("My confidence:");
        let answer = if states { format!("\nMy answer: {}", self.opinion(dice)) } else { String::new() };
        let sure = if sure { format!("\nMy confidence: {}", dice.below(101)) } else { String::new() };
        format!("{text}{answer}{sure}")
    }

    /// An object of the schema; the task says what is in it.
    fn object(&self, note: &CallNote, dice: &mut FileDice) -> Value {
        let members = note.schema["properties"].as_object().cloned().unwrap_or_default();
        let filled = members.iter().map(|(name, schema)| (name.clone(), self.member(note, name, schema, dice)));
        Value::Object(filled.collect())
    }

    fn member(&self, note: &CallNote, name: &str, schema: &Value, dice: &mut FileDice) -> Value {
        let one_of = schema["enum"].as_array().cloned().unwrap_or_default();
        let items = schema.pointer("/items/enum").and_then(Value::as_array).cloned().unwrap_or_default();
        match name {
            "done" | "vote_now" | "enough" => json!(dice.one_in(5)),
            "status" => json!(dice.pick(&["continue", "continue", "continue", "settled"])),
            "choice" if one_of.is_empty() => json!(self.opinion(dice)),
            "choice" | "winner" | "to" | "accept" if self.file.agreeable && !dice.one_in(10) => one_of[0].clone(),
            "choice" | "winner" | "to" | "accept" => dice.pick(&one_of),
            "urgency" | "severity" => json!(dice.pick(&[0, 1, 2, 5, 8, 9, 10])),
            "point" => {
                if dice.one_in(3) {
                    Value::Null
                } else {
                    json!(note.mark)
                }
            }
            "confidence" => json!(dice.below(101)),
            "next_speakers" if schema["maxItems"] == 0 => json!([]),
            "next_speakers" => (0..1 + dice.below(3)).map(|_| dice.pick(&items)).collect(),
            "approved" => shuffled(items.clone(), dice)[..1 + dice.below(items.len() as u64) as usize].into(),
            "ranking" if !items.is_empty() => shuffled(items, dice).into(),
            "ranking" => ranked(note, dice),
            "scores" => scored(note, dice),
            "accepted" | "declined" | "warnings" | "questions" | "revisions" => self.list(note, name, &items, dice),
            "citations" => json!([{"entry": 1, "quote": "nobody said this anywhere"}]),
            "open_objections" if !dice.one_in(4) => json!([]),
            "suggestions" | "contradictions" => json!([]),
            "text" => json!(self.speech(note, dice)),
            _ if schema["type"] == "array" => json!([note.mark]),
            _ => json!(note.mark),
        }
    }

    fn list(&self, note: &CallNote, name: &str, items: &[Value], dice: &mut FileDice) -> Value {
        let names =
            note.schema.pointer(&format!("/properties/{name}/items/properties/name/enum")).and_then(Value::as_array);
        match name {
            "accepted" => items.iter().filter(|_| dice.one_in(3)).cloned().collect(),
            "questions" => names
                .filter(|_| dice.one_in(2))
                .map_or(json!([]), |names| json!([{"name": dice.pick(names), "text": note.mark}])),
            _ => json!([]),
        }
    }
}

fn shuffled(mut values: Vec<Value>, dice: &mut FileDice) -> Vec<Value> {
    for at in (1..values.len()).rev() {
        values.swap(at, dice.below(at as u64 + 1) as usize);
    }
    values
}

fn ranked(note: &CallNote, dice: &mut FileDice) -> Value {
    let candidates = note.allowed("/properties/ranking/items/properties/candidate/enum");
    let order = shuffled(candidates.iter().map(|name| json!(name)).collect(), dice);
    order.into_iter().map(|name| json!({"candidate": name, "reason": note.mark})).collect()
}

/// Scores of debaters by their labels, or of speeches by their numbers.
fn scored(note: &CallNote, dice: &mut FileDice) -> Value {
    let fields = note
        .schema
        .pointer("/properties/scores/items/properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let key = if fields.contains_key("name") { "name" } else { "speech" };
    let whom = fields[key]["enum"].as_array().cloned().unwrap_or_default();
    let score = |whom: Value| -> Value {
        let scales =
            ["clarity", "evidence", "originality", "on_topic"].map(|scale| (scale.to_owned(), json!(dice.below(11))));
        let mut score: serde_json::Map<String, Value> = scales.into_iter().collect();
        score.insert(key.to_owned(), whom);
        if key == "speech" {
            score.insert("comment".to_owned(), json!(note.mark));
        }
        Value::Object(score)
    };
    whom.into_iter().map(score).collect()
}

#[async_trait::async_trait]
impl ChatModel for KnownModel {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        let note = self.note(request);
        sink.text(&note.text);
        tokio::time::sleep(Duration::from_millis(100)).await;
        if note.fate == Fate::Refused {
            return Err(ChatError::new(ChatErrorKind::BadRequest, "refused"));
        }
        let usage = Usage { prompt_tokens: Some(note.tokens - 10), cached_tokens: None, completion_tokens: Some(10) };
        Ok(ChatAnswer { text: note.text, usage, ..ChatAnswer::default() })
    }
    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        Ok(crate::file::MODELS.map(|name| ModelInfo { name: name.to_owned(), ..ModelInfo::default() }).to_vec())
    }
    async fn version(&self) -> Result<ServerVersion, ChatError> {
        Err(ChatError::new(ChatErrorKind::BadRequest, "not here"))
    }
    async fn show(&self, _: &str) -> Result<ModelDetails, ChatError> {
        Ok(ModelDetails::default())
    }
    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        Ok(Vec::new())
    }
    async fn preload(&self, _: &str, _: Option<Duration>, _: CallTimeouts) -> Result<(), ChatError> {
        Ok(())
    }
    async fn embed(&self, _: &str, _: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        Err(ChatError::new(ChatErrorKind::BadRequest, "not here"))
    }
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}
