//! What a meaning looks like: as escape sequences, and as ratatui styles.
use agon_report::{StyledLine, TextStyle};
use ratatui::style::{Color, Modifier, Style as Look};
use ratatui::text::{Line, Span};
use std::fmt::Write;

/// Colours of the speakers, in the order of the debate file; readable on light and dark ground.
const SPEAKERS: [Color; 6] = [Color::Cyan, Color::Magenta, Color::Yellow, Color::Green, Color::Blue, Color::LightRed];

/// The line for the live view.
pub fn dressed(line: &StyledLine, color: bool) -> Line<'static> {
    if !color {
        return Line::raw(line.to_string());
    }
    Line::from_iter(line.spans.iter().map(|span| Span::styled(span.text.clone(), look(span.style))))
}

/// How a style looks on a terminal.
pub fn look(style: TextStyle) -> Look {
    let plain = Look::default();
    match style {
        TextStyle::Plain => plain,
        TextStyle::Dim => plain.add_modifier(Modifier::DIM),
        TextStyle::Strong => plain.add_modifier(Modifier::BOLD),
        TextStyle::Title => plain.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        TextStyle::Speaker(at) => {
            let color = SPEAKERS.get(at % SPEAKERS.len()).copied().unwrap_or(Color::Reset);
            plain.fg(color).add_modifier(Modifier::BOLD)
        }
        TextStyle::Office => plain.fg(Color::Blue).add_modifier(Modifier::BOLD),
        TextStyle::Good => plain.fg(Color::Green).add_modifier(Modifier::BOLD),
        TextStyle::Warn => plain.fg(Color::Yellow),
        TextStyle::Bad => plain.fg(Color::Red).add_modifier(Modifier::BOLD),
    }
}

/// The line for a stream: with escape sequences, or without any.
pub fn line(line: &StyledLine, color: bool) -> String {
    if !color {
        return line.to_string();
    }
    let mut out = String::new();
    for span in &line.spans {
        let code = code(look(span.style));
        // Writing to a string cannot fail.
        let _ = if code.is_empty() {
            write!(out, "{}", span.text)
        } else {
            write!(out, "\x1b[{code}m{}\x1b[0m", span.text)
        };
    }
    out
}

fn code(look: Look) -> String {
    let modifiers = [(Modifier::BOLD, "1"), (Modifier::DIM, "2"), (Modifier::UNDERLINED, "4")];
    let mut codes: Vec<&str> = modifiers
        .into_iter()
        .filter(|(modifier, _)| look.add_modifier.contains(*modifier))
        .map(|(_, code)| code)
        .collect();
    codes.extend(look.fg.and_then(|color| match color {
        Color::Red => Some("31"),
        Color::Green => Some("32"),
        Color::Yellow => Some("33"),
        Color::Blue => Some("34"),
        Color::Magenta => Some("35"),
        Color::Cyan => Some("36"),
        Color::LightRed => Some("91"),
        _ => None,
    }));
    codes.join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_there_is_no_escape_sequence() {
        let styled = StyledLine::of(TextStyle::Bad, "failed").and(TextStyle::Dim, " and why");
        assert_eq!(line(&styled, false), "failed and why");
        assert_eq!(line(&styled, true), "\x1b[1;31mfailed\x1b[0m\x1b[2m and why\x1b[0m");
    }

    #[test]
    fn every_speakers_colour_has_a_code() {
        for at in 0..SPEAKERS.len() {
            assert!(code(look(TextStyle::Speaker(at))).starts_with("1;"), "{at}");
        }
    }
}
