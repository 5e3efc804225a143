//! Speeches that end before their speaker is done. Of those that may be interrupted the others hear the first half while it goes on, and
//! whoever wants to may cut it. Those that reach their limit of tokens, or go in circles, stand as far as they came.
use super::Play;
use crate::host::replica::read_answer;
use agon_core::{Admission, Answer, DebateSpec, Work, may_be_interrupted};
use agon_prompt::Reading;
use agon_proto::{Hint, SpeechHeard};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, watch};

/// Characters of a speech that are heard for each token that it may have: a speech of the length that the prompt asks for
/// has about half of `max_tokens` in tokens, so that a quarter of them, at 3.5 characters each, is about half of the speech.
const HEARD_OF_8_TOKENS: usize = 7;
/// So many characters are waited for the end of a sentence.
const SENTENCE_SOON: usize = 160;
/// A text is looked at for circles whenever so many bytes have come.
const LOOK_EVERY: usize = 64;
/// So many bytes are sought before the end of the text.
const SAME_BYTES: usize = 24;
/// What is repeated is so long at the most, and this often at the least; all of it together is no shorter than that.
const LONGEST_ROUND: usize = 1_200;
const ROUNDS: usize = 4;
const LEAST_CIRCLE: usize = 240;
/// So many letters are in it at the least.
const LEAST_LETTERS: usize = 96;
/// So many letters lines without sentences have at the least.
const LEAST_OF_LINES: usize = 20;
/// What ends a sentence.
const ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];

/// Listens to one try of a speech.
pub(super) struct Ear {
    said: Mutex<SpokenSoFar>,
    /// So many characters are half of the speech.
    half_at: usize,
    half: watch::Sender<bool>,
}

#[derive(Default)]
struct SpokenSoFar {
    text: String,
    chars: usize,
}

impl Ear {
    fn new(half_at: usize) -> Self {
        Self { said: Mutex::default(), half_at, half: watch::Sender::new(false) }
    }

    /// Takes in the next piece.
    pub(super) fn hear(&self, delta: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.text.push_str(delta);
        said.chars += delta.chars().count();
        let sentence_ends = said.text.trim_end().ends_with(ENDS);
        let half = said.chars >= self.half_at && (sentence_ends || said.chars >= self.half_at + SENTENCE_SOON);
        if half && !*self.half.borrow() {
            self.half.send_replace(true);
        }
    }

    /// What was said so far was thinking.
    pub(super) fn forget(&self) {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = SpokenSoFar::default();
        self.half.send_replace(false);
    }

    /// What was said so far, up to its last whole sentence, or else word.
    fn so_far(&self) -> String {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        whole(&said.text).to_owned()
    }

    async fn is_half_way(&self) {
        // the sender lives as long as this
        drop(self.half.subscribe().wait_for(|half| *half).await);
    }
}

/// What was said, and whether it has begun to go in circles.
#[derive(Default)]
pub(super) struct SpokenText {
    heard: Mutex<HeardText>,
    circles: Notify,
}

#[derive(Default)]
struct HeardText {
    /// It is JSON.
    structured: bool,
    text: String,
    looked_at: usize,
}

impl SpokenText {
    /// Nothing yet of an answer in JSON, or else in words.
    pub(super) fn new(structured: bool) -> Self {
        Self { heard: Mutex::new(HeardText { structured, ..HeardText::default() }), circles: Notify::new() }
    }

    /// Takes in the next piece. Of a text that goes in circles the first round is kept.
    pub(super) fn hear(&self, delta: &str) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.text.push_str(delta);
        if heard.text.len() < heard.looked_at + LOOK_EVERY {
            return;
        }
        heard.looked_at = heard.text.len();
        if let Some(first) = first_round(&heard.text, heard.structured) {
            heard.text.truncate(first);
            self.circles.notify_one();
        }
    }

    /// What was said was thinking.
    pub(super) fn forget(&self) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        *heard = HeardText { structured: heard.structured, ..HeardText::default() };
    }

    pub(super) async fn goes_in_circles(&self) {
        self.circles.notified().await;
    }

    pub(super) fn text(&self) -> String {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).text.clone()
    }
}

/// Where the first round of a text ends that says the same words over and over at its end; numbers may be others. In JSON a list of
/// much the same values, such as scores, is none: it ends where its schema says.
fn first_round(text: &str, structured: bool) -> Option<usize> {
    let from = text.ceil_char_boundary(text.len().saturating_sub(ROUNDS * LONGEST_ROUND));
    let (mut words, mut places) = (Vec::new(), Vec::new());
    for (at, byte) in text.bytes().enumerate().skip(from) {
        let byte = if byte.is_ascii_digit() { b'0' } else { byte };
        if byte != b'0' || words.last() != Some(&b'0') {
            words.push(byte);
            places.push(at);
        }
    }
    let tail = words.get(words.len().checked_sub(SAME_BYTES)?..)?;
    let before = words.get(words.len().saturating_sub(LONGEST_ROUND + SAME_BYTES)..words.len() - 1)?;
    let period = before.len() + 1 - SAME_BYTES - memchr::memmem::rfind(before, tail)?;
    let rounds = ROUNDS.max(LEAST_CIRCLE.div_ceil(period));
    let mut begin = words.len().checked_sub(rounds * period)?;
    let circle = words.get(begin..)?;
    let same = circle.iter().zip(circle.get(period..)?).all(|(one, other)| one == other);
    let letters = circle.iter().take(period).filter(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()).count();
    let round = circle.get(..period)?;
    while begin.checked_sub(period).and_then(|earlier| words.get(earlier..begin)) == Some(round) {
        begin -= period;
    }
    let end = *places.get(begin + period)?;
    let values = structured && round.contains(&b'"');
    // no rule, and no row of a table
    (same && !values && letters * rounds >= LEAST_LETTERS).then(|| text.floor_char_boundary(end))
}

/// The text up to its last whole sentence; up to its last whole word where it has no whole sentence.
fn whole(text: &str) -> &str {
    let text = text.trim();
    sentences(text).or_else(|| text.get(..text.rfind(char::is_whitespace)?)).unwrap_or(text).trim_end()
}

/// What stands of a text that was cut at its limit.
fn kept(text: &str) -> Option<&str> {
    let text = text.trim();
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    // `1.` or `Dr.` is no sentence, and a heading no speech
    let sentences = sentences(text).filter(|text| letters(text) >= 4);
    let lines =
        || text.rsplit_once('\n').map(|(lines, _)| lines.trim_end()).filter(|lines| letters(lines) >= LEAST_OF_LINES);
    sentences.or_else(lines)
}

/// The text up to its last whole sentence, if it has one.
fn sentences(text: &str) -> Option<&str> {
    let closes = |c: char| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '*' | '_');
    let end = text.char_indices().rev().filter(|(_, c)| ENDS.contains(c)).find_map(|(at, c)| {
        let rest = text.get(at + c.len_utf8()..)?;
        let behind = rest.trim_start_matches(closes);
        let whole = behind.is_empty() || behind.starts_with(char::is_whitespace) || !c.is_ascii();
        whole.then(|| text.len() - behind.len())
    });
    text.get(..end?)
}

impl Play {
    /// Listens where the speech may be interrupted.
    pub(super) fn ear(&self, spec: &DebateSpec, max_tokens: Option<u32>) -> Option<Arc<Ear>> {
        let ask = &self.work.ask;
        let heard = may_be_interrupted(spec) && matches!(ask.task.work, Work::Argument { .. });
        let voice = spec.role(&ask.participant)?.voice().filter(|_| heard)?;
        let tokens = usize::try_from(max_tokens.unwrap_or(voice.max_tokens)).unwrap_or(usize::MAX);
        Some(Arc::new(Ear::new(tokens.saturating_mul(HEARD_OF_8_TOKENS) / 8)))
    }

    /// Tells the owner about half-way what was heard, once, and returns when somebody has cut the speech.
    pub(super) async fn interrupted(&self, admission: &Admission, ear: &Ear) -> Answer {
        tokio::join!(self.tell_half(admission, ear), self.until_cut(admission, ear)).1
    }

    async fn tell_half(&self, admission: &Admission, ear: &Ear) {
        ear.is_half_way().await;
        let Some(Answer::Speech { text, .. }) = self.speech(admission, ear) else { return };
        self.work.note_heard(text.clone());
        if let Some(owner) = self.work.owner() {
            let heard = SpeechHeard { debate: self.work.debate.clone(), turn: self.work.ask.turn, text };
            self.shared.hint_node(&owner, Hint::SpeechHeard(heard)).await;
        }
    }

    /// A cut that comes before anybody has heard half of the speech, as to a try that was started anew, waits for that.
    async fn until_cut(&self, admission: &Admission, ear: &Ear) -> Answer {
        loop {
            self.work.cut.notified().await;
            ear.is_half_way().await;
            if let Some(answer) = self.speech(admission, ear) {
                return answer;
            }
        }
    }

    /// What was said so far, as a speech that ends there; none where that is none, but thoughts alone for instance.
    fn speech(&self, admission: &Admission, ear: &Ear) -> Option<Answer> {
        let text = self.read_speech(admission, &ear.so_far())?;
        Some(Answer::Speech { text, cut: true, cut_at_limit: false })
    }

    /// What was said up to the limit of tokens, as a speech that ends with its last whole sentence, or with its last whole line where
    /// its lines are none, as those of a list; none where it has neither.
    pub(super) fn speech_up_to(&self, admission: &Admission, said: &str) -> Option<Answer> {
        let text = self.read_speech(admission, kept(said)?)?;
        Some(Answer::Speech { text, cut: false, cut_at_limit: true })
    }

    fn read_speech(&self, admission: &Admission, said: &str) -> Option<Arc<str>> {
        match read_answer(admission, &self.work.ask, said) {
            Ok(Reading { answer: Answer::Speech { text, .. }, .. }) => Some(text),
            Ok(_) | Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_speech_ends_with_its_last_whole_sentence_or_else_word() {
        assert_eq!(whole("One. Two! And thr"), "One. Two!");
        assert_eq!(whole("He said \"no.\" And th"), "He said \"no.\"");
        assert_eq!(whole("It costs 3.5 million eu"), "It costs 3.5 million");
        assert_eq!(whole("橋は必要だ。しかし"), "橋は必要だ。");
        assert_eq!(whole("Unbroken"), "Unbroken");
        assert_eq!(whole("  "), "");
    }

    #[test]
    fn a_speech_at_its_limit_ends_with_a_whole_sentence_or_a_whole_line() {
        assert_eq!(kept("It pays. It is ch"), Some("It pays."));
        assert_eq!(
            kept("- cheaper than a machine\n- no cups to wash\n- the ven"),
            Some("- cheaper than a machine\n- no cups to wash")
        );
        for none in ["I would be", "1. The br", "Dr. A", "# Opening\nI would be"] {
            assert_eq!(kept(none), None, "{none}");
        }
    }

    fn heard(text: &str) -> (bool, String) {
        heard_in(SpokenText::new(false), text)
    }

    fn heard_in(said: SpokenText, text: &str) -> (bool, String) {
        let mut circles = false;
        for piece in text.split_inclusive(' ') {
            said.hear(piece);
            circles |= futures_util::FutureExt::now_or_never(said.goes_in_circles()).is_some();
            if circles {
                break;
            }
        }
        (circles, said.text())
    }

    #[test]
    fn a_circle_that_counts_is_one() {
        let text = (1..40).map(|n| format!("### {n}. What is a debate about? ")).collect::<String>();
        assert!(heard(&text).0);
    }

    #[test]
    fn values_of_a_list_in_json_are_no_circle_but_a_text_among_them_may_be_one() {
        let scores =
            (1..30).map(|n| format!("{{\"speech\": {n}, \"clarity\": 5, \"evidence\": 5}}, ")).collect::<String>();
        let list = format!("{{\"scores\": [{scores}");
        assert!(!heard_in(SpokenText::new(true), &list).0);
        let text = format!("{{\"verdict\": \"{}", "You will not discuss. ".repeat(40));
        assert!(heard_in(SpokenText::new(true), &text).0);
    }

    #[test]
    fn a_text_that_says_the_same_over_and_over_is_kept_up_to_its_first_round() {
        let begin = "The bridge pays for itself. ";
        for round in [
            "It is time. ",
            "### 48. What is a debate about? ",
            "橋は必要だ。 ",
            "a ",
            &"So many words in a long round. ".repeat(9),
        ] {
            let (circles, kept) = heard(&format!("{begin}{}", round.repeat(400)));
            assert!(circles, "{round}");
            assert!(kept.starts_with(begin) && kept.len() <= begin.len() + 2 * round.len() + LEAST_CIRCLE, "{kept}");
        }
    }

    #[test]
    fn lists_tables_rules_and_refrains_are_no_circles() {
        let list =
            (1..40).map(|n| format!("{n}. {}. ", char::from(b'a' + n % 26).to_string().repeat(12))).collect::<String>();
        let table = (1..40).map(|n| format!("| {n} | {} | yes | no |\n", n * 7)).collect::<String>();
        let places =
            ["the beaches", "landing grounds", "the fields", "the streets", "the hills", "the seas", "the oceans"];
        let refrain = places
            .map(|place| format!("We shall fight on {place}. We shall never give up, whatever it costs. "))
            .concat();
        for text in [list, table, "-".repeat(999), "| --- | --- |".repeat(3), refrain] {
            assert_eq!(heard(&text), (false, text.clone()));
        }
    }

    #[test]
    fn half_of_a_speech_is_heard_at_the_end_of_a_sentence_if_one_comes_soon() {
        let ear = Ear::new(10);
        ear.hear("Twelve chars");
        assert!(!*ear.half.borrow());
        ear.hear(" and an end. ");
        assert!(*ear.half.borrow());

        let breathless = Ear::new(10);
        (0..SENTENCE_SOON + 9).for_each(|_| breathless.hear("x"));
        assert!(!*breathless.half.borrow());
        breathless.hear("x");
        assert!(*breathless.half.borrow());
    }
}
