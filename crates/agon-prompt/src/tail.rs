//! The changing end of a prompt: who you are, what you are to do, how.
mod debater;
mod judge;
mod moderator;
mod service;
mod tool_results;

pub(crate) use debater::debater;
pub(crate) use judge::judge;
pub(crate) use moderator::moderator;
pub(crate) use service::{summarizer, synthesizer};
pub(crate) use tool_results::found;

use crate::head::instructions_vary;
use crate::tasks::is_number;
use crate::template::{self, fill, line};
use crate::text::{alternatives, known_choices, listed};
use crate::view::View;
use agon_core::fence::{Author, Fence, FenceKind, Foreign, Mark, Part, Reader, Written, YOUR_TURN};
use agon_core::{Ask, BallotForm, DebateSpec, Mode, ParticipantId, Think, Voice, Work};

/// What a turn quotes, inside a fence, and after the delimiter what it says, in sentences: who speaks, what is to be done, how. Whoever reads
/// this part alone knows what to write. No word from outside stands behind the delimiter.
struct Tail {
    mark: Mark,
    quoted: Written,
    own: Written,
}

/// The longest question that a turn repeats, in characters.
const LONGEST_QUESTION: usize = 300;

impl Tail {
    fn new(view: &View, ask: &Ask, who: &Written) -> Self {
        let mut tail = Self { mark: mark(view, ask), quoted: Written::default(), own: Written::default() };
        tail.own.push(YOUR_TURN);
        tail.own.push("\n");
        tail.say("You are {{who}}.", who);
        tail
    }
    /// The question, which stands at the top of the prompt too.
    fn question(&mut self, spec: &DebateSpec) {
        let topic = Author::of(spec, |spec| Some(&spec.topic)).map(Author::on_one_line);
        let short = topic.filter(|topic| Part::from(topic).chars() <= LONGEST_QUESTION);
        self.maybe("The question is: {{question}}", short);
    }
    /// Which round it is, as long as there are rounds.
    fn round(&mut self, view: &View, ask: &Ask) {
        let on = ask.turn.round > 0 && view.facts.in_rounds(ask.sees);
        let round = on.then(|| Written::joined([ask.turn.round, view.spec.max_rounds], " of "));
        self.maybe("This is round {{round}}.", round);
    }
    /// Adds a sentence, with the one value that it has.
    fn say<'p>(&mut self, sentence: &'static str, value: impl Into<Part<'p>>) {
        let value = value.into().on_one_line();
        let name = sentence.split_once("{{").and_then(|(_, rest)| rest.split_once("}}")).map_or("", |(name, _)| name);
        self.own.push(fill(sentence, &[(name, value)]));
        self.own.push("\n");
    }
    fn maybe<'p>(&mut self, sentence: &'static str, value: Option<impl Into<Part<'p>>>) {
        if let Some(value) = value {
            self.say(sentence, value);
        }
    }
    /// Adds words from outside to what the turn quotes.
    fn quoted(&mut self, key: &'static str, words: Option<Foreign<'_>>) {
        if let Some(words) = words {
            Fence::within(&mut self.quoted, &self.mark).ours(key).ours(": ").line(&words).ours("\n");
        }
    }
    /// The same for words of one of several, whom the key names.
    fn quoted_of(&mut self, key: &'static str, who: &Foreign<'_>, words: &Foreign<'_>) {
        let mut fence = Fence::within(&mut self.quoted, &self.mark);
        fence.ours(key).ours(" ").line(who).ours(": ").line(words).ours("\n");
    }
    /// Adds the answers that stand for election to what the turn quotes, where voters wrote some of them: those are not named elsewhere.
    fn candidates(&mut self, view: &View, candidates: &[String]) {
        if known_choices(view, candidates).is_none() {
            candidates.iter().for_each(|candidate| self.quoted("Candidate", Some(Foreign::new(candidate.as_str()))));
        }
    }
    fn paragraph<'p>(&mut self, text: impl Into<Part<'p>>) {
        self.own.push("\n");
        self.own.push(text.into().trimmed());
        self.own.push("\n");
    }
    /// The same for lines that belong together, if there are some.
    fn lines(&mut self, lines: &[Written]) {
        if !lines.is_empty() {
            self.paragraph(Written::joined(lines, "\n"));
        }
    }
    /// What tools there are, if there are some.
    fn tools(&mut self, view: &View, tools: &[Author<'_>]) {
        if !tools.is_empty() {
            let named = Written::joined(tools.iter().map(|tool| tool.on_one_line()), ", ");
            let calls = view.spec.tools.max_calls_per_turn.into();
            self.paragraph(fill(template::TOOLS, &[("calls", calls), ("tools", named.into())]));
        }
    }
    /// The author's instructions, on a further try what was wrong with the last one, and what the answer looks like.
    fn close(
        mut self,
        instructions: [Option<Author<'_>>; 2],
        values: &Values<'_>,
        (ask, form): (&Ask, &[Written]),
    ) -> Written {
        for text in instructions.into_iter().flatten() {
            self.paragraph(values.fill(text));
        }
        if let Some(correction) = &ask.correction {
            self.quoted("What was wrong with your last answer", Some(Foreign::new(correction.as_str())));
            self.paragraph(line(template::CORRECTION, 0));
        }
        let single = matches!(ask.task.material.form(), BallotForm::Single)
            && matches!(ask.task.work, Work::Ballot { .. } | Work::Vote);
        let mut form = form.to_vec();
        if ask.correction.is_some() && single {
            form.push(fill(line(template::CORRECTION, 1), &[]));
        }
        self.lines(&form);
        let mut all = Written::default();
        if !Part::from(&self.quoted).is_empty() {
            let mut fence = Fence::open(&mut all, FenceKind::Task, &self.mark);
            fence.ours(&self.quoted);
            fence.close(FenceKind::Task);
            all.push("\n\n");
        }
        all.push(self.own);
        all
    }
}

/// How long a text may be, as the form of an answer, and how one begins that argues.
fn at_most(words: u32, argues: bool) -> Written {
    fill(line(template::SPEAK_NOW, usize::from(argues)), &[("words", words.into())])
}

/// The example of an object, as the form of an answer; nothing where the answer is no object.
fn like(example: Option<Written>) -> Vec<Written> {
    example.map_or_else(Vec::new, |example| vec![fill(template::ANSWER_NOW, &[]), example])
}

/// The line that ends a speech and states an answer, and the one that says how sure its speaker is.
fn stated_answer(view: &View, ask: &Ask) -> Written {
    let (spec, work) = (&view.spec, &ask.task.work);
    let known =
        || spec.options()?.iter().map(|option| Written::known(spec, view.seed, option)).collect::<Option<Vec<_>>>();
    let form = match (spec.mode, known().map(|options| alternatives(&options)), is_number(spec)) {
        (Mode::Deliberative, Some(choices), _) => fill(template::MY_OPTION, &[("choices", choices.into())]),
        (Mode::Deliberative, None, true) => fill(template::MY_NUMBER, &[]),
        (Mode::Deliberative, None, false) => fill(template::MY_ANSWER, &[]),
        (Mode::Adversarial, Some(choices), _) => fill(template::MY_SIDE, &[("choice", choices.into())]),
        (Mode::Adversarial, None, true) => fill(template::MY_SIDE, &[("choice", line(template::CHOICE, 2).into())]),
        (Mode::Adversarial, None, false) => fill(template::MY_POSITION, &[]),
    };
    let end = fill(line(template::STATED_ANSWER, usize::from(*work == Work::Revise)), &[]);
    let sure = spec.asks_confidence_of(work).then(|| fill(template::MY_CONFIDENCE, &[]));
    Written::joined([end, form].into_iter().chain(sure), "\n")
}

/// How much agreement is sought. 0 and 10 have a wording of their own, the rest comes in three grades.
fn agreement(spec: &DebateSpec, wording: &'static str) -> Option<Written> {
    let intensity = spec.agreement_intensity?;
    let grade = match intensity {
        0 => 0,
        1..=3 => 1,
        4..=6 => 2,
        7..=9 => 3,
        10.. => 4,
    };
    Some(fill(line(wording, grade), &[("intensity", intensity.into())]))
}

/// The mark of what a turn quotes: whoever wrote it never saw it.
pub(crate) fn mark(view: &View, ask: &Ask) -> Mark {
    Mark::new(view.seed, Reader::Turn(ask.turn))
}

/// The values that the author's own texts may use.
struct Values<'a> {
    topic: Option<Author<'a>>,
    round: u32,
    max_rounds: u32,
    name: Written,
    stance: Option<Author<'a>>,
    language: Option<Author<'a>>,
}
impl<'a> Values<'a> {
    /// Those of somebody without a stance, who speaks the debate's language.
    fn new(view: &'a View, ask: &Ask) -> Self {
        let spec: &DebateSpec = &view.spec;
        Self {
            topic: Author::of(spec, |spec| Some(&spec.topic)),
            round: ask.turn.round.min(spec.max_rounds),
            max_rounds: spec.max_rounds,
            name: view.called(&ask.participant),
            stance: None,
            language: Author::of(spec, |spec| spec.language.as_deref()),
        }
    }
    fn fill(&self, text: Author<'_>) -> Written {
        let maybe = |text: Option<Author<'a>>| text.map_or_else(|| Part::from(""), Part::from);
        Part::from(text).fill(&[
            ("topic", maybe(self.topic)),
            ("round", self.round.into()),
            ("max_rounds", self.max_rounds.into()),
            ("name", (&self.name).into()),
            ("stance", maybe(self.stance)),
            ("language", maybe(self.language)),
        ])
    }
}

/// The author's instructions to everybody, where they change with the turn; else the head has them.
fn instructions(spec: &DebateSpec) -> Option<Author<'_>> {
    Author::of(spec, |spec| spec.instructions.as_deref()).filter(|_| instructions_vary(spec))
}

/// The languages that debaters speak, where there is more than one; who names none speaks the debate's.
fn languages(spec: &DebateSpec) -> Option<Written> {
    let own = Author::of(spec, |spec| spec.language.as_deref());
    let mut spoken: Vec<Option<Author<'_>>> = Vec::new();
    for persona in &spec.personas {
        let language = Author::of(persona, |persona| persona.language.as_deref()).or(own);
        let is_same = |known: &Option<Author<'_>>| match (*known, language) {
            (Some(known), Some(language)) => known.is_like(language),
            (known, language) => known.is_none() && language.is_none(),
        };
        if !spoken.iter().any(is_same) {
            spoken.push(language);
        }
    }
    let named = |language: Option<Author<'_>>| {
        language.map_or_else(|| Part::from("that of the topic"), |own| own.on_one_line().into())
    };
    (spoken.len() > 1).then(|| Written::joined(spoken.into_iter().map(named), ", "))
}

/// The sentences on languages for those who do not debate.
fn staff_languages(tail: &mut Tail, spec: &DebateSpec) {
    tail.maybe("The debaters speak these languages: {{languages}}.", languages(spec));
    tail.maybe("Write in {{language}}.", Author::of(spec, |spec| spec.language.as_deref()));
}

/// What may be chosen: the first line of the template where there are choices, else the second.
fn choice_of(view: &View, template: &'static str, choices: &[String]) -> Written {
    let winner = template == template::WINNER;
    let wanted = winner && view.spec.wants_winner(choices);
    match known_choices(view, choices) {
        Some(known) => {
            let at = match (choices.is_empty(), is_number(&view.spec)) {
                (false, _) if wanted => 2,
                (false, _) => 0,
                (true, number) if wanted => 3 + usize::from(number),
                (true, true) if !winner => 2,
                (true, _) => 1,
            };
            fill(line(template, at), &[("choices", alternatives(&known).into())])
        }
        // what voters wrote is quoted, and named nowhere else
        None => fill(line(template::CANDIDATES, usize::from(winner && !wanted)), &[]),
    }
}

/// All that stand for election.
fn all_of(view: &View, choices: &[String]) -> Written {
    known_choices(view, choices).map_or_else(|| fill(line(template::CANDIDATES, 2), &[]), |known| listed(&known))
}

/// A length that ends well before the token limit does, in languages with two tokens a word too: three words for eight tokens, half of that
/// where thinking shares the limit.
fn words(voice: &Voice) -> u32 {
    let share = match voice.think {
        Some(Think::On | Think::Low | Think::Medium | Think::High) => 16,
        Some(Think::Off) | None => 8,
    };
    let words = voice.max_tokens.saturating_mul(3) / share;
    if words < 20 { words.max(1) } else { words - words % 10 }
}

/// The context that is counted with where the file names none, in tokens.
const USUAL_CONTEXT: u32 = 16_384;

/// How many bytes of a prompt the moderator's decisions may take in full: a quarter of the context, at 3.5 a token.
fn told_share(voice: &Voice) -> usize {
    voice.num_ctx.unwrap_or(USUAL_CONTEXT) as usize * 7 / 8
}

/// What may be chosen on a ballot or vote, and the debaters to be scored.
fn choosing(view: &View, ask: &Ask) -> Vec<Written> {
    let material = &ask.task.material;
    let may = |at: usize, key, choices: Written| {
        let choice = fill(line(template::MAY_CHOOSE, at), &[(key, choices.into())]);
        let sure = view.spec.answers.confidence && matches!(ask.task.work, Work::Ballot { .. } | Work::Vote);
        std::iter::once(choice).chain(sure.then(|| fill(template::CONFIDENCE, &[]))).collect()
    };
    let one = |template, choices: &[String]| choice_of(view, template, choices);
    let candidates = material.candidates();
    match (&ask.task.work, material.form()) {
        (Work::Ballot { .. }, _) => may(0, "choice", one(template::CHOICE, material.choices())),
        (Work::Vote, BallotForm::Single | BallotForm::Scores) => may(0, "choice", one(template::CHOICE, candidates)),
        (Work::Vote, BallotForm::Ranking) | (Work::Rank { .. }, _) => may(1, "choices", all_of(view, candidates)),
        (Work::Vote, BallotForm::Approval) => may(2, "choices", all_of(view, candidates)),
        (Work::Judge { .. }, _) => may(3, "choice", one(template::WINNER, candidates)),
        (Work::ScoreDebaters, _) => vec![scored(view, material.debaters())],
        // nothing is chosen
        (_, _) => Vec::new(),
    }
}

fn scored(view: &View, debaters: &[(ParticipantId, String)]) -> Written {
    let labels = debaters.iter().map(|(_, label)| view.called(&label.as_str().into()));
    fill(template::SCORED, &[("labels", Written::joined(labels, ", ").into())])
}
