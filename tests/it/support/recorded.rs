//! Debates of which every prompt is recorded: what each speaker was told, word for word, and the log beside it.
use super::World;
use agon_core::fence::{Fence, FenceKind, Mark, Reader, Written, YOUR_TURN};
use agon_core::seed::sampling_seed;
use agon_core::{Admission, Ask, DebateId, Event, Position, Record, Transcript};
use agon_rehearsal::Brief;
use agon_store::{Journal as _, SqliteOptions, SqliteStore};
use serde_json::Value;
use std::sync::Arc;
use tokio::runtime::Builder;

/// One call to a model.
pub struct Recorded {
    /// From `agon_speaker`, or from `You are Ada.`
    pub participant: String,
    /// The name of what the turn asks for.
    pub task: String,
    /// Role and content of each, first to last.
    pub messages: Vec<(String, String)>,
    /// The whole request.
    pub body: Value,
}

/// An entry of the transcript as a speaker was shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptEntry {
    /// From the header: `T7` and `[7]` are 7.
    pub number: usize,
    /// The name, or the label where names are hidden.
    pub speaker: String,
    /// The whole header line.
    pub header: String,
    pub text: String,
}

impl Recorded {
    fn read(body: &str) -> Self {
        let body: Value = serde_json::from_str(body).unwrap();
        let part = |message: &Value, key: &str| message[key].as_str().unwrap_or_default().to_owned();
        let messages = body["messages"].as_array().unwrap().iter();
        let messages = messages.map(|message| (part(message, "role"), part(message, "content"))).collect();
        let mut call = Self { participant: String::new(), task: String::new(), messages, body };
        let brief = Brief::read([("user", call.asks())].into_iter());
        let hidden = call.body["agon_speaker"].as_str();
        call.participant = hidden.or(brief.you.as_deref()).unwrap_or_default().to_owned();
        call.task = brief.task.map_or("", |(_, title)| title).to_owned();
        call
    }

    pub fn system(&self) -> &str {
        &self.messages[0].1
    }
    /// The message that asks: what was said, and the tail.
    pub fn asks(&self) -> &str {
        let found = self.messages.iter().find(|(_, content)| content.contains(YOUR_TURN) && *content != self.system());
        found.map_or("", |(_, content)| content)
    }
    /// What stands before the tail: roster and transcript.
    pub fn shown(&self) -> &str {
        parts(self.asks()).0
    }
    /// Everything behind `=== YOUR TURN ===`.
    pub fn tail(&self) -> &str {
        parts(self.asks()).1
    }
    /// The value of a sentence of the turn.
    pub fn sentence(&self, before: &str, after: &str) -> Option<&str> {
        self.tail().lines().find_map(|line| line.strip_prefix(before)?.strip_suffix(after))
    }
    /// The value of a key of what the moderator said when it opened a round.
    pub fn opening(&self, round: u32, key: &str) -> Option<&str> {
        let (_, rest) = self.fenced().split_once(&format!("### Round {round}, opened by the moderator\n"))?;
        let (opening, _) = rest.split_once("\n\n")?;
        opening.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
    }
    /// What stands between the fence's lines; empty where there is no transcript.
    pub fn fenced(&self) -> &str {
        let inside = self.shown().split_once("<<< transcript ").and_then(|(_, rest)| rest.split_once('\n'));
        inside.and_then(|(_, rest)| rest.rsplit_once(">>> end of transcript ")).map_or("", |(inside, _)| inside)
    }
    /// The entries of the transcript.
    pub fn entries(&self) -> Vec<PromptEntry> {
        let mut entries: Vec<PromptEntry> = Vec::new();
        let mut spoken = false;
        for line in self.fenced().lines() {
            match (entry_header(line), entries.last_mut()) {
                (Some(entry), _) => {
                    entries.push(entry);
                    spoken = true;
                }
                // what stands before the first entry, or between two, belongs to none
                (None, _) if line.starts_with("### Round ") => spoken = false,
                (None, _) if line.starts_with("### ") || line.starts_with("## ") => {}
                (None, Some(entry)) if spoken => {
                    entry.text.push_str(line);
                    entry.text.push('\n');
                }
                (None, _) => {}
            }
        }
        entries
    }
    /// The numbers of the entries.
    pub fn numbers(&self) -> Vec<usize> {
        self.entries().iter().map(|entry| entry.number).collect()
    }
    /// Who speaks in the entries.
    pub fn speakers(&self) -> Vec<String> {
        self.entries().into_iter().map(|entry| entry.speaker).collect()
    }
    /// The round of a speech or a moderator's duty, from `This is round 2 of 3.`
    pub fn round(&self) -> Option<u32> {
        self.sentence("This is round ", ".")?.split(' ').next()?.parse().ok()
    }
    fn seed(&self) -> Option<u64> {
        self.body["options"]["seed"].as_u64()
    }
}

/// The part before the last delimiter line, and the part behind it.
fn parts(message: &str) -> (&str, &str) {
    let line = format!("{YOUR_TURN}\n");
    match message.rfind(&format!("\n{line}")) {
        Some(at) => (&message[..at + 1], &message[at + 1 + line.len()..]),
        None => message.strip_prefix(&line).map_or((message, ""), |tail| ("", tail)),
    }
}

fn entry_header(line: &str) -> Option<PromptEntry> {
    let rest = line.strip_prefix("### ")?;
    let (number, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once("] ")?,
        None => rest.strip_prefix('T')?.split_once(" | ")?,
    };
    let speaker = rest.split(" | ").next()?.to_owned();
    Some(PromptEntry { number: number.parse().ok()?, speaker, header: line.to_owned(), text: String::new() })
}

/// A debate with its prompts.
pub struct Recording {
    /// The events, as the program prints them.
    pub events: Vec<Value>,
    /// The same, as the store has them.
    log: Vec<Arc<Record>>,
    /// The calls, in the order in which they came.
    pub calls: Vec<Recorded>,
}

impl Recording {
    /// Holds the debate of a file in the world, with the server's options and the run's.
    pub fn of(world: &World, file: &str, server: &[&str], run: &[&str]) -> Self {
        let folder = world.path("prompts");
        let _ = std::fs::remove_dir_all(&folder);
        let record = ["--record", folder.to_str().unwrap()];
        let server = world.rehearsal(&[&record, server].concat());
        let args = ["run", file, "--ollama", server.url(), "--jsonl", "--seed", "7"];
        let said = world.agon(&[&args[..], run].concat());
        assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
        server.until_idle().unwrap();
        let events: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let id = DebateId::parse(events[0]["id"].as_str().unwrap()).unwrap();
        let store = SqliteStore::open(&world.database(), SqliteOptions::default()).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let log = runtime.block_on(store.read(&id, Position(0))).unwrap();
        let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let calls = files.iter().map(|file| Recorded::read(&std::fs::read_to_string(file).unwrap())).collect();
        Self { events, log, calls }
    }

    /// The debate of a file with this text; reports are not written.
    pub fn text(name: &str, text: &str, server: &[&str]) -> Self {
        let world = World::new();
        let file = world.file(name, text);
        Self::of(&world, &file, server, &["--no-reports"])
    }

    /// The events of a type.
    pub fn of_type<'a>(&'a self, kind: &'a str) -> impl DoubleEndedIterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["type"] == kind)
    }
    /// The calls for a participant.
    pub fn by<'a>(&'a self, participant: &'a str) -> impl DoubleEndedIterator<Item = &'a Recorded> {
        self.calls.iter().filter(move |call| call.participant == participant)
    }
    /// The calls for a participant's task.
    pub fn asked<'a>(&'a self, participant: &'a str, task: &'a str) -> Vec<&'a Recorded> {
        self.by(participant).filter(|call| call.task == task).collect()
    }
    /// The calls for a task, whoever was asked.
    pub fn for_task<'a>(&'a self, task: &'a str) -> Vec<&'a Recorded> {
        self.calls.iter().filter(|call| call.task == task).collect()
    }
    fn entries(&self) -> impl Iterator<Item = (Position, &Event)> {
        self.log.iter().flat_map(|record| record.entries())
    }
    /// What the debate starts from.
    pub fn admission(&self) -> &Admission {
        match self.entries().next() {
            Some((_, Event::DebateAdmitted(admission))) => admission,
            other => panic!("an admission, not {other:?}"),
        }
    }
    /// The debate's seed.
    pub fn seed(&self) -> u64 {
        self.admission().seed
    }
    /// The mark of all that a call is shown and others share.
    pub fn mark(&self, call: &Recorded) -> Mark {
        let reader = match call.participant.as_str() {
            "summarizer" => Reader::Summarizer,
            "synthesizer" => Reader::Synthesizer,
            name if name.starts_with("judge") => Reader::Judges,
            _ => Reader::Debate,
        };
        Mark::new(self.seed(), reader)
    }
    /// The lines around the transcript, and those around what the turn quotes.
    pub fn fences(&self, call: &Recorded) -> [(String, String); 2] {
        let lines = |kind: FenceKind, mark: &Mark| {
            let mut start = Written::default();
            Fence::open(&mut start, kind, mark);
            (start.as_str().trim_end().to_owned(), kind.end(mark).as_str().to_owned())
        };
        let turn = Mark::new(self.seed(), Reader::Turn(self.ask(call).turn));
        [lines(FenceKind::Transcript, &self.mark(call)), lines(FenceKind::Task, &turn)]
    }
    /// What a recorded call answers.
    pub fn ask(&self, call: &Recorded) -> &Ask {
        let seed = call.seed().expect("a call has a seed");
        let found = self.entries().find_map(|(_, event)| match event {
            Event::TurnAsked(ask) => {
                let is_it =
                    ask.participant.as_str() == call.participant && sampling_seed(self.seed(), ask.turn) == seed;
                is_it.then_some(ask)
            }
            _ => None,
        });
        found.unwrap_or_else(|| panic!("nobody asked {} to {}", call.participant, call.task))
    }
    /// The transcript, as it stood when this was asked.
    pub fn transcript(&self, ask: &Ask) -> Transcript {
        let mut transcript = Transcript::default();
        let seen = self.entries().take_while(|(seq, _)| *seq <= ask.sees);
        for (seq, event) in seen {
            transcript.apply(seq, event);
        }
        transcript
    }
}
