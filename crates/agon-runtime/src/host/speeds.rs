//! How fast the models of hosts generate, measured from calls.
use agon_core::{HostId, ModelName};
use agon_llm::{ChatAnswer, ChatError, ChatErrorKind};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Shorter answers say little about a speed.
const LEAST_TOKENS: u64 = 16;
/// An answer that took no longer came in one piece, or from a cache.
const LEAST_TIME: Duration = Duration::from_millis(50);

/// Tokens a second of each model at each host, as calls see them: with several calls at a time, each gets its share.
#[derive(Debug, Default)]
pub struct Speeds(Mutex<BTreeMap<(HostId, ModelName), f64>>);

impl Speeds {
    /// What is known from before, in tokens a second.
    pub fn new(known: impl IntoIterator<Item = ((HostId, ModelName), f64)>) -> Self {
        Self(Mutex::new(known.into_iter().collect()))
    }

    /// All that is known.
    pub fn all(&self) -> BTreeMap<(HostId, ModelName), f64> {
        self.known().clone()
    }

    /// What is known of one model at one host. A name without a tag means the tag `latest`, whichever of both was asked for.
    pub fn of(&self, host: &HostId, model: &ModelName) -> Option<f64> {
        let known = self.known();
        let latest = || ModelName::new(format!("{}:latest", model.plain()));
        let of = |model: ModelName| known.get(&(host.clone(), model)).copied();
        of(model.clone()).or_else(|| of(ModelName::new(model.plain()))).or_else(|| of(latest()))
    }

    // every change under this lock is one call
    fn known(&self) -> MutexGuard<'_, BTreeMap<(HostId, ModelName), f64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what a call tells: half of what is known is what the last one told.
    pub(crate) fn learn(&self, host: &HostId, model: &ModelName, outcome: &Result<ChatAnswer, ChatError>) {
        let Some(seen) = seen(outcome) else { return };
        let mut known = self.known();
        let speed = known.entry((host.clone(), model.clone())).or_insert(seen);
        *speed = f64::midpoint(*speed, seen);
    }
}

/// The tokens a second of one call.
fn seen(outcome: &Result<ChatAnswer, ChatError>) -> Option<f64> {
    let answer = match outcome {
        Ok(answer) => answer,
        Err(ChatError { kind: ChatErrorKind::Slow(pace), .. }) => return pace.per_second(),
        Err(_) => return None,
    };
    let tokens = answer.usage.completion_tokens.filter(|tokens| *tokens >= LEAST_TOKENS)?;
    let timing = &answer.timing;
    let streamed = || Some(timing.total_ms?.saturating_sub(timing.first_byte_ms?));
    let took = Duration::from_millis(timing.decode_ms.or_else(streamed)?);
    (took >= LEAST_TIME).then_some(f64::from(u32::try_from(tokens).ok()?) / took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Timing, Usage};
    use agon_llm::Pace;

    fn answer(tokens: u64, timing: Timing) -> Result<ChatAnswer, ChatError> {
        let usage = Usage { completion_tokens: Some(tokens), ..Usage::default() };
        Ok(ChatAnswer { usage, timing, ..ChatAnswer::default() })
    }

    fn seconds(seconds: u64) -> Option<u64> {
        Some(seconds * 1_000)
    }

    #[test]
    fn a_speed_is_that_of_generating_alone() {
        let told = Timing { decode_ms: seconds(10), total_ms: seconds(60), ..Timing::default() };
        let streamed = Timing { first_byte_ms: seconds(20), total_ms: seconds(60), ..Timing::default() };

        assert_eq!(seen(&answer(100, told)), Some(10.0));
        assert_eq!(seen(&answer(100, streamed)), Some(2.5));
        assert_eq!(seen(&answer(15, told)), None, "too short to tell");
        assert_eq!(seen(&answer(100, Timing::default())), None, "nobody measured");
    }

    #[test]
    fn calls_that_were_too_slow_count_and_the_last_ones_weigh_most() {
        let (speeds, host, model) = (Speeds::default(), HostId::from("gpu1"), ModelName::from("m"));
        let pace = Pace { tokens: 200, generating_ms: 100_000, max_tokens: 800, limit_ms: 100_000 };

        speeds.learn(&host, &model, &Err(ChatError::new(ChatErrorKind::Slow(pace), "")));
        assert_eq!(speeds.of(&host, &model), Some(2.0));
        let faster = Timing { decode_ms: seconds(10), ..Timing::default() };
        speeds.learn(&host, &model, &answer(40, faster));

        assert_eq!(speeds.of(&host, &model), Some(3.0));
        assert_eq!(speeds.of(&"gpu2".into(), &model), None);
        assert_eq!(speeds.of(&host, &"m:latest".into()), Some(3.0), "m means m:latest");
        assert_eq!(speeds.of(&host, &"m:4b".into()), None);
    }
}
