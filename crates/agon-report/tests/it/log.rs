//! Writes logs as a coordinator would: one event a record, time moving on.
use agon_core::*;
use std::collections::BTreeMap;

/// 2 January 2026, 03:04:05.
pub const START: u64 = 1_767_323_045_000;

/// A log in the making.
pub struct Log {
    pub records: Vec<Record>,
    pub now: u64,
    position: u64,
    seats: BTreeMap<u32, u32>,
    /// What every call reports.
    pub usage: Usage,
    pub host: &'static str,
    pub rehearsal: bool,
    /// How long the next call waits for its model server, in milliseconds.
    pub away_ms: Option<u64>,
}

impl Log {
    pub fn admitted(spec: DebateSpec) -> Self {
        Self::admitted_as(spec, false)
    }
    pub fn admitted_as(spec: DebateSpec, rehearsal: bool) -> Self {
        let mut log = Self {
            records: Vec::new(),
            now: START,
            position: 0,
            seats: BTreeMap::new(),
            usage: Usage { prompt_tokens: Some(812), cached_tokens: Some(640), completion_tokens: Some(210) },
            host: "attic",
            rehearsal,
            away_ms: None,
        };
        let id = DebateId::parse("0198c0de-0000-7000-8000-000000000001").unwrap();
        let (seed, agon_version) = (424_242, "0.1.0".to_owned());
        log.push(Event::DebateAdmitted(Box::new(Admission {
            id,
            spec,
            seed,
            retry: RetryPolicy::default(),
            agon_version,
            request_id: None,
            rehearsal,
            priority: Default::default(),
            labels: Default::default(),
            creator: None,
            submitted_by: None,
            rejudges: None,
            history: Default::default(),
            recalled: None,
            feeds: Default::default(),
            ratings: Default::default(),
        })));
        log.push(Event::Claimed { writer: NodeId::new("node-1"), epoch: 1 });
        log
    }
    pub fn push(&mut self, event: Event) -> &mut Self {
        self.position += 1;
        let (first, at) = (Position(self.position), Timestamp(self.now));
        self.records.push(Record { first, at, epoch: 1, nonce: self.position, events: vec![event] });
        self
    }
    pub fn phase(&mut self, phase: PhaseName) -> &mut Self {
        self.push(Event::PhaseEntered { phase })
    }
    pub fn place(&mut self, who: &str) -> &mut Self {
        let digest = Some("a2af6cc3eb7f".to_owned());
        let (host, model) = (self.host.to_owned(), model_of(who));
        self.push(Event::ParticipantPlaced { participant: who.into(), host, model, digest })
    }
    pub fn round(&mut self, round: u32, speakers: &[&str]) -> &mut Self {
        let speakers = speakers.iter().map(|name| ParticipantId::from(*name)).collect();
        self.push(Event::RoundOpened { round, speakers, briefing: None, new_angle: None })
    }
    /// Asks, and lets the time of the answer pass.
    pub fn ask(&mut self, round: u32, who: &str, task: Task) -> (TurnId, Box<Call>) {
        let seat = self.seats.entry(round).or_default();
        let turn = TurnId { round, seat: *seat, attempt: 1 };
        *seat += 1;
        (turn, self.ask_again(turn, who, task))
    }
    pub fn ask_again(&mut self, turn: TurnId, who: &str, task: Task) -> Box<Call> {
        let long = 1_700 + 900 * u64::from(turn.round) + 350 * u64::from(turn.seat);
        let deadline = Timestamp(self.now + 90_000);
        let ask = Ask {
            turn,
            participant: who.into(),
            model: model_of(who),
            task,
            sees: Position(self.position),
            deadline,
            correction: None,
            kept: false,
        };
        self.push(Event::TurnAsked(ask));
        self.now += 12 + long + self.away_ms.unwrap_or(0);
        Box::new(Call {
            host: Some(self.host.to_owned()),
            model: Some(model_of(who)),
            answered_by: None,
            digest: Some("a2af6cc3eb7f".to_owned()),
            prompt_hash: Some(format!("{:0>16}", turn.to_string())),
            options: CallOptions {
                temperature: Some(0.7),
                seed: Some(7 + u64::from(turn.seat)),
                max_tokens: Some(1024),
                ..CallOptions::default()
            },
            usage: self.usage,
            timing: Timing {
                queue_ms: Some(12),
                load_ms: None,
                prefill_ms: Some(300),
                decode_ms: Some(long - 420),
                first_byte_ms: Some(400),
                total_ms: Some(long),
                away_ms: self.away_ms.take(),
            },
            finish_reason: Some("stop".to_owned()),
            tools: Vec::new(),
            coerced: Vec::new(),
            checks: Vec::new(),
            rehearsal: self.rehearsal,
        })
    }
    pub fn speak(&mut self, round: u32, who: &str, stance: Option<&str>, kind: SpeechKind, text: &str) -> TurnId {
        let task = match kind {
            SpeechKind::Opening => Task::Opening,
            SpeechKind::Closing => Task::Closing,
            SpeechKind::Revision => Task::Revise { critics: Vec::new() },
            SpeechKind::Argument => argument(),
            speech => Task::Statement { speech, guidance: Guidance::default(), to: None, about: None },
        };
        let (turn, call) = self.ask(round, who, task);
        self.spoke(turn, who, stance, kind, text, call);
        turn
    }
    pub fn spoke(
        &mut self,
        turn: TurnId,
        who: &str,
        stance: Option<&str>,
        kind: SpeechKind,
        text: &str,
        call: Box<Call>,
    ) -> &mut Self {
        let (participant, stance, text) = (who.into(), stance.map(str::to_owned), text.into());
        let (to, bench, answer, cut_by, neutralised) = (None, None, None, None, 0);
        let (accepted, declined) = (Vec::new(), Vec::new());
        self.push(Event::SpeechRecorded(Speech {
            turn,
            participant,
            stance,
            kind,
            text,
            to,
            bench,
            answer,
            accepted,
            declined,
            cut_by,
            neutralised,
            call,
        }))
    }
    /// A speech of which more is known than its words.
    pub fn speak_as(
        &mut self,
        round: u32,
        who: &str,
        kind: SpeechKind,
        text: &str,
        more: impl FnOnce(&mut Speech),
    ) -> TurnId {
        let stance = self.spec().persona(&who.into()).and_then(|persona| persona.stance.clone());
        let turn = self.speak(round, who, stance.as_deref(), kind, text);
        let last = self.records.last_mut().unwrap().events.last_mut();
        let Some(Event::SpeechRecorded(speech)) = last else { panic!("a speech") };
        more(speech);
        turn
    }
    pub fn spec(&self) -> &DebateSpec {
        let Event::DebateAdmitted(admission) = &self.records[0].events[0] else { panic!("an admission") };
        &admission.spec
    }
    /// Asks, and records what came of it.
    pub fn done(&mut self, round: u32, who: &str, task: Task, made: impl FnOnce(TurnId, Box<Call>) -> Event) -> TurnId {
        let (turn, call) = self.ask(round, who, task);
        self.push(made(turn, call));
        turn
    }
    pub fn ballot(&mut self, round: u32, stage: BallotStage, who: &str, choice: &str, reason: &str) -> &mut Self {
        let (turn, call) = self.ask(round, who, Task::Ballot { stage, choices: Vec::new() });
        let (participant, choice, reasons) = (who.into(), choice.to_owned(), vec![reason.to_owned()]);
        self.push(Event::BallotCast { turn, stage, participant, choice, reasons, confidence: None, call })
    }
    pub fn vote(&mut self, round: u32, who: &str, choice: &str, reason: &str) -> &mut Self {
        let (turn, call) = self.ask(round, who, Task::Vote { candidates: Vec::new(), form: BallotForm::Single });
        let (participant, choice, reasons) = (who.into(), choice.to_owned(), vec![reason.to_owned()]);
        self.push(Event::VoteCast { turn, participant, choice, choices: Vec::new(), reasons, confidence: None, call })
    }
    pub fn moderate(&mut self, round: u32, decision: ModeratorDecision) -> &mut Self {
        let task = match decision {
            ModeratorDecision::Opens(_) => Task::OpenRound,
            ModeratorDecision::Closes(_) => Task::CloseRound,
        };
        let (turn, call) = self.ask(round, MODERATOR, task);
        self.push(Event::ModeratorDecided { turn, decision, fallback: false, call: Some(call) })
    }
    pub fn fail(
        &mut self,
        turn: TurnId,
        who: &str,
        mut call: Box<Call>,
        failure: Failure,
        retry_ms: Option<u64>,
    ) -> &mut Self {
        call.usage = Usage::default();
        call.finish_reason = None;
        let retry_at = retry_ms.map(|ms| Timestamp(self.now + ms));
        self.push(Event::TurnFailed { turn, participant: who.into(), failure, retry_at, call });
        self.now += retry_ms.unwrap_or(0);
        self
    }
    pub fn judge(
        &mut self,
        round: u32,
        order: u32,
        winner: Option<&str>,
        reasoning: &str,
        citations: Vec<Citation>,
    ) -> &mut Self {
        let (turn, call) = self.ask(round, JUDGE, Task::Judge { order, candidates: Vec::new() });
        self.push(Event::JudgementRecorded {
            turn,
            judge: JUDGE.into(),
            order,
            verdict: winner.map_or_else(|| "Do both.".to_owned(), |winner| format!("{winner}, and say so by spring.")),
            winner: winner.map(str::to_owned),
            reasoning: reasoning.to_owned(),
            citations,
            open_objections: Vec::new(),
            call,
        })
    }
    pub fn stop(&mut self, rule: StopRule, round: u32) -> &mut Self {
        self.push(Event::LoopEnded { rule, round, warning: None })
    }
    /// Ends the debate with the sums of all calls so far.
    pub fn end(
        &mut self,
        state: DebateState,
        outcome: Option<Outcome>,
        reason: Option<Reason>,
        missing_seats: Vec<MissingSeat>,
    ) -> &mut Self {
        let mut usage = UsageTotals::default();
        for event in self.records.iter().flat_map(|record| &record.events) {
            let value = serde_json::to_value(event).unwrap();
            if let Some(call) = value.get("call").filter(|call| !call.is_null()) {
                usage.add(&serde_json::from_value::<Call>(call.clone()).unwrap().usage);
            }
        }
        self.push(Event::DebateEnded { state, outcome, reason, usage, missing_seats })
    }
}

pub fn argument() -> Task {
    Task::Argument { guidance: Guidance::default(), to: None, bench: None }
}

fn model_of(who: &str) -> ModelName {
    let model = match who {
        MODERATOR | JUDGE => "qwen3:8b",
        "Bruno" => "llama3.2:3b",
        _ => "gemma3:4b",
    };
    ModelName::new(model)
}

pub fn voice(who: &str) -> Voice {
    Voice {
        model: model_of(who),
        temperature: Some(0.7),
        top_p: None,
        presence_penalty: None,
        max_tokens: 1024,
        think: None,
        num_ctx: None,
        fallback_models: Vec::new(),
    }
}

pub fn persona(name: &str, stance: Option<&str>, role: &str) -> Persona {
    Persona {
        name: name.into(),
        stance: stance.map(str::to_owned),
        role: Some(role.to_owned()),
        system_prompt: None,
        instructions: None,
        voice: voice(name),
        style: None,
        tone: None,
        language: None,
        priority: 0,
        sees: None,
        hidden_from: Vec::new(),
        reflection: false,
        evolution: false,
        weight: None,
        elo: None,
        calibration: None,
        tools: Vec::new(),
    }
}

fn moderator() -> Moderator {
    Moderator {
        opens: true,
        closes: true,
        interjects: false,
        warns: false,
        clarifies: false,
        reflects: false,
        scores: false,
        researches: false,
        reconciles: false,
        concludes: false,
        interject: Interject::default(),
        summary_style: SummaryStyle::default(),
        tools: Vec::new(),
        instructions: None,
        voice: voice(MODERATOR),
    }
}

/// A judged debate with a moderator.
pub fn spec(topic: &str, personas: Vec<Persona>) -> DebateSpec {
    DebateSpec {
        topic: topic.to_owned(),
        context: None,
        materials: None,
        mode: Mode::Adversarial,
        debate_format: DebateFormat::RoundRobin,
        format: FormatOptions::default(),
        max_rounds: 2,
        personas,
        turn_mode: TurnMode::RoundRobin,
        visibility: Visibility::Sequential,
        context_scope: ContextScope::FullLog,
        memory: Memory::AppendAll,
        windows: Windows::default(),
        summarizer: None,
        history_limit: 0,
        failed_arguments: 0,
        feeds: Vec::new(),
        answers: Default::default(),
        verifiers: Vec::new(),
        phases: Phases {
            opening_statements: true,
            final_statements: true,
            rebuttals: false,
            analysis: true,
            feedback: true,
        },
        moderator: Some(moderator()),
        consensus_strategy: ConsensusStrategy::Judge,
        judge: Some(Judge {
            orders: 2,
            anonymize_transcript: true,
            shuffle_for_judge: true,
            panel: 1,
            panel_models: Vec::new(),
            ends_rounds: false,
            instructions: None,
            voice: voice(JUDGE),
        }),
        voting: None,
        ballots: Ballots::Both,
        end_condition: vec![EndCondition::RoundsExhausted],
        terminate_when: None,
        similarity: Similarity::default(),
        timeout_per_turn_ms: 90_000,
        budget: Budget::default(),
        on_turn_failure: OnTurnFailure::Skip,
        quorum: Quorum::Majority,
        seed: None,
        agreement_intensity: None,
        language: None,
        instructions: None,
        synthesizer: None,
        tools: ToolLimits::default(),
        visible: Visible::default(),
        outputs: vec![Output::FullMarkdown],
        labels: BTreeMap::new(),
    }
}
