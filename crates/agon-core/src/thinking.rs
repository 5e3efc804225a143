//! What a model thinks and what it says, separated by the marks that models write around their thinking.
use std::borrow::Cow;

/// How one family of models marks its thinking.
#[derive(Debug)]
struct ThinkingMarks {
    begin: &'static str,
    ends: &'static [&'static str],
    /// Whether the marks count in the middle of an answer too, and the end without a beginning: chat templates often write that.
    anywhere: bool,
}

const fn anywhere(begin: &'static str, ends: &'static [&'static str]) -> ThinkingMarks {
    ThinkingMarks { begin, ends, anywhere: true }
}
/// Words that an answer may use for other things further on.
const fn first(begin: &'static str, ends: &'static [&'static str]) -> ThinkingMarks {
    ThinkingMarks { begin, ends, anywhere: false }
}

/// The beginning of what gpt-oss says aloud. `assistantfinal` is the same where a server drops the marks and keeps their words.
const FINAL: &[&str] =
    &["<|channel|>final<|message|>", "<|channel|>final <|constrain|>json<|message|>", "assistantfinal"];

const MARKS: [ThinkingMarks; 19] = [
    anywhere("<think>", &["</think>"]),
    anywhere("<thinking>", &["</thinking>"]),
    anywhere("<thought>", &["</thought>"]),
    anywhere("<reasoning>", &["</reasoning>"]),
    // Magistral and Ministral
    anywhere("[THINK]", &["[/THINK]"]),
    // Kimi
    anywhere("◁think▷", &["◁/think▷"]),
    anywhere("<seed:think>", &["</seed:think>"]),
    anywhere("<mm:think>", &["</mm:think>"]),
    anywhere("<longcat_think>", &["</longcat_think>"]),
    // gpt-oss
    anywhere("<|channel|>analysis", FINAL),
    anywhere("<|channel|>commentary", FINAL),
    // Gemma 4
    anywhere("<|channel>thought", &["<channel|>"]),
    // Command A
    anywhere("<|START_THINKING|>", &["<|END_THINKING|>"]),
    // OpenThinker
    anywhere("<|begin_of_thought|>", &["<|end_of_thought|>"]),
    // Apertus
    anywhere("<|inner_prefix|>", &["<|inner_suffix|>"]),
    // MedGemma
    anywhere("<unused94>", &["<unused95>"]),
    first("<analysis>", &["</analysis>"]),
    first("<reflection>", &["</reflection>"]),
    first("<scratchpad>", &["</scratchpad>"]),
];

/// Marks around what is said aloud.
const AROUND: [&str; 9] = [
    "<|start|>assistant",
    "<|message|>",
    "<|end|>",
    "<|return|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
    "<|START_TEXT|>",
];

/// What a piece of an answer turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerPiece<'a> {
    /// The model says it.
    Said(&'a str),
    /// The model thought so many characters.
    Thought(usize),
    /// All that was given as said so far was thinking.
    Retracted,
}

/// What a mark means at its place.
#[derive(Clone, Copy)]
enum ThinkingMark {
    Begin(&'static ThinkingMarks),
    End,
    Around,
}

/// Separates thinking from speech while an answer arrives, however it is split into pieces.
#[derive(Debug, Default)]
pub struct ThinkingFilter {
    /// What may be the beginning of a mark.
    pending: String,
    inside: Option<&'static ThinkingMarks>,
    /// Thinking in the middle of an answer, its mark included: where it never ends, it was none, and is said at the end.
    held: Option<String>,
    /// Characters that were said.
    said: usize,
    /// Whether there is something in what was said.
    spoke: bool,
    /// Whether an object is said, whose texts are nobody's thinking.
    is_object: bool,
    /// Whether thinking has ended.
    thought: bool,
    last: Option<char>,
}

impl ThinkingFilter {
    /// Takes the next piece, and gives what is known of it.
    pub fn push(&mut self, delta: &str, give: &mut impl FnMut(AnswerPiece<'_>)) {
        let joined = std::mem::take(&mut self.pending) + delta;
        let mut rest = joined.as_str();
        while !rest.is_empty() {
            if !self.spoke && self.inside.is_none() {
                self.is_object = rest.trim_start().starts_with('{');
            }
            let (at, mark) = self.find(rest);
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            self.take(before, give);
            let Some((mark, length)) = mark else {
                self.pending = from.to_owned();
                return;
            };
            let (marked, after) = from.split_at_checked(length).unwrap_or((from, ""));
            self.turn(mark, marked, give);
            rest = after;
        }
    }

    /// Takes the end of the answer.
    pub fn finish(&mut self, give: &mut impl FnMut(AnswerPiece<'_>)) {
        let pending = std::mem::take(&mut self.pending);
        self.take(&pending, give);
        if let Some(held) = self.held.take() {
            self.inside = None;
            self.say(&held, give);
        }
    }

    /// The place of the next mark and what it is; else the place from which the rest may be the beginning of one.
    fn find(&self, text: &str) -> (usize, Option<(ThinkingMark, usize)>) {
        let (mut last, mut first) = (self.last, !self.spoke);
        for (at, c) in text.char_indices() {
            let is_first = first;
            first &= c.is_whitespace();
            let quoted = last.replace(c) == Some('`') && self.inside.is_none();
            if !matches!(c, '<' | '[' | '◁' | 'a') || quoted || self.is_object {
                continue;
            }
            let rest = text.get(at..).unwrap_or_default();
            // a letter of most words, and of one mark alone
            if c == 'a' && !rest.starts_with("as") && rest.len() > 1 {
                continue;
            }
            let mut may_begin = false;
            for (mark, word) in self.marks(is_first) {
                if begins(rest, word) {
                    return (at, Some((mark, word.len())));
                }
                may_begin |= begins(word, rest);
            }
            if may_begin {
                return (at, None);
            }
        }
        (text.len(), None)
    }

    /// The marks that count here, which may be where an answer begins.
    fn marks(&self, first: bool) -> impl Iterator<Item = (ThinkingMark, &'static str)> {
        let inside = self.inside;
        let ends_of = |marks: &'static ThinkingMarks| marks.ends.iter().map(|end| (ThinkingMark::End, *end));
        let within = inside.into_iter().flat_map(ends_of);
        let around = AROUND.iter().map(|word| (ThinkingMark::Around, *word));
        let counted = MARKS.iter().filter(move |marks| marks.anywhere || first);
        let outside = counted
            .flat_map(move |marks| std::iter::once((ThinkingMark::Begin(marks), marks.begin)).chain(ends_of(marks)));
        within.chain(outside.chain(around).filter(move |_| inside.is_none()))
    }

    fn take(&mut self, text: &str, give: &mut impl FnMut(AnswerPiece<'_>)) {
        let Some(c) = text.chars().next_back() else { return };
        self.last = Some(c);
        if self.inside.is_none() {
            return self.say(text, give);
        }
        if let Some(held) = &mut self.held {
            held.push_str(text);
        }
        give(AnswerPiece::Thought(text.chars().count()));
    }

    fn say(&mut self, text: &str, give: &mut impl FnMut(AnswerPiece<'_>)) {
        // what separates thinking from speech is no part of the speech
        let text = if self.thought && !self.spoke { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        self.spoke |= !text.trim().is_empty();
        self.said += text.chars().count();
        give(AnswerPiece::Said(text));
    }

    fn turn(&mut self, mark: ThinkingMark, marked: &str, give: &mut impl FnMut(AnswerPiece<'_>)) {
        self.last = None;
        match mark {
            ThinkingMark::Begin(marks) => {
                self.inside = Some(marks);
                self.held = self.spoke.then(|| marked.to_owned());
            }
            ThinkingMark::End if self.inside.take().is_some() => {
                self.held = None;
                self.thought = true;
            }
            // the beginning was written by the template
            ThinkingMark::End if !self.thought => {
                (self.thought, self.spoke) = (true, false);
                give(AnswerPiece::Retracted);
                give(AnswerPiece::Thought(std::mem::take(&mut self.said)));
            }
            ThinkingMark::End => self.say(marked, give),
            ThinkingMark::Around => {}
        }
    }
}

/// Whether a text begins with a mark, in any letter case.
fn begins(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark))
}

/// What a whole answer says aloud.
pub fn without_thinking(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut give = |piece: AnswerPiece<'_>| match piece {
        AnswerPiece::Said(said) => kept.push_str(said),
        AnswerPiece::Thought(_) => {}
        AnswerPiece::Retracted => kept.clear(),
    };
    let mut filter = ThinkingFilter::default();
    filter.push(text, &mut give);
    filter.finish(&mut give);
    if kept.len() == text.len() { text.into() } else { kept.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said, and how many characters are thought, of an answer that comes in pieces of so many characters.
    fn split(text: &str, length: usize) -> (String, usize) {
        let (mut said, mut thought) = (String::new(), 0);
        let mut filter = ThinkingFilter::default();
        let mut give = |piece: AnswerPiece<'_>| match piece {
            AnswerPiece::Said(text) => said.push_str(text),
            AnswerPiece::Thought(chars) => thought += chars,
            AnswerPiece::Retracted => said.clear(),
        };
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(length) {
            filter.push(&piece.iter().collect::<String>(), &mut give);
        }
        filter.finish(&mut give);
        (said, thought)
    }

    fn check(text: &str, said: &str) {
        let whole = split(text, usize::MAX);
        assert_eq!(whole.0, said, "{text}");
        assert_eq!(without_thinking(text), said, "{text}");
        for length in 1..=text.chars().count() {
            assert_eq!(split(text, length), whole, "{text} in pieces of {length}");
        }
    }

    #[test]
    fn thinking_in_any_dress_is_no_speech() {
        for marks in &MARKS {
            for end in marks.ends {
                check(&format!("{}PLAN a < b{end}\n\nI say.", marks.begin), "I say.");
                check(&format!("{}PLAN, on and on", marks.begin), "");
                check(&format!("{}PLAN{end}", marks.begin.to_uppercase()), "");
                if marks.anywhere {
                    check(&format!("PLAN, begun by the template{end} I say."), "I say.");
                    check(&format!("I say {}PLAN{end}this.", marks.begin), "I say this.");
                }
            }
        }
    }

    #[test]
    fn channels_of_gpt_oss_are_read() {
        let end = "<|end|><|start|>assistant";
        check(&format!("<|channel|>analysis<|message|>PLAN{end}<|channel|>final<|message|>I say.<|return|>"), "I say.");
        check(
            &format!(
                "<|start|>assistant<|channel|>analysis<|message|>PLAN{end}<|channel|>analysis<|message|>MORE{end}<|channel|>final<|message|>I say."
            ),
            "I say.",
        );
        check(&format!("PLAN{end}<|channel|>final<|message|>I say.<|end|>"), "I say.");
        check("<|channel|>final<|message|>I say.", "I say.");
        check("<|channel|>analysis<|message|>PLAN<|end|>", "");
        check("analysisWe need a speech. PLAN.assistantfinalI say.", "I say.");
        check(
            &format!(
                "<|channel|>analysis<|message|>PLAN{end}<|channel|>final <|constrain|>json<|message|>{{\"a\": 1}}<|return|>"
            ),
            "{\"a\": 1}<|return|>",
        );
        check("<|START_THINKING|>PLAN<|END_THINKING|><|START_RESPONSE|>I say.<|END_RESPONSE|>", "I say.");
    }

    #[test]
    fn what_only_looks_like_a_mark_stays() {
        for text in [
            "He wrote <think> and nothing more.",
            "A list: [1], a < b, <b>bold</b>, [THIN ice], an assistant finally.",
            "The tags `<think>` and `</think>` surround it.",
            "The <analysis> of it </analysis> stays.",
            "{\"verdict\": \"it ends with </think>\", \"open\": \"<reasoning>x</reasoning>\"}",
            "ends in a part: <thi",
            "",
        ] {
            check(text, text);
        }
        check("<think>a</think>I say </think> again.", "I say </think> again.");
        check("<think>a</think>One. <think>b</think>Two.", "One. Two.");
    }

    #[test]
    fn characters_of_thinking_are_counted() {
        for (text, thought) in
            [("<think>abc</think>d", 3), ("abc</think>d", 3), ("d <think>abc</think>", 3), ("<think>abc", 3), ("d", 0)]
        {
            assert_eq!(split(text, 2).1, thought, "{text}");
        }
    }
}
