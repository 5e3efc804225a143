//! The debate as debaters know it who do not know each other by name: what they are shown bears labels in the place of names, and what
//! they answer with labels is read as names again.
use agon_core::{
    Admission, Answer, Answered, Ask, Call, Critique, DebateSpec, Declined, Event, Given, Guidance, Interjection,
    ModeratorDecision, ParticipantId, Point, PointReply, Remark, RoundPlan, RoundSummary, Sight, Speech, Task, Work,
    rename, renamed,
};
use std::sync::Arc;

/// How each debater is called.
pub(crate) struct Masks {
    /// Name and label, longer names first.
    names: Vec<(ParticipantId, ParticipantId)>,
}

impl Masks {
    /// The labels of a debate whose debaters do not know each other by name; none where they do.
    pub(crate) fn of(spec: &DebateSpec) -> Option<Self> {
        if spec.visible.names {
            return None;
        }
        let mut names: Vec<(ParticipantId, ParticipantId)> = (1_u32..)
            .zip(&spec.personas)
            .map(|(number, persona)| (persona.name.clone(), ParticipantId::new(format!("Debater {number}"))))
            .collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.as_str().len()));
        Some(Self { names })
    }

    fn name(&self, name: &ParticipantId) -> ParticipantId {
        let known = self.names.iter().find(|(known, _)| known == name);
        known.map_or_else(|| name.clone(), |(_, label)| label.clone())
    }
    fn names(&self, names: &[ParticipantId]) -> Vec<ParticipantId> {
        names.iter().map(|name| self.name(name)).collect()
    }
    fn maybe(&self, name: &Option<ParticipantId>) -> Option<ParticipantId> {
        name.as_ref().map(|name| self.name(name))
    }
    fn text(&self, text: &str) -> String {
        let names: Vec<(&str, &str)> = self.names.iter().map(|(name, label)| (name.as_str(), label.as_str())).collect();
        rename(text, &names)
    }
    /// What a debater says, with names again for labels.
    fn said(&self, text: &str) -> String {
        let labels = self.names.iter().map(|(name, label)| (label.as_str(), name.as_str())).collect::<Vec<_>>();
        rename(text, &labels)
    }
    fn shared(&self, text: &Option<Arc<str>>) -> Option<Arc<str>> {
        text.as_deref().map(|text| self.text(text).into())
    }
    fn owned(&self, text: &Option<String>) -> Option<String> {
        text.as_deref().map(|text| self.text(text))
    }
    fn texts(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.text(text)).collect()
    }
    fn choices(&self, names: &[String]) -> Vec<String> {
        names.iter().map(|name| self.name(&name.as_str().into()).to_string()).collect()
    }

    pub(crate) fn admission(&self, admission: &Admission) -> Admission {
        Admission { spec: self.spec(&admission.spec), ..admission.clone() }
    }

    /// The spec with labels for names, in which nothing is left to be masked.
    pub(crate) fn spec(&self, spec: &DebateSpec) -> DebateSpec {
        let mut spec = spec.clone();
        spec.visible.names = true;
        spec.format.hub = self.maybe(&spec.format.hub);
        for persona in &mut spec.personas {
            persona.name = self.name(&persona.name);
            persona.hidden_from = self.names(&persona.hidden_from);
            for sight in persona.sees.iter_mut().flatten() {
                if let Sight::Persona(name) = sight {
                    *name = self.name(name);
                }
            }
        }
        spec
    }

    pub(crate) fn ask(&self, ask: &Ask, spec: &DebateSpec) -> Ask {
        Ask { participant: self.name(&ask.participant), task: self.task(&ask.task, spec), ..ask.clone() }
    }

    fn guidance(&self, guidance: &Guidance) -> Guidance {
        Guidance {
            briefing: self.shared(&guidance.briefing),
            new_angle: self.shared(&guidance.new_angle),
            summary: self.shared(&guidance.summary),
        }
    }

    fn points(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|point| Point { by: self.name(&point.by), text: self.text(&point.text) }).collect()
    }

    fn task(&self, task: &Task, spec: &DebateSpec) -> Task {
        let Task { mut work, mut material } = task.clone();
        let (other, words) = work.others_mut();
        other.into_iter().for_each(|name| *name = self.name(name));
        words.into_iter().for_each(|words| *words = self.text(words).into());
        material.guidance = self.guidance(&material.guidance);
        let choices = material.choices.iter_mut().filter(|_| spec.ballots_on_proposals());
        let candidates = material.candidates.iter_mut().filter(|_| spec.elects_debaters());
        choices.chain(candidates).for_each(|names| *names = self.choices(names));
        material.points.iter_mut().for_each(|points| *points = self.points(points));
        material.critics.iter_mut().for_each(|names| *names = self.names(names));
        material.debaters.iter_mut().flatten().for_each(|(name, _)| *name = self.name(name));
        Task { work, material }
    }

    /// A debater's answer to a task, with the names that its labels stand for.
    pub(crate) fn unmasked(&self, task: &Task, answer: Answer, spec: &DebateSpec) -> Answer {
        let name = |label: ParticipantId| {
            let known = self.names.iter().find(|(_, known)| *known == label);
            known.map_or(label, |(name, _)| name.clone())
        };
        let elected = match task.work {
            Work::Ballot { .. } => spec.ballots_on_proposals(),
            _ => spec.elects_debaters(),
        };
        let choice = |choice: String| if elected { name(choice.as_str().into()).to_string() } else { choice };
        // what people read, and what goes back into prompts by `event`; notes are for their owners alone
        let said = |text: String| self.said(&text);
        let reasons_of = |reasons: Vec<String>| reasons.into_iter().map(said).collect();
        match answer {
            Answer::Speech { text, cut, cut_at_limit } => {
                Answer::Speech { text: said(text.to_string()).into(), cut, cut_at_limit }
            }
            Answer::Choice { choice: one, reasons, confidence } => {
                Answer::Choice { choice: choice(one), reasons: reasons_of(reasons), confidence }
            }
            Answer::Choices { choices, reasons, confidence } => {
                let choices = choices.into_iter().map(choice).collect();
                Answer::Choices { choices, reasons: reasons_of(reasons), confidence }
            }
            Answer::Bid(bid) => Answer::Bid(agon_core::Bid { to: bid.to.map(name), ..bid }),
            Answer::PointReply(PointReply { accepts, reply }) => {
                Answer::PointReply(PointReply { accepts: accepts.map(name), reply: reply.map(said) })
            }
            Answer::Critique(critique) => Answer::Critique(Critique {
                issues: reasons_of(critique.issues),
                suggestions: reasons_of(critique.suggestions),
                ..critique
            }),
            Answer::Revision(mut revision) => {
                revision.text = said(revision.text.to_string()).into();
                revision.accepted = revision.accepted.into_iter().map(name).collect();
                let named = |one: Declined| Declined { critic: name(one.critic), why: said(one.why) };
                revision.declined = revision.declined.into_iter().map(named).collect();
                Answer::Revision(revision)
            }
            Answer::DebaterScores(mut scores) => {
                scores.iter_mut().for_each(|score| score.debater = name(score.debater.clone()));
                Answer::DebaterScores(scores)
            }
            answer @ (Answer::Text { .. }
            | Answer::RoundPlan(_)
            | Answer::RoundSummary(_)
            | Answer::Judgement(_)
            | Answer::Ranking(_)
            | Answer::Note(_)
            | Answer::Interjection(_)
            | Answer::SpeechScores(_)
            | Answer::Enough { .. }
            | Answer::Conclusion { .. }
            | Answer::Measures(_)
            | Answer::Synthesis(_)) => answer,
        }
    }

    /// An event as debaters may know it. Of those that no debater is shown anything of, nothing is changed.
    pub(crate) fn event(&self, event: &Event) -> Event {
        let mut event = event.clone();
        match &mut event {
            Event::Answered(answered) => self.answered(answered),
            Event::FallbackDecided { decision, .. } => *decision = self.decision(decision),
            Event::RoundOpened { speakers, briefing, new_angle, .. } => {
                *speakers = self.names(speakers);
                (*briefing, *new_angle) = (self.shared(briefing), self.shared(new_angle));
            }
            Event::ToolCalled { participant, .. } => *participant = self.name(participant),
            Event::DebateAdmitted(_)
            | Event::Claimed { .. }
            | Event::PhaseEntered { .. }
            | Event::ParticipantPlaced { .. }
            | Event::StageOpened { .. }
            | Event::TurnAsked(_)
            | Event::SpeechHeard { .. }
            | Event::RoundCompared { .. }
            | Event::TurnFailed { .. }
            | Event::SeatSkipped { .. }
            | Event::GateDecided { .. }
            | Event::LoopEnded { .. }
            | Event::VoteTallied { .. }
            | Event::VerdictReached { .. }
            | Event::DebateInterrupted { .. }
            | Event::DebateResumed { .. }
            | Event::CancelRequested { .. }
            | Event::DebateEnded { .. } => {}
        }
        event
    }

    fn answered(&self, answered: &mut Answered) {
        answered.participant = self.name(&answered.participant);
        match &mut answered.given {
            Given::Speech(speech) => self.speech(speech, &mut answered.call),
            Given::Critique { of, critique, .. } => {
                *of = self.name(of);
                let (issues, suggestions) = (self.texts(&critique.issues), self.texts(&critique.suggestions));
                *critique = Critique { issues, suggestions, ..critique.clone() };
            }
            Given::Points { points, reply } => {
                *points = self.points(points);
                *reply = PointReply { accepts: self.maybe(&reply.accepts), reply: self.owned(&reply.reply) };
            }
            Given::Decision { decision } => *decision = self.decision(decision),
            Given::Interjection(interjection) => *interjection = self.interjection(interjection),
            Given::Research { text } | Given::Conclusion { text, .. } | Given::Summary { text, .. } => {
                *text = self.text(text).into();
            }
            Given::Note(_)
            | Given::Ballot { .. }
            | Given::Bid { .. }
            | Given::Vote { .. }
            | Given::DebaterScores { .. }
            | Given::SpeechScores { .. }
            | Given::Measures { .. }
            | Given::Enough { .. }
            | Given::Judgement { .. }
            | Given::Ranking { .. }
            | Given::Synthesis(_) => {}
        }
    }

    fn speech(&self, speech: &mut Speech, call: &mut Call) {
        (speech.to, speech.cut_by) = (self.maybe(&speech.to), self.maybe(&speech.cut_by));
        speech.text = self.text(&speech.text).into();
        let names: Vec<(&str, &str)> = self.names.iter().map(|(name, label)| (name.as_str(), label.as_str())).collect();
        call.checks = renamed(&call.checks, &names);
    }

    fn decision(&self, decision: &ModeratorDecision) -> ModeratorDecision {
        match decision {
            ModeratorDecision::Opens(plan) => ModeratorDecision::Opens(RoundPlan {
                next_speakers: self.names(&plan.next_speakers),
                briefing: self.owned(&plan.briefing),
                new_angle: self.owned(&plan.new_angle),
                done: plan.done,
            }),
            ModeratorDecision::Closes(closing) => ModeratorDecision::Closes(RoundSummary {
                summary: self.text(&closing.summary),
                decision: self.owned(&closing.decision),
                ..closing.clone()
            }),
        }
    }

    fn interjection(&self, interjection: &Interjection) -> Interjection {
        let remark = |remark: &Remark| Remark { to: self.name(&remark.to), text: self.text(&remark.text) };
        let remarks = |remarks: &[Remark]| remarks.iter().map(remark).collect();
        Interjection {
            comment: self.owned(&interjection.comment),
            warnings: remarks(&interjection.warnings),
            questions: remarks(&interjection.questions),
            revisions: remarks(&interjection.revisions),
        }
    }
}

/// The ask as it is told to a debater outside: its own name stays, and others have those by which it knows them.
pub fn shown_ask(spec: &DebateSpec, ask: &Ask) -> Ask {
    match Masks::of(spec).filter(|_| spec.persona(&ask.participant).is_some()) {
        Some(masks) => Ask { participant: ask.participant.clone(), ..masks.ask(ask, spec) },
        None => ask.clone(),
    }
}
