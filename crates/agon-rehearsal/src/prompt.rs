//! Reads a debate prompt back into its parts: topic, cast, transcript and the task of the turn.
//!
//! The layout is Agon's: `# Topic` and friends as sections, entries under `### T7 | Ada | STANCE`, and behind the line
//! `=== YOUR TURN ===` the lines `Key: value`. Whatever is missing is left empty; nothing here can fail.

use crate::fault::Task;

/// Line between what was said and what is asked.
const DELIMITER: &str = "=== YOUR TURN ===";

/// The parts of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brief {
    /// Text under `# Topic`.
    pub topic: String,
    /// Text under `# Context`.
    pub context: String,
    /// Lines under `# Debaters`.
    pub cast: Vec<Debater>,
    /// The transcript in the order shown.
    pub entries: Vec<Entry>,
    /// Whether the delimiter line was there: without it, this is no debate prompt.
    pub is_debate: bool,
    /// `You are:`
    pub you: Option<String>,
    /// `Your stance:`
    pub stance: Option<String>,
    /// `Role:`
    pub role: Option<String>,
    /// `Task:`
    pub task: Option<String>,
    /// `Round: 2 of 3`
    pub round: Option<(u32, Option<u32>)>,
    /// `Briefing:`
    pub briefing: Option<String>,
    /// `New angle:`
    pub angle: Option<String>,
    /// `Style:` and `Tone:`
    pub manner: String,
    /// Free text behind the keys.
    pub instructions: String,
}

/// One line of the roster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Debater {
    /// Name as written.
    pub name: String,
    /// Stance as written; may be empty.
    pub stance: String,
}

/// One entry of the transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Number in the header, `T7` or `[7]`.
    pub number: u64,
    /// Who spoke.
    pub speaker: String,
    /// Stance in the header; empty for the moderator.
    pub stance: String,
    /// What was said, without marker lines.
    pub text: String,
}

impl Brief {
    /// Reads the messages (role, content) of a chat.
    pub fn read<'a>(messages: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut brief = Self::default();
        let messages: Vec<_> = messages.collect();
        let last_user = messages.iter().rposition(|(role, _)| *role == "user");
        for (index, (role, content)) in messages.iter().enumerate() {
            let (shown, asked) = split_at_delimiter(content);
            if *role == "system" || Some(index) == last_user || asked.is_some() {
                brief.read_shown(shown);
            }
            if let Some(asked) = asked {
                brief.is_debate = true;
                brief.read_asked(asked);
            }
        }
        brief.fill_gaps();
        brief
    }

    /// The task, by its line and else by the role.
    pub fn kind(&self) -> Task {
        let task = self.task.as_deref().unwrap_or_default().to_lowercase();
        let role = self.role.as_deref().unwrap_or_default().to_lowercase();
        match task.trim() {
            t if t.contains("ballot") && t.contains("final") => Task::BallotFinal,
            t if t.contains("ballot") => Task::BallotInitial,
            t if t.starts_with("opening") => Task::Opening,
            t if t.starts_with("open") => Task::OpenRound,
            t if t.starts_with("closing") => Task::Closing,
            t if t.starts_with("close") => Task::CloseRound,
            t if t.starts_with("judge") => Task::Judge,
            t if t.starts_with("vote") => Task::Vote,
            t if t.starts_with("argument") || t.starts_with("argue") || t.starts_with("rebut") => Task::Argument,
            _ if role == "judge" => Task::Judge,
            _ if role == "debater" => Task::Argument,
            _ => Task::Other,
        }
    }

    /// The stance of a speaker, from the roster or from what it is shown to have said.
    pub fn stance_of(&self, name: &str) -> Option<&str> {
        let in_cast = self.cast.iter().find(|debater| debater.name == name).map(|debater| debater.stance.as_str());
        let shown = || self.entries.iter().find(|entry| entry.speaker == name).map(|entry| entry.stance.as_str());
        in_cast.filter(|stance| !stance.is_empty()).or_else(shown).filter(|stance| !stance.is_empty())
    }

    /// Gives everybody without a stance the position that `position` says for its name.
    pub fn assume_positions(&mut self, position: impl Fn(&str) -> String) {
        if self.role.as_deref() == Some("debater") && self.stance.is_none() {
            self.stance = self.you.as_deref().map(&position);
        }
        for debater in self.cast.iter_mut().filter(|debater| debater.stance.is_empty()) {
            debater.stance = position(&debater.name);
        }
        for entry in self.entries.iter_mut().filter(|entry| entry.stance.is_empty() && entry.speaker != "moderator") {
            entry.stance = position(&entry.speaker);
        }
    }

    /// Whether this is the last round, as far as the prompt tells.
    pub fn is_last_round(&self) -> bool {
        matches!(self.round, Some((n, Some(of))) if n >= of)
    }

    fn read_shown(&mut self, text: &str) {
        let mut place = Place::Elsewhere;
        for line in text.lines() {
            if let Some(entry) = entry_header(line) {
                self.entries.push(entry);
                place = Place::Entry;
            } else if let Some(heading) = heading(line) {
                place = Place::named(heading);
            } else {
                self.take_line(place, line);
            }
        }
    }

    fn take_line(&mut self, place: Place, line: &str) {
        match place {
            Place::Topic => push_line(&mut self.topic, line),
            Place::Context => push_line(&mut self.context, line),
            Place::Entry if !is_marker(line) => {
                if let Some(entry) = self.entries.last_mut() {
                    push_line(&mut entry.text, line);
                }
            }
            Place::Cast => {
                if let Some(line) = line.trim().strip_prefix("- ") {
                    let without_stance = || (line.split_once(" (").map_or(line, |(name, _)| name), "");
                    let (name, stance) = line.split_once(": ").unwrap_or_else(without_stance);
                    let debater = Debater { name: name.trim().to_owned(), stance: stance.trim().to_owned() };
                    if self.cast.iter().all(|other| other.name != debater.name) {
                        self.cast.push(debater);
                    }
                }
            }
            Place::Entry | Place::Elsewhere => {}
        }
    }

    fn read_asked(&mut self, text: &str) {
        for line in text.lines() {
            let (key, value) = line.split_once(':').map_or((line, ""), |(key, value)| (key.trim(), value.trim()));
            let given = || Some(value.to_owned()).filter(|value| !value.is_empty());
            match key {
                "You are" => self.you = given(),
                "Your stance" => self.stance = given(),
                "Role" => self.role = given(),
                "Task" => self.task = given(),
                "Round" => self.round = read_round(value),
                "Briefing" => self.briefing = given(),
                "New angle" => self.angle = given(),
                "Style" | "Tone" => push_line(&mut self.manner, &value.to_lowercase()),
                "Language" => {} // the cast speaks English alone
                _ => push_line(&mut self.instructions, line),
            }
        }
    }

    fn fill_gaps(&mut self) {
        let own = [&mut self.topic, &mut self.context, &mut self.instructions];
        for text in own.into_iter().chain(self.entries.iter_mut().map(|entry| &mut entry.text)) {
            text.truncate(text.trim_end().len());
        }
        if self.stance.is_none() {
            let known = self.you.as_deref().and_then(|you| self.stance_of(you)).map(str::to_owned);
            self.stance = known;
        }
        for entry in &mut self.entries {
            if entry.stance.is_empty() && entry.speaker != "moderator" {
                let known = self.cast.iter().find(|debater| debater.name == entry.speaker);
                entry.stance = known.map(|debater| debater.stance.clone()).unwrap_or_default();
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Topic,
    Context,
    Cast,
    Entry,
    Elsewhere,
}

impl Place {
    fn named(heading: &str) -> Self {
        match heading.to_lowercase().as_str() {
            "topic" | "question" | "motion" => Self::Topic,
            "context" | "background" | "materials" => Self::Context,
            "debaters" | "roster" | "cast" => Self::Cast,
            _ => Self::Elsewhere,
        }
    }
}

fn split_at_delimiter(text: &str) -> (&str, Option<&str>) {
    // the last one: a speech may try to forge an earlier one
    let at = text.rmatch_indices(DELIMITER).find(|(at, _)| {
        let starts = *at == 0 || text.get(..*at).is_some_and(|before| before.ends_with('\n'));
        starts
            && text.get(at + DELIMITER.len()..).is_some_and(|after| after.is_empty() || after.starts_with(['\n', '\r']))
    });
    match at {
        Some((at, _)) => (text.get(..at).unwrap_or_default(), text.get(at + DELIMITER.len()..)),
        None => (text, None),
    }
}

fn heading(line: &str) -> Option<&str> {
    let name = line.strip_prefix("# ").or_else(|| line.strip_prefix("## "))?;
    Some(name.trim().trim_end_matches(':'))
}

fn entry_header(line: &str) -> Option<Entry> {
    let mut parts = line.strip_prefix("### ")?.splitn(3, " | ");
    let label = parts.next()?.trim();
    let (number, first_name) = match label.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((number, name)) => (number, Some(name.trim())),
        None => (label.trim_start_matches(['T', 't']), None),
    };
    let number = number.split_whitespace().next_back()?.parse().ok()?;
    let speaker = first_name.filter(|name| !name.is_empty()).or_else(|| parts.next().map(str::trim))?;
    let stance = parts.next().unwrap_or_default().trim();
    Some(Entry { number, speaker: speaker.to_owned(), stance: stance.to_owned(), text: String::new() })
}

/// A line that frames a speech and belongs to nobody's words.
fn is_marker(line: &str) -> bool {
    let line = line.trim();
    let rule =
        line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '~' | '`' | '<' | '>' | '"' | '*' | '_'));
    rule || line.starts_with("<<<")
        || line.starts_with(">>>")
        || line.ends_with(">>>")
        || line.ends_with("<<<")
        || (line.starts_with('<') && line.ends_with('>'))
        || (line.starts_with("```") || line.starts_with("~~~"))
}

fn read_round(value: &str) -> Option<(u32, Option<u32>)> {
    let mut numbers = value.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    Some((numbers.next()?, numbers.next()))
}

/// Adds a line, keeping blank ones between others.
fn push_line(text: &mut String, line: &str) {
    let line = line.trim_end();
    if !(text.is_empty() && line.is_empty()) {
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYSTEM: &str =
        "Rules of the house.\n\n# Topic\nShould we rewrite billing in Rust?\n\n# Context\nThe team has 5 people.\n";
    const USER: &str = "# Debaters\n- Ada: for\n- Ben: against\n\n# Transcript\n### T1 | Ada | for\n<<<\nYes we should.\n>>>\n\
        ### T2 | moderator\n<<<\nGo on.\n>>>\n=== YOUR TURN ===\nYou are: Ben\nRole: debater\nTask: argument\nRound: 2 of 3\n\
        Tone: calm\nBriefing: answer Ada\n\nWrite at most 180 words.\n";

    fn read() -> Brief {
        Brief::read([("system", SYSTEM), ("user", USER)].into_iter())
    }

    #[test]
    fn every_part_of_the_layout_is_found() {
        let brief = read();
        assert_eq!(brief.topic, "Should we rewrite billing in Rust?");
        assert_eq!(brief.context, "The team has 5 people.");
        assert_eq!(brief.cast.len(), 2);
        assert_eq!(brief.entries[0].text, "Yes we should.");
        assert_eq!((brief.entries[0].number, brief.entries[0].stance.as_str()), (1, "for"));
        assert_eq!(brief.entries[1].speaker, "moderator");
        assert_eq!((brief.you.as_deref(), brief.stance.as_deref()), (Some("Ben"), Some("against")));
        assert_eq!((brief.kind(), brief.round), (Task::Argument, Some((2, Some(3)))));
        assert_eq!(brief.briefing.as_deref(), Some("answer Ada"));
        assert_eq!(brief.instructions, "Write at most 180 words.");
    }

    #[test]
    fn a_judges_numbered_entries_are_read() {
        let shown = "### [3] Speaker A | keep it\nWords.\n=== YOUR TURN ===\nRole: judge\nTask: judge\n";
        let brief = Brief::read([("user", shown)].into_iter());
        assert_eq!(
            brief.entries,
            [Entry { number: 3, speaker: "Speaker A".into(), stance: "keep it".into(), text: "Words.".into() }]
        );
        assert_eq!(brief.kind(), Task::Judge);
    }

    #[test]
    fn each_task_line_of_the_layout_is_known() {
        let kind = |task: &str| Brief { task: Some(task.into()), ..Brief::default() }.kind();
        let known = [
            ("opening statement", Task::Opening),
            ("argument", Task::Argument),
            ("closing statement", Task::Closing),
            ("private ballot (initial)", Task::BallotInitial),
            ("private ballot (final)", Task::BallotFinal),
            ("open the round", Task::OpenRound),
            ("close the round", Task::CloseRound),
            ("judge", Task::Judge),
            ("vote", Task::Vote),
            ("write a poem", Task::Other),
        ];
        for (line, task) in known {
            assert_eq!(kind(line), task, "{line}");
        }
    }

    #[test]
    fn a_debater_with_a_role_instead_of_a_stance_is_known_by_name_and_given_a_position() {
        let shown = "# Debaters\n- Ada (an economist)\n- Ben\n\n### T1 | Ada\nWords.\n=== YOUR TURN ===\nYou are: Ben\nRole: debater\n";
        let mut brief = Brief::read([("user", shown)].into_iter());
        brief.assume_positions(|name| format!("position of {name}"));
        let ada = Debater { name: "Ada".into(), stance: "position of Ada".into() };
        assert_eq!((&brief.cast[0], &brief.cast[1].name), (&ada, &"Ben".to_owned()));
        assert_eq!(
            (brief.entries[0].stance.as_str(), brief.stance.as_deref()),
            ("position of Ada", Some("position of Ben"))
        );
    }

    #[test]
    fn a_chat_without_the_delimiter_is_no_debate() {
        assert!(!Brief::read([("user", "Hello there")].into_iter()).is_debate);
    }
}
