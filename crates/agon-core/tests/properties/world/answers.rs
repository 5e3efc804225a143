//! A good answer to every task.
use super::PropertyWorld;
use agon_core::*;

pub fn call() -> Box<Call> {
    let usage = Usage { prompt_tokens: Some(40), cached_tokens: None, completion_tokens: Some(20) };
    Box::new(Call { host: Some("h".into()), usage, ..Call::default() })
}

pub fn tool_use() -> ToolUse {
    let (tool, arguments) = ("search".to_owned(), "{}".to_owned());
    ToolUse { tool, arguments, result: None, error: Some("down".into()), truncated: false, duration_ms: 3 }
}

fn text(text: &str) -> Answer {
    Answer::Text { text: text.into() }
}

impl PropertyWorld<'_> {
    pub(super) fn answer(&mut self, ask: &Ask) -> Answer {
        let number = self.number();
        let Task { work, material } = &ask.task;
        match work {
            Work::Ballot { .. } | Work::Vote | Work::ScoreDebaters => self.ballot(&ask.task),
            Work::Opening | Work::Argument { .. } | Work::Statement { .. } | Work::Closing => {
                let said = match self.debate.spec().debate_format {
                    DebateFormat::ChainOfThought => steps_of(number),
                    _ => format!("Speech {number} on the matter"),
                };
                let text = format!("{said}\nMy answer: {}", self.own_answer(&ask.participant, number % 2));
                Answer::Speech { text: text.into(), cut: false, cut_at_limit: false }
            }
            Work::Bid { .. } => self.bid(),
            Work::AnswerPoints => {
                let points = material.points();
                let taken = points.get(number as usize % (points.len() + 1));
                let accepts = taken.map(|point| point.by.clone());
                Answer::PointReply(PointReply { reply: accepts.as_ref().map(|_| "I answer".into()), accepts })
            }
            Work::Critique { .. } => Answer::Critique(Critique {
                severity: (number % 11) as u8,
                issues: vec!["it is vague".into()],
                suggestions: vec![],
            }),
            Work::Revise => {
                let critics = material.critics();
                let (accepted, rest) = critics.split_at(number as usize % (critics.len() + 1));
                let decline = |critic: &ParticipantId| Declined { critic: critic.clone(), why: "no".into() };
                let declined = rest.iter().skip(number as usize % 2).map(decline).collect();
                let text = format!("Proposal {number}").into();
                Answer::Revision(Revision { text, accepted: accepted.to_vec(), declined })
            }
            Work::Reflect => Answer::Note(Note { next: Some("say it better".into()), ..Note::default() }),
            Work::OpenRound | Work::CloseRound | Work::Interject | Work::ScoreSpeeches => self.moderation(&ask.task),
            Work::Research => text("What I found"),
            Work::Conclude { conclusion: Conclusion::Decision } => {
                Answer::Conclusion { verdict: "v".into(), reasoning: "r".into() }
            }
            Work::Conclude { .. } => text("All in all"),
            Work::Summarise => text("So far"),
            Work::Measure => Answer::Measures(self.measures()),
            Work::EnoughSaid => Answer::Enough { enough: number.is_multiple_of(5), reasoning: "r".into() },
            Work::Judge { .. } => {
                let candidates = material.candidates();
                let wanted = self.debate.spec().wants_winner(candidates);
                let named = (wanted || !number.is_multiple_of(3)) && !candidates.is_empty();
                let winner = named.then(|| candidates[0].clone());
                let winner = winner.or_else(|| wanted.then(|| self.own_answer(&ask.participant, number % 2)));
                let citations = vec![CitedEntry { entry: 1, quote: "Speech".into() }];
                let open_objections = if number.is_multiple_of(4) { vec!["the cost".into()] } else { vec![] };
                let (verdict, reasoning) = ("v".into(), "r".into());
                Answer::Judgement(Judgement { verdict, winner, reasoning, citations, open_objections })
            }
            Work::Rank { .. } => {
                let ranked = |candidate| Ranked { candidate, reason: "r".into() };
                Answer::Ranking(self.permuted(material.candidates()).into_iter().map(ranked).collect())
            }
            Work::Synthesise => {
                let problems = if number.is_multiple_of(4) { vec!["no title".into()] } else { vec![] };
                Answer::Synthesis(Synthesis { text: "{}".into(), output: None, problems })
            }
        }
    }

    /// An answer to the topic that may be given, in one of its spellings.
    fn own_answer(&self, who: &ParticipantId, number: u32) -> String {
        let spec = self.debate.spec();
        let stance = spec.persona(who).and_then(|persona| persona.stance.clone());
        match spec.answer.as_ref().map(|form| form.kind) {
            Some(AnswerKind::Number) => ["0.50", "1/2", "1,000"][number as usize].to_owned(),
            Some(AnswerKind::Choice) if spec.mode == Mode::Adversarial => stance.unwrap_or_else(|| "A".to_owned()),
            Some(AnswerKind::Choice) => ["(a)", "answer 1.", "Option C"][number as usize].to_owned(),
            Some(AnswerKind::Text) | None => format!("Answer {number}."),
        }
    }

    fn ballot(&mut self, task: &Task) -> Answer {
        let number = self.number();
        let pick = |choices: &[String]| choices[number as usize % choices.len()].clone();
        let (choices, candidates) = (task.material.choices(), task.material.candidates());
        match &task.work {
            Work::Ballot { .. } if choices.is_empty() => {
                let choice = self.own_answer(&"".into(), number % 3);
                Answer::Choice { choice, reasons: vec![], confidence: None }
            }
            Work::Ballot { .. } => {
                Answer::Choice { choice: pick(choices), reasons: vec!["r".into()], confidence: None }
            }
            Work::Vote => match task.material.form() {
                BallotForm::Single => Answer::Choice { choice: pick(candidates), reasons: vec![], confidence: None },
                BallotForm::Ranking => {
                    Answer::Choices { choices: self.permuted(candidates), reasons: vec![], confidence: None }
                }
                BallotForm::Approval => {
                    let kept = 1 + number as usize % candidates.len();
                    let choices = self.permuted(candidates).into_iter().take(kept).collect();
                    Answer::Choices { choices, reasons: vec![], confidence: None }
                }
                BallotForm::Scores => panic!("scores are another task"),
            },
            Work::ScoreDebaters => {
                let score = |at: u32| Score { clarity: ((number + at) % 11) as u8, ..Score::default() };
                let of = |(at, (debater, _)): (u32, &(ParticipantId, String))| DebaterScore {
                    debater: debater.clone(),
                    score: score(at),
                };
                Answer::DebaterScores((0..).zip(task.material.debaters()).map(of).collect())
            }
            other => panic!("{other:?} is no ballot"),
        }
    }

    fn bid(&mut self) -> Answer {
        let number = self.number();
        let personas = &self.debate.spec().personas;
        let to = number.is_multiple_of(3).then(|| personas[number as usize % personas.len()].name.clone());
        let text = (!number.is_multiple_of(5)).then(|| "What of the cost?".into());
        Answer::Bid(Bid { urgency: (number % 11) as u8, to, text })
    }

    fn moderation(&mut self, task: &Task) -> Answer {
        let number = self.number();
        let names: Vec<ParticipantId> =
            self.debate.spec().personas.iter().map(|persona| persona.name.clone()).collect();
        let name = |n: u32| names[n as usize % names.len()].clone();
        let midway = self.debate.spec().moderator.as_ref().is_some_and(Moderator::sums_up_midway);
        match &task.work {
            Work::OpenRound => Answer::RoundPlan(RoundPlan {
                next_speakers: (0..1 + number % 3).map(name).collect(),
                briefing: Some("b".into()),
                new_angle: None,
                done: number.is_multiple_of(5),
            }),
            Work::CloseRound => {
                let status = if number.is_multiple_of(4) { RoundStatus::Settled } else { RoundStatus::Continue };
                let decision = number.is_multiple_of(3).then(|| format!("decision {number}"));
                Answer::RoundSummary(RoundSummary {
                    summary: "s".into(),
                    status,
                    decision,
                    vote_now: number.is_multiple_of(7),
                })
            }
            Work::Interject => {
                let remarks = |many: u32| {
                    (0..many).map(|n| Remark { to: name(number + n), text: "and the cost?".into() }).collect()
                };
                Answer::Interjection(Interjection {
                    comment: (midway || number.is_multiple_of(2)).then(|| "To the point".into()),
                    warnings: remarks(number % 2),
                    questions: remarks(number % 7),
                    revisions: remarks(number % 3),
                })
            }
            Work::ScoreSpeeches => {
                let score = |speech: &TurnId| SpeechScore { speech: *speech, score: Score::default(), comment: None };
                Answer::SpeechScores(task.material.speeches().iter().map(score).collect())
            }
            other => panic!("{other:?} is not the moderator's"),
        }
    }

    fn measures(&mut self) -> Measures {
        let mut figure = || f64::from(self.number() % 5) / 4.0;
        let (agreement, stability) = (Some(figure()), Some(figure()));
        let mut of = |name: &str| Figure { participant: name.into(), value: figure() };
        let (stable, known) = (vec![of("P0"), of("P1")], vec![of("P0")]);
        Measures { agreement, stability, stable, known, by_answers: false, method: Method::Embeddings }
    }

    fn permuted(&mut self, of: &[String]) -> Vec<String> {
        let mut of = of.to_vec();
        seed::Dice::new(u64::from(self.number()), seed::Purpose::Order, 1).shuffle(&mut of);
        of
    }
}

fn steps_of(number: u32) -> String {
    format!("1. Claim: {number} pays\n2. Evidence: it did\n3. Inference: it will\n4. Conclusion: so do it")
}
