//! The part of a prompt that is the same at every turn of a debate, so that a model server evaluates it once: the system message, and what the
//! message of the user says before the transcript.
//!
//! Those who speak before anybody was heard share the system message with all others. After it they read the rules and the task of a first
//! speech alone, so that an opening of a debate and a sample of a poll are the same prompt.
mod rules;
mod tasks;

use crate::tasks::{argues, described, title};
use crate::template::{self, fill};
use agon_core::fence::{Author, Mark, Part, PromptText, Written};
use agon_core::{Admission, BallotStage, DebateSpec, SpeechKind, Task, Work};

/// What does not change for those who read it.
pub(crate) struct Head {
    /// The system message.
    pub(crate) system: PromptText,
    /// What the message of the user begins with.
    pub(crate) user: Written,
    /// The titles of the tasks that either describes.
    titles: Vec<&'static str>,
}

impl Head {
    /// What debaters and moderator read.
    pub(crate) fn debate(admission: &Admission, mark: &Mark) -> Self {
        let spec = &admission.spec;
        let (tasks, titles) = task_section(spec, template::TASKS, &tasks::of_debate(spec));
        let rules = rules::of_speeches(spec, admission.seed);
        let user = sections([Some(rules), tasks]);
        Self { system: system((template::SYSTEM, mark), admission, None), user, titles }
    }

    /// What judges read.
    pub(crate) fn judges(admission: &Admission, mark: &Mark) -> Self {
        let spec = &admission.spec;
        let (tasks, titles) = task_section(spec, template::JUDGE_TASKS, &tasks::of_judges(spec));
        Self { system: system((template::JUDGE_SYSTEM, mark), admission, tasks), user: Written::default(), titles }
    }

    /// What the summarizer reads.
    pub(crate) fn summarizer(admission: &Admission, mark: &Mark) -> Self {
        let (tasks, titles) = task_section(&admission.spec, template::TASKS, &[Work::Summarise.into()]);
        Self { system: system((template::SUMMARIZER_SYSTEM, mark), admission, tasks), user: Written::default(), titles }
    }

    /// What the synthesizer reads, whose one task is described when it is asked.
    pub(crate) fn synthesizer(admission: &Admission, mark: &Mark) -> Self {
        let system = system((template::SYNTHESIZER_SYSTEM, mark), admission, None);
        Self { system, user: Written::default(), titles: Vec::new() }
    }

    /// Whether what a task asks for stands here, or in the section that replaces this.
    pub(crate) fn describes(&self, spec: &DebateSpec, task: &Task) -> bool {
        has_own_section(spec, &task.work) || self.titles.contains(&title(spec, task))
    }
}

/// Whether debaters read another message of the user than the one with the roster and the transcript.
fn has_own_section(spec: &DebateSpec, work: &Work) -> bool {
    sees_nobody(spec, work) || *work == Work::ScoreDebaters
}

/// What debaters with another message read first, the same for all who have the same task.
pub(crate) fn own_section(spec: &DebateSpec, seed: u64, task: &Task) -> Written {
    let rules = argues(&task.work).then(|| rules::of_first_speeches(spec, seed));
    // who is asked, and what may be chosen, stands in the tail
    sections([rules, task_section(spec, template::TASKS, std::slice::from_ref(task)).0])
}

/// Openings, proposals and first ballots are given before anybody was heard: they mention nobody. First ballots on proposals come
/// after these.
pub(crate) fn sees_nobody(spec: &DebateSpec, work: &Work) -> bool {
    match work {
        Work::Ballot { stage: BallotStage::Initial } => !spec.ballots_on_proposals(),
        work => matches!(work, Work::Opening | Work::Statement { speech: SpeechKind::Proposal, .. }),
    }
}

/// Sections, each with an empty line after it.
fn sections(sections: [Option<Written>; 2]) -> Written {
    let mut all = Written::default();
    for section in sections.into_iter().flatten() {
        all.push(section);
        all.push("\n\n");
    }
    all
}

/// The descriptions of tasks under their titles; none where there are none.
fn task_section(spec: &DebateSpec, heading: &'static str, tasks: &[Task]) -> (Option<Written>, Vec<&'static str>) {
    let titles: Vec<&'static str> = tasks.iter().map(|task| title(spec, task)).collect();
    if titles.is_empty() {
        return (None, titles);
    }
    let mut section = fill(heading, &[]);
    for (title, task) in titles.iter().zip(tasks) {
        for part in ["\n\n\"", title, "\": "] {
            section.push(part);
        }
        section.push(described(spec, task));
    }
    (Some(section), titles)
}

fn system((rules, mark): (&'static str, &Mark), admission: &Admission, tasks: Option<Written>) -> PromptText {
    let spec = &admission.spec;
    let mut system = fill(rules, &[("marker", mark.into())]);
    if !spec.verifiers.is_empty() {
        system.push("\n");
        system.push(fill(template::CHECKED, &[]));
    }
    let mut push = |section: Written| {
        system.push("\n\n");
        system.push(section);
    };
    tasks.into_iter().for_each(&mut push);
    let texts = [
        ("# Topic\n", Author::of(spec, |spec| Some(&spec.topic))),
        ("# Context\n", Author::of(spec, |spec| spec.context.as_deref())),
        ("# Materials\n", Author::of(spec, |spec| spec.materials.as_deref())),
    ];
    for (title, text) in texts {
        if let Some(text) = text {
            push(Written::joined([title.into(), Part::from(text.trimmed())], ""));
        }
    }
    shared_instructions(spec).into_iter().for_each(&mut push);
    let foreign = [crate::view::feeds(&admission.feeds, mark), crate::view::history(&admission.history, mark)];
    foreign.into_iter().flatten().for_each(&mut push);
    system.push("\n");
    system.finished()
}

/// The author's instructions to everybody, where they are the same for everybody at every turn.
fn shared_instructions(spec: &DebateSpec) -> Option<Written> {
    let own = Author::of(spec, |spec| spec.instructions.as_deref()).filter(|_| !instructions_vary(spec))?;
    let topic = Author::of(spec, |spec| Some(&spec.topic)).map_or_else(|| Part::from(""), Part::from);
    let filled = Part::from(own).fill(&[("topic", topic), ("max_rounds", spec.max_rounds.into())]);
    let heading = fill(template::INSTRUCTIONS, &[]);
    Some(Written::joined([Part::from(&heading), Part::from(&filled).trimmed()], "\n"))
}

/// Whether the instructions to everybody say something else to each, or at each turn.
pub(crate) fn instructions_vary(spec: &DebateSpec) -> bool {
    let variables = spec.instructions.iter().flat_map(|text| text.split("{{").skip(1));
    let names = variables.filter_map(|after| after.split_once("}}")).map(|(name, _)| name.trim());
    names.into_iter().any(|name| matches!(name, "round" | "name" | "stance" | "language"))
}
