//! What a call did and what it cost, in words.
use crate::feeds;
use crate::minutes::{Deed, Minutes, MinutesEntry};
use crate::words::{self, duration, known, number};
use agon_core::{Admission, Call, DebateSpec, DebateWhen, SpeechKind, Timing, Usage, UsageTotals, Work};

/// What the turn of an entry was for.
pub(crate) fn deed(minutes: &Minutes<'_>, entry: &MinutesEntry<'_>) -> String {
    match entry.deed {
        Deed::Judged(judged) => format!("judgement {}", judged.order.saturating_add(1)),
        Deed::Ranked { order, .. } => format!("ranking {}", order.saturating_add(1)),
        Deed::Failed { failure, .. } => {
            format!("{} failed: {}", asked(minutes, entry), failure.cause.as_str())
        }
        _ => entry.label.to_owned(),
    }
}

/// What the turn of an entry was asked for, whatever came of it.
pub(crate) fn asked(minutes: &Minutes<'_>, entry: &MinutesEntry<'_>) -> String {
    minutes.asked(entry.turn).map_or_else(|| "turn".to_owned(), |(_, ask)| task(&ask.task.work))
}

/// What is asked for.
pub(crate) fn task(work: &Work) -> String {
    let traits = work.traits();
    match traits.order {
        Some(order) => format!("{} {}", traits.label, order.saturating_add(1)),
        None => traits.label.to_owned(),
    }
}

/// The figures of a call in one row: prompt, cached, generated, queue, first byte, total.
pub(crate) fn row(call: &Call) -> [String; 6] {
    let (usage, timing) = (&call.usage, &call.timing);
    [
        known(usage.prompt_tokens, number),
        known(usage.cached_tokens, number),
        known(usage.completion_tokens, number),
        queue(timing),
        known(timing.first_byte_ms, duration),
        known(timing.total_ms, duration),
    ]
}

/// The wait for a place, and that for a model server where there was one.
fn queue(timing: &Timing) -> String {
    match timing.away_ms {
        None | Some(0) => known(timing.queue_ms, duration),
        Some(away) => format!("{} + {} for the server", known(timing.queue_ms, duration), duration(away)),
    }
}

/// The figures of a call in a line; what is unknown is left out, unknown tokens are said to be so.
pub(crate) fn line(call: &Call) -> Vec<String> {
    let timing = &call.timing;
    let timed = |name: &str, ms: Option<u64>| ms.map(|ms| format!("{name} {}", duration(ms)));
    let mut parts = Vec::from_iter(place(call));
    parts.push(tokens(&call.usage));
    parts.extend(
        [
            timed("waited for the model server", timing.away_ms),
            timed("queued", timing.queue_ms),
            timed("first byte", timing.first_byte_ms),
            timed("total", timing.total_ms),
        ]
        .into_iter()
        .flatten(),
    );
    parts.extend(call.finish_reason.iter().map(|why| format!("finish: {why}")));
    parts
}

fn place(call: &Call) -> Option<String> {
    match (model(call), &call.host) {
        (Some(model), Some(host)) => Some(format!("{model} on {host}")),
        (Some(model), None) => Some(model),
        (None, Some(host)) => Some(format!("on {host}")),
        (None, None) => None,
    }
}

/// The model that was asked, and the name under which it answered where that is another one.
fn model(call: &Call) -> Option<String> {
    let asked = call.model.as_ref()?;
    Some(match &call.answered_by {
        Some(name) => format!("{asked} (answered by {name})"),
        None => asked.to_string(),
    })
}

/// What stands under an answer: the model and its tokens.
pub(crate) fn under(call: &Call) -> Vec<String> {
    let mut parts = Vec::from_iter(model(call));
    parts.push(tokens(&call.usage));
    parts
}

/// What an answer took, for whoever asks: where, how long, and why it ended. Nothing where nothing is known.
pub(crate) fn took(call: &Call) -> Option<String> {
    let timing = &call.timing;
    let timed = |name: &str, ms: Option<u64>| ms.map(|ms| format!("{name} {}", duration(ms)));
    let mut parts = Vec::from_iter(call.host.as_ref().map(|host| format!("on {host}")));
    let timings = [
        timed("waited for the model server", timing.away_ms),
        timed("queued", timing.queue_ms),
        timed("first byte after", timing.first_byte_ms),
        timed("in all", timing.total_ms),
    ];
    parts.extend(timings.into_iter().flatten());
    parts.extend(call.finish_reason.iter().map(|why| format!("finish: {why}")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Who answered, how many tokens, how long: for a line that few read.
pub(crate) fn brief(call: &Call) -> Vec<String> {
    let mut parts = Vec::from_iter(model(call));
    parts.push(tokens(&call.usage));
    parts.extend(call.timing.total_ms.map(duration));
    parts
}

fn tokens(usage: &Usage) -> String {
    let cached = usage.cached_tokens.map(|n| format!(" ({} cached)", number(n))).unwrap_or_default();
    match (usage.prompt_tokens, usage.completion_tokens) {
        (None, None) => "tokens unknown".to_owned(),
        (prompt, made) => {
            let figure = |n: Option<u64>| n.map_or_else(|| "unknown".to_owned(), number);
            format!("{} tokens in{cached}, {} out", figure(prompt), figure(made))
        }
    }
}

/// Tokens of the whole debate, with how many calls reported theirs in part or not at all.
pub(crate) fn totals(usage: &UsageTotals) -> String {
    if usage.calls > 0 && usage.unknown_calls == usage.calls && usage.tokens() == 0 {
        return "no call reported its tokens".to_owned();
    }
    let cached = match usage.cached_tokens {
        Some(cached) => format!("of which {} cached", number(cached)),
        None => "unknown how many cached".to_owned(),
    };
    let known = format!(
        "{} tokens ({} prompt, {cached}, + {} generated)",
        number(usage.tokens()),
        number(usage.prompt_tokens),
        number(usage.completion_tokens)
    );
    match usage.unknown_calls {
        0 => known,
        n => format!("at least {known}: {} did not report all of theirs", words::count(n.into(), "call")),
    }
}

/// What the samples of a poll stand under.
pub(crate) const SAMPLES: &str = "Samples";

/// What a round is called: what comes before the first and after the last are not rounds.
pub(crate) fn section(minutes: &Minutes<'_>, round: u32) -> String {
    let holds = |kind| minutes.speeches().any(|(entry, speech)| entry.turn.round == round && speech.kind == kind);
    let name = match round {
        0 if minutes.admission.spec.is_poll() => SAMPLES,
        0 if holds(SpeechKind::Opening) => "Opening statements",
        0 if holds(SpeechKind::Proposal) => "Proposals",
        0 => "Before the first round",
        round if minutes.is_round(round) => return format!("Round {round}"),
        _ if holds(SpeechKind::Closing) => "Final statements",
        _ => "After the last round",
    };
    name.to_owned()
}

/// The settings of the debate that a reader asks for, in words.
pub(crate) fn settings(admission: &Admission) -> Vec<(&'static str, String)> {
    let spec = &admission.spec;
    let mut rows = vec![("Mode", spec.mode.label().to_owned()), ("Format", spec.debate_format.label().to_owned())];
    rows.extend(spec.answer.as_ref().map(|form| ("An answer is", words::answer_form(form))));
    match spec.is_poll() {
        true => rows.push(("Samples", spec.format.samples.to_string())),
        false => rows.extend([
            ("Rounds", format!("at most {}", spec.max_rounds)),
            ("Turn order", spec.turn_mode.label().to_owned()),
            ("Visibility", spec.visibility.label().to_owned()),
            ("Speakers see", spec.context_scope.label().to_owned()),
            ("Memory", spec.memory.label().to_owned()),
        ]),
    }
    rows.extend(held(spec).map(|held| ("Held", held)));
    rows.push(("Decided by", spec.consensus_strategy.label().to_owned()));
    rows.extend(words::told_of(admission).map(|told| ("Earlier debates", told)));
    rows.extend(feeds::told(admission).map(|told| ("Feeds", told)));
    rows.extend(spec.judge.as_ref().map(|judge| ("Judge", judge_setting(judge))));
    rows.extend(spec.voting.map(|voting| ("Vote", voting.rule.label().to_owned())));
    rows.extend(spec.terminate_when.clone().map(|expression| ("Ends when", expression)));
    rows.push(("Time per turn", duration(spec.timeout_per_turn_ms)));
    rows.extend(spec.budget.tokens.map(|tokens| ("Token budget", number(tokens))));
    rows.extend(spec.budget.seconds.map(|seconds| ("Time budget", duration(seconds.saturating_mul(1000)))));
    rows.push(("After a lost turn", spec.on_turn_failure.label().to_owned()));
    rows.push(("Quorum", words::quorum(spec.quorum)));
    rows.extend(spec.agreement_intensity.map(|level| ("Push towards agreement", format!("{level} of 10"))));
    rows.extend(spec.language.clone().map(|language| ("Language", language)));
    rows.extend(spec.labels.iter().map(|(name, value)| ("Label", format!("{name} = {value}"))));
    rows.push(("Seed", admission.seed.to_string()));
    rows.push(("Agon", admission.agon_version.clone()));
    rows
}

/// Whether rounds are held, and how that is decided; nothing where they always are.
fn held(spec: &DebateSpec) -> Option<String> {
    let rule = match &spec.gate.rule {
        None => "where all debaters, three at least, cast the same ballot".to_owned(),
        Some(rule) => match &rule.learned_on {
            Some(origin) => format!("by the rule learned on eval {}", origin.eval),
            None => format!("by a rule of kind {}", rule.method.kind().as_str()),
        },
    };
    let explored = match spec.gate.explore > 0.0 {
        true => format!("; {:.1} % of those are held all the same", spec.gate.explore * 100.0),
        false => String::new(),
    };
    (spec.debate == DebateWhen::IfContested).then(|| format!("{}; skipped {rule}{explored}", spec.debate.label()))
}

fn judge_setting(judge: &agon_core::Judge) -> String {
    let orders = if judge.orders == 2 { "one order and its reverse must agree" } else { "one order" };
    let names = if judge.anonymize_transcript { "names hidden" } else { "names shown" };
    let order = if judge.shuffle_for_judge { "shuffled inside each round" } else { "in the order of speaking" };
    format!("{orders}, {names}, {order}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_cached_tokens_is_named_only_where_a_server_reported_them() {
        let of = |cached_tokens| {
            totals(&UsageTotals { calls: 1, unknown_calls: 0, prompt_tokens: 10, cached_tokens, completion_tokens: 2 })
        };
        assert_eq!(of(Some(0)), "12 tokens (10 prompt, of which 0 cached, + 2 generated)");
        assert_eq!(of(None), "12 tokens (10 prompt, unknown how many cached, + 2 generated)");
    }

    #[test]
    fn what_a_call_reported_in_part_is_in_the_sum_and_said_to_be() {
        let of = |prompt_tokens, completion_tokens| {
            let mut totals = UsageTotals::default();
            totals.add(&Usage { prompt_tokens, cached_tokens: None, completion_tokens });
            super::totals(&totals)
        };
        assert_eq!(
            of(Some(10), None),
            "at least 10 tokens (10 prompt, unknown how many cached, + 0 generated): 1 call did not report all of theirs"
        );
        assert_eq!(of(None, None), "no call reported its tokens");
    }
}
