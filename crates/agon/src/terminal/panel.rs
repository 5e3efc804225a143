//! The few lines at the bottom of the live view: the last words of those who speak, and where the debate is.
use super::paint;
use super::wrap::wrap;
use agon_core::Timestamp;
use agon_report::{LiveView, Speaking, StyledLine, StyledSpan, TextStyle};
use ratatui::text::Line;

/// With more speakers at once than this, each gets one line.
const SPACIOUS: usize = 2;

/// The panel, `height` lines of at most `width` columns.
pub fn panel(view: &LiveView, now: Timestamp, notice: Option<&str>, width: usize, height: usize) -> Vec<Line<'static>> {
    let status = view.turns(now).into_iter();
    let mut foot = vec![Line::styled("─".repeat(width), paint::look(TextStyle::Dim))];
    foot.extend(view.summary(now).iter().map(|line| first(line, width)));
    let notice = notice.map(|notice| Line::styled(notice.to_owned(), paint::look(TextStyle::Warn)));
    let room = height.saturating_sub(foot.len() + usize::from(notice.is_some()));
    let crowded = view.speaking().count() > SPACIOUS;
    let turns = if crowded { crowd(view, status, width) } else { status.map(|line| first(&line, width)).collect() };
    foot.extend(shortened(turns, room));
    foot.extend(notice);
    let room = height.saturating_sub(foot.len());
    let mut lines = if crowded { Vec::new() } else { voices(view, width, room) };
    lines.resize(room, Line::default());
    lines.extend(foot);
    lines.truncate(height);
    lines
}

fn first(line: &StyledLine, width: usize) -> Line<'static> {
    wrap(line, width).first().map(|line| paint::dressed(line, true)).unwrap_or_default()
}

/// As many lines as there is room for; the last one says how many are missing.
fn shortened(mut lines: Vec<Line<'static>>, room: usize) -> Vec<Line<'static>> {
    if lines.len() > room {
        let kept = room.saturating_sub(1);
        let more = format!("and {} more", lines.len() - kept);
        lines.truncate(kept);
        lines.push(Line::styled(more, paint::look(TextStyle::Dim)));
    }
    lines
}

/// One line for each turn: the last words where there are any, else what is known of it.
fn crowd(view: &LiveView, status: impl Iterator<Item = StyledLine>, width: usize) -> Vec<Line<'static>> {
    // The status has one line for each speaker, in the same order, and then those who wait.
    let voices = view.speaking().map(|(_, speaking)| Some(speaking)).chain(std::iter::repeat(None));
    let line = |(line, speaking): (StyledLine, Option<&Speaking>)| match speaking {
        Some(speaking) if !speaking.text.is_empty() => {
            let name = name(view, speaking);
            let taken = first(&name, width).width() + 3;
            let words = tail(&speaking.text, width.saturating_sub(taken)).replace('\n', " ");
            first(&name.and(TextStyle::Plain, format!(" … {words}")), width)
        }
        Some(_) | None => first(&line, width),
    };
    status.zip(voices).map(line).collect()
}

/// The last words of those who speak, each with its share of the room.
fn voices(view: &LiveView, width: usize, room: usize) -> Vec<Line<'static>> {
    let speaking: Vec<&Speaking> =
        view.speaking().map(|(_, speaking)| speaking).filter(|speaking| !speaking.text.is_empty()).collect();
    let share = room.checked_div(speaking.len()).unwrap_or(0);
    if share < 2 {
        return Vec::new();
    }
    speaking.into_iter().flat_map(|speaking| voice(view, speaking, width, share)).collect()
}

fn voice(view: &LiveView, speaking: &Speaking, width: usize, share: usize) -> Vec<Line<'static>> {
    // Only what can be seen is laid out again at every tick.
    let text = tail(&speaking.text, width.saturating_mul(share));
    let wrapped = text.lines().flat_map(|line| wrap(&indented(line), width));
    let mut words: Vec<Line<'static>> = wrapped.map(|line| paint::dressed(&line, true)).collect();
    words.drain(..words.len().saturating_sub(share - 1));
    let mut lines = vec![first(&name(view, speaking), width)];
    lines.extend(words);
    lines
}

fn name(view: &LiveView, speaking: &Speaking) -> StyledLine {
    StyledLine::of(view.style(&speaking.participant), speaking.participant.as_str())
}

fn indented(text: &str) -> StyledLine {
    StyledLine { spans: vec![StyledSpan { text: format!("  {text}"), style: TextStyle::Plain }], hang: 2, data: false }
}

/// The last characters of a text, from the beginning of a word.
fn tail(text: &str, chars: usize) -> &str {
    let Some((start, _)) = text.char_indices().rev().nth(chars.saturating_sub(1)) else { return text };
    let rest = text.get(start..).unwrap_or_default();
    rest.find(' ').and_then(|space| rest.get(space + 1..)).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Admission, Ask, Event, Position, TurnId, Work, testing};

    fn admission() -> Admission {
        let source = agon_spec::Source::new("topic", "topic: Tea or coffee?\n").with_syntax(agon_spec::Syntax::Yaml);
        let defaults = agon_spec::Defaults { model: Some("m:1".into()), ..agon_spec::Defaults::default() };
        let spec = agon_spec::parse(&source, &defaults).spec.unwrap();
        Admission { rehearsal: true, ..testing::admission("tea-or-coffee", spec) }
    }

    fn speaking(names: &[&str], text: &str) -> LiveView {
        let mut view = LiveView::new();
        view.lines(Position(1), Timestamp(0), &Event::DebateAdmitted(Box::new(admission())));
        for (seat, name) in (0..).zip(names) {
            let turn = TurnId { round: 0, seat, attempt: 1 };
            let deadline = Timestamp(90_000);
            let ask = Ask { sees: Position(1), deadline, ..testing::ask(turn, name, Work::Opening.into()) };
            view.lines(Position(2 + u64::from(seat)), Timestamp(0), &Event::TurnAsked(ask));
            view.delta(Timestamp(0), turn, 0, text);
        }
        view
    }

    fn shown(view: &LiveView, height: usize) -> Vec<String> {
        let lines = panel(view, Timestamp(2_000), None, 40, height);
        assert_eq!(lines.len(), height);
        assert!(lines.iter().all(|line| line.width() <= 40), "{lines:?}");
        lines.iter().map(ToString::to_string).collect()
    }

    fn words(n: usize) -> String {
        (0..n).map(|n| format!("word{n} ")).collect()
    }

    #[test]
    fn the_last_words_of_whoever_speaks_are_shown() {
        let lines = shown(&speaking(&["advocate"], &words(200)), 9);
        assert_eq!(lines[0], "advocate");
        assert!(lines.iter().any(|line| line.contains("word199")), "{lines:?}");
        assert!(!lines.iter().any(|line| line.contains("word0 ")), "{lines:?}");
        assert!(lines[8].contains("opening statement"), "{lines:?}");
    }

    #[test]
    fn of_many_speakers_each_has_a_line() {
        let lines = shown(&speaking(&["advocate", "skeptic", "pragmatist", "economist"], &words(50)), 9);
        for name in ["advocate", "skeptic", "pragmatist", "economist"] {
            assert!(lines.iter().any(|line| line.starts_with(name) && line.contains("word49")), "{name}: {lines:?}");
        }
    }

    #[test]
    fn what_there_is_no_room_for_is_counted() {
        let lines = shown(&speaking(&["a1", "a2", "a3", "a4", "a5"], &words(5)), 6);
        assert_eq!(lines[5], "and 3 more");
    }

    #[test]
    fn a_tail_begins_with_a_whole_word() {
        assert_eq!(tail("one two three", 7), "three");
        assert_eq!(tail("one", 7), "one");
        assert_eq!(tail("äöü äöü", 4), "äöü");
    }
}
