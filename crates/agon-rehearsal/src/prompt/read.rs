//! From the messages of a chat to a [`Brief`].

use crate::task::PromptTask;

use super::{
    Brief, RosterLine,
    lines::{
        PromptSection, entry_header, fenced, heading, is_label, is_marker, is_staff, is_summary, numbers, opened_round,
        push_line, read_round, split_at_delimiter, within,
    },
};

impl Brief {
    /// Reads the messages (role, content) of a chat.
    pub fn read<'a>(messages: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut brief = Self::default();
        let messages: Vec<_> = messages.collect();
        let last_user = messages.iter().rposition(|(role, _)| *role == "user");
        for (index, (role, content)) in messages.iter().enumerate() {
            let (shown, asked) = split_at_delimiter(content);
            // in a loop without native tools, what a tool has answered comes from the user
            let follows = *role == "user" && brief.is_debate && asked.is_none();
            if *role == "tool" || follows {
                brief.found.push((*content).to_owned());
                continue;
            }
            if *role == "system" || Some(index) == last_user || asked.is_some() {
                brief.read_shown(shown);
            }
            if let Some(asked) = asked {
                brief.is_debate = true;
                brief.read_asked(asked);
            }
        }
        if !brief.is_debate {
            brief.to_shorten = text_to_shorten(&messages);
        }
        brief.fill_gaps();
        brief
    }

    fn read_shown(&mut self, text: &str) {
        let mut place = PromptSection::Elsewhere;
        for line in text.lines() {
            if place == PromptSection::Earlier && heading(line).is_none() {
                // what came out of other debates is nobody's word in this one
            } else if let Some(next) = fenced(line) {
                place = next;
            } else if let Some(round) = opened_round(line) {
                (self.opened, self.briefing, self.angle) = (Some(round), None, None);
                place = PromptSection::Quoted;
            } else if let Some(entry) = entry_header(line) {
                self.entries.push(entry);
                place = PromptSection::Entry;
            } else if is_summary(line) && place != PromptSection::Entry && place != PromptSection::Context {
                place = PromptSection::Summary;
            } else if line.starts_with("### ") && matches!(place, PromptSection::Entry | PromptSection::Summary) {
                // a heading of the transcript that is no speech ends the speech before it
                place = if is_summary(line) { PromptSection::Summary } else { PromptSection::Elsewhere };
            } else if let Some(heading) = heading(line) {
                place = PromptSection::named(heading);
            } else {
                self.take_line(place, line);
            }
        }
    }

    fn take_line(&mut self, place: PromptSection, line: &str) {
        match place {
            PromptSection::Topic => push_line(&mut self.topic, line),
            PromptSection::Context => push_line(&mut self.context, line),
            PromptSection::Claims => push_line(&mut self.claims, line),
            PromptSection::Found if !is_marker(line) && !line.trim().is_empty() => self.found.push(line.to_owned()),
            PromptSection::Result => push_line(&mut self.result, line),
            PromptSection::Summary if !is_marker(line) => push_line(&mut self.summary, line),
            PromptSection::Entry if !is_marker(line) => {
                if let Some(entry) = self.entries.last_mut() {
                    push_line(&mut entry.text, line);
                }
            }
            PromptSection::Cast => self.take_debater(line),
            PromptSection::Quoted => {
                if let Some((key, value)) = line.split_once(':') {
                    self.take_key(key.trim(), value.trim());
                }
            }
            PromptSection::Entry
            | PromptSection::Summary
            | PromptSection::Found
            | PromptSection::Earlier
            | PromptSection::Elsewhere => {}
        }
    }

    fn take_debater(&mut self, line: &str) {
        let Some(line) = line.trim().strip_prefix("- ") else { return };
        // a colon inside the brackets of a role parts nothing
        let parted = line.split_once(": ").filter(|(name, _)| !name.contains(" (") || name.ends_with(')'));
        let (name, stance) = parted.unwrap_or((line, ""));
        let name = name.split_once(" (").map_or(name, |(name, _)| name);
        let debater = RosterLine { name: name.trim().to_owned(), stance: stance.trim().to_owned() };
        if self.cast.iter().all(|other| other.name != debater.name) {
            self.cast.push(debater);
        }
    }

    fn read_asked(&mut self, text: &str) {
        for line in text.lines() {
            let taken = self.you.is_none() && self.take_speaker(line) || self.take_sentence(line);
            if !taken {
                self.task = self.task.or_else(|| PromptTask::begun_by(line));
                push_line(&mut self.instructions, line);
            }
        }
    }

    /// Whether a line says who speaks: `You are Ada (town planner).`, `You are the moderator.`
    fn take_speaker(&mut self, line: &str) -> bool {
        let Some(who) = within(line, "You are ", ".") else { return false };
        let (staff, role) = match who.strip_prefix("the ") {
            Some(role) if is_staff(role) => (Some(role), role),
            _ if who.starts_with("judge-") => (Some(who), "judge"),
            _ => (None, "debater"),
        };
        let name = staff.unwrap_or_else(|| who.split_once(" (").map_or(who, |(name, _)| name));
        (self.you, self.role) = (Some(name.to_owned()), Some(role.to_owned()));
        true
    }

    /// Whether a line was one of the sentences that say who speaks, when and to whom.
    fn take_sentence(&mut self, line: &str) -> bool {
        let one_of = |befores: &[&str], after: &str| {
            befores.iter().find_map(|before| within(line, before, after)).map(str::to_owned)
        };
        if let Some(stance) = one_of(&["You argue for this position: \"", "You lean towards this position: \""], "\".")
        {
            self.stance = Some(stance).filter(|stance| !stance.is_empty());
        } else if let Some(round) = within(line, "This is round ", ".") {
            self.round = read_round(round);
        } else if let Some((office, team)) =
            within(line, "You speak as ", ".").and_then(|bench| bench.split_once(" for the "))
        {
            (self.office, self.bench) = (Some(office.to_lowercase()), Some(team.to_owned()));
        } else if let Some(to) = one_of(&["You speak to ", "You have heard ", "You criticise the proposal of "], ".") {
            self.to = Some(to);
        } else if let Some(manner) = one_of(&["Write in this style: ", "Write in this tone: "], ".") {
            push_line(&mut self.manner, &manner.to_lowercase());
        } else if let Some(speech) = within(line, "Speech ", ".").and_then(|speech| speech.split_once(" is T")) {
            self.speeches.extend(numbers::<u64>(speech.1).next());
        } else {
            return line.starts_with("The question is: ");
        }
        true
    }

    /// A line of what the turn quotes, or of what the moderator said to a round.
    fn take_key(&mut self, key: &str, value: &str) {
        let given = || Some(value.to_owned()).filter(|value| !value.is_empty());
        match key {
            "Briefing" => self.briefing = given(),
            "New angle" => self.angle = given(),
            "Result" | "Verdict" | "Decision" | "Outcome" | "Winner" => push_line(&mut self.result, value),
            key if is_question(key) => self.question = given().or(self.question.take()),
            _ => {}
        }
    }

    fn fill_gaps(&mut self) {
        // what the moderator said to an earlier round is not for this turn, and it needs no briefing itself
        if self.opened.is_some()
            && (self.opened != self.round.map(|(n, _)| n) || self.role.as_deref() == Some("moderator"))
        {
            (self.briefing, self.angle) = (None, None);
        }
        let own = [&mut self.topic, &mut self.context, &mut self.instructions, &mut self.summary, &mut self.result];
        for text in own.into_iter().chain(self.entries.iter_mut().map(|entry| &mut entry.text)) {
            text.truncate(text.trim_end().len());
        }
        if self.stance.is_none() {
            let known = self.you.as_deref().and_then(|you| self.stance_of(you)).map(str::to_owned);
            self.stance = known;
        }
        for entry in &mut self.entries {
            let known = self.cast.iter().find(|debater| debater.name == entry.speaker);
            let stance = match known {
                Some(debater) => debater.stance.as_str(),
                None if is_staff(&entry.speaker) || is_label(&entry.stance) => "",
                None => continue,
            };
            // the roster knows better where the stance ends and a label begins
            if entry.stance != stance {
                let label = std::mem::replace(&mut entry.stance, stance.to_owned());
                entry.label = [label, std::mem::take(&mut entry.label)].join(" ").trim().to_owned();
            }
        }
    }
}

/// The user's text in a chat whose system message asks for a summary.
fn text_to_shorten(messages: &[(&str, &str)]) -> Option<String> {
    let asks = |text: &str| {
        let text = text.to_lowercase();
        ["summarise", "summarize", "shorten"].iter().any(|word| text.contains(word))
    };
    let rules = messages.iter().any(|(role, content)| *role == "system" && asks(content));
    let text = messages.iter().rev().find(|(role, _)| *role == "user")?;
    rules.then(|| text.1.to_owned())
}

fn is_question(key: &str) -> bool {
    matches!(key, "Question" | "The question" | "Asked by the moderator" | "You were asked" | "Asked")
}
