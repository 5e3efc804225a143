//! Speeches that may be interrupted: the others hear the first half while it goes on, and whoever wants to may cut it.
use super::Play;
use crate::host::replica::read_answer;
use agon_core::{Admission, Answer, DebateSpec, Work, may_be_interrupted};
use agon_prompt::Reading;
use agon_proto::{Hint, SpeechHeard};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Characters of a speech that are heard for each token that it may have: a speech of the length that the prompt asks for
/// has about half of `max_tokens` in tokens, so that a quarter of them, at 3.5 characters each, is about half of the speech.
const HEARD_OF_8_TOKENS: usize = 7;
/// So many characters are waited for the end of a sentence.
const SENTENCE_SOON: usize = 160;
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

/// The text up to its last whole sentence; up to its last whole word where it has no whole sentence.
fn whole(text: &str) -> &str {
    let text = text.trim();
    let closes = |c: char| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '*' | '_');
    let ends = text.char_indices().rev().filter(|(_, c)| ENDS.contains(c)).find_map(|(at, c)| {
        let rest = text.get(at + c.len_utf8()..)?;
        let behind = rest.trim_start_matches(closes);
        let whole = behind.is_empty() || behind.starts_with(char::is_whitespace) || !c.is_ascii();
        whole.then(|| text.len() - behind.len())
    });
    let end = ends.or_else(|| text.rfind(char::is_whitespace)).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end()
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
        match read_answer(admission, &self.work.ask, &ear.so_far()) {
            Ok(Reading { answer: Answer::Speech { text, .. }, .. }) => Some(Answer::Speech { text, cut: true }),
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
