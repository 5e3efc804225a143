//! Counting answers.
use crate::Question;

/// What a vote among answers comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SampleVote<'a> {
    /// The answers that share the first place, each as it was first given.
    pub top: Vec<&'a str>,
    /// How many votes each of them has.
    pub votes: u32,
    /// All votes.
    pub cast: u32,
    /// What they score; each has its share. Absent where only a grader can say.
    pub score: Option<f64>,
}

impl SampleVote<'_> {
    /// Whether all votes are for one answer.
    pub fn is_unanimous(&self) -> bool {
        self.votes == self.cast && self.cast > 0
    }
}

/// The vote among these answers, which are counted by their form.
pub(super) fn vote_of<'a>(question: &Question, answers: impl Iterator<Item = &'a str>) -> SampleVote<'a> {
    let mut counts: Vec<(String, &'a str, u32)> = Vec::new();
    let mut cast = 0;
    for answer in answers {
        cast += 1;
        let key = question.answer_key(answer);
        match counts.iter_mut().find(|(known, ..)| *known == key) {
            Some((_, _, votes)) => *votes += 1,
            None => counts.push((key, answer, 1)),
        }
    }
    let votes = counts.iter().map(|(_, _, votes)| *votes).max().unwrap_or(0);
    let top: Vec<&str> = counts.iter().filter(|(_, _, count)| *count == votes).map(|(_, answer, _)| *answer).collect();
    let score = if top.is_empty() { None } else { question.shared(top.iter().copied()) };
    SampleVote { top, votes, cast, score }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Gold;
    use agon_core::Tolerance;

    /// A question with one right number.
    pub(in crate::result) fn two_and_two() -> Question {
        Question {
            id: "q".to_owned(),
            text: "2 + 2?".to_owned(),
            options: Vec::new(),
            context: None,
            gold: Gold::Number { answers: vec![4.0], tolerance: Tolerance::Exact },
            category: None,
            group: None,
        }
    }

    #[test]
    fn equal_answers_are_one_and_a_shared_first_place_scores_its_share() {
        let question = two_and_two();
        let of = |answers: &[&'static str]| vote_of(&question, answers.iter().copied());
        assert_eq!(of(&["4", "5", "4.0"]), SampleVote { top: vec!["4"], votes: 2, cast: 3, score: Some(1.0) });
        assert_eq!(of(&["4", "5", "6"]).score, Some(1.0 / 3.0));
        assert_eq!(of(&["5"]).score, Some(0.0));
        assert_eq!(of(&[]), SampleVote::default());
        assert!(of(&["4", "8/2"]).is_unanimous() && !of(&["4", "5"]).is_unanimous());
    }
}
