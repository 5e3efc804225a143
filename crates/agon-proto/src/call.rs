//! How an answer came about, and why one did not.
use crate::enums::Numbered;
use crate::error::{DecodeError, present};
use crate::flat as pb;
use agon_core::{
    Call, CallOptions, Check, CheckFailure, CheckResult, Coercion, Failure, ModelName, RetryPolicy, Timing, ToolUse,
    Usage, UsageTotals,
};

impl From<&Call> for pb::Call {
    fn from(call: &Call) -> Self {
        Self {
            host: call.host.clone(),
            model: call.model.as_ref().map(ToString::to_string),
            answered_by: call.answered_by.clone(),
            digest: call.digest.clone(),
            prompt_hash: call.prompt_hash.clone(),
            options: Some((&call.options).into()),
            usage: Some(call.usage.into()),
            timing: Some(call.timing.into()),
            finish_reason: call.finish_reason.clone(),
            rehearsal: call.rehearsal,
            tools: call.tools.iter().map(Into::into).collect(),
            coerced: call.coerced.iter().map(Into::into).collect(),
            checks: call.checks.iter().map(Into::into).collect(),
        }
    }
}
impl From<pb::Call> for Call {
    fn from(call: pb::Call) -> Self {
        Self {
            host: call.host,
            model: call.model.map(ModelName::new),
            answered_by: call.answered_by,
            digest: call.digest,
            prompt_hash: call.prompt_hash,
            options: call.options.unwrap_or_default().into(),
            usage: call.usage.unwrap_or_default().into(),
            timing: call.timing.unwrap_or_default().into(),
            finish_reason: call.finish_reason,
            rehearsal: call.rehearsal,
            tools: call.tools.into_iter().map(Into::into).collect(),
            coerced: call.coerced.into_iter().map(Into::into).collect(),
            checks: call.checks.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<&Coercion> for pb::Coercion {
    fn from(coercion: &Coercion) -> Self {
        let Coercion { field, from, to } = coercion.clone();
        Self { field, from, to }
    }
}
impl From<pb::Coercion> for Coercion {
    fn from(coercion: pb::Coercion) -> Self {
        let pb::Coercion { field, from, to } = coercion;
        Self { field, from, to }
    }
}

impl From<&Check> for pb::Check {
    fn from(check: &Check) -> Self {
        let Check { verifier, claim, result, output, truncated, duration_ms } = check.clone();
        let number = match result {
            CheckResult::Holds => pb::CheckResult::Holds,
            CheckResult::Refuted => pb::CheckResult::Refuted,
            CheckResult::Unknown => pb::CheckResult::Unknown,
            CheckResult::Failed { .. } => pb::CheckResult::Failed,
        };
        let cause = result.cause().map_or(0, Numbered::number);
        Self { verifier, claim, result: number.into(), cause, output, truncated, duration_ms }
    }
}
impl From<pb::Check> for Check {
    fn from(check: pb::Check) -> Self {
        let pb::Check { verifier, claim, result, cause, output, truncated, duration_ms } = check;
        let result = match pb::CheckResult::try_from(result) {
            Ok(pb::CheckResult::Holds) => CheckResult::Holds,
            Ok(pb::CheckResult::Refuted) => CheckResult::Refuted,
            Ok(pb::CheckResult::Unknown) => CheckResult::Unknown,
            // a result that a newer writer knows must not pass for one of these
            Ok(pb::CheckResult::Failed | pb::CheckResult::Unspecified) | Err(_) => {
                let cause = CheckFailure::from_number(cause, "cause").unwrap_or(CheckFailure::Malformed);
                CheckResult::Failed { cause }
            }
        };
        Self { verifier, claim, result, output, truncated, duration_ms }
    }
}

impl From<&ToolUse> for pb::ToolUse {
    fn from(used: &ToolUse) -> Self {
        Self {
            tool: used.tool.clone(),
            arguments: used.arguments.clone(),
            result: used.result.clone(),
            error: used.error.clone(),
            truncated: used.truncated,
            duration_ms: used.duration_ms,
        }
    }
}
impl From<pb::ToolUse> for ToolUse {
    fn from(used: pb::ToolUse) -> Self {
        Self {
            tool: used.tool,
            arguments: used.arguments,
            result: used.result,
            error: used.error,
            truncated: used.truncated,
            duration_ms: used.duration_ms,
        }
    }
}

/// The call of a field that must be there.
pub(crate) fn boxed(call: Option<pb::Call>, field: &str) -> Result<Box<Call>, DecodeError> {
    Ok(Box::new(present(call, field)?.into()))
}

impl From<&CallOptions> for pb::CallOptions {
    fn from(options: &CallOptions) -> Self {
        Self {
            temperature: options.temperature,
            top_p: options.top_p,
            presence_penalty: options.presence_penalty,
            seed: options.seed,
            max_tokens: options.max_tokens,
            think: options.think.map(Numbered::number),
            tokens_per_second: options.tokens_per_second,
        }
    }
}
impl From<pb::CallOptions> for CallOptions {
    fn from(options: pb::CallOptions) -> Self {
        Self {
            temperature: options.temperature,
            top_p: options.top_p,
            presence_penalty: options.presence_penalty,
            seed: options.seed,
            max_tokens: options.max_tokens,
            // A policy that this version does not know is no reason to refuse a log.
            think: options.think.and_then(|think| Numbered::from_number(think, "think").ok()),
            tokens_per_second: options.tokens_per_second,
        }
    }
}

impl From<Usage> for pb::Usage {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.cached_tokens,
            completion_tokens: usage.completion_tokens,
        }
    }
}
impl From<pb::Usage> for Usage {
    fn from(usage: pb::Usage) -> Self {
        Self {
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.cached_tokens,
            completion_tokens: usage.completion_tokens,
        }
    }
}

impl From<Timing> for pb::Timing {
    fn from(timing: Timing) -> Self {
        Self {
            queue_ms: timing.queue_ms,
            load_ms: timing.load_ms,
            prefill_ms: timing.prefill_ms,
            decode_ms: timing.decode_ms,
            first_byte_ms: timing.first_byte_ms,
            total_ms: timing.total_ms,
            away_ms: timing.away_ms,
        }
    }
}
impl From<pb::Timing> for Timing {
    fn from(timing: pb::Timing) -> Self {
        Self {
            queue_ms: timing.queue_ms,
            load_ms: timing.load_ms,
            prefill_ms: timing.prefill_ms,
            decode_ms: timing.decode_ms,
            first_byte_ms: timing.first_byte_ms,
            total_ms: timing.total_ms,
            away_ms: timing.away_ms,
        }
    }
}

impl From<UsageTotals> for pb::UsageTotals {
    fn from(totals: UsageTotals) -> Self {
        Self {
            calls: totals.calls,
            unknown_calls: totals.unknown_calls,
            prompt_tokens: totals.prompt_tokens,
            cached_tokens: totals.cached_tokens,
            completion_tokens: totals.completion_tokens,
        }
    }
}
impl From<pb::UsageTotals> for UsageTotals {
    fn from(totals: pb::UsageTotals) -> Self {
        Self {
            calls: totals.calls,
            unknown_calls: totals.unknown_calls,
            prompt_tokens: totals.prompt_tokens,
            cached_tokens: totals.cached_tokens,
            completion_tokens: totals.completion_tokens,
        }
    }
}

impl From<&Failure> for pb::Failure {
    fn from(failure: &Failure) -> Self {
        Self { cause: failure.cause.number(), detail: failure.detail.clone(), retry_after_ms: failure.retry_after_ms }
    }
}
impl TryFrom<pb::Failure> for Failure {
    type Error = DecodeError;
    fn try_from(failure: pb::Failure) -> Result<Self, DecodeError> {
        Ok(Self {
            cause: Numbered::from_number(failure.cause, "cause")?,
            detail: failure.detail,
            retry_after_ms: failure.retry_after_ms,
        })
    }
}

impl From<RetryPolicy> for pb::RetryPolicy {
    fn from(policy: RetryPolicy) -> Self {
        Self {
            max_attempts: policy.max_attempts,
            base_delay_ms: policy.base_delay_ms,
            max_delay_ms: policy.max_delay_ms,
            wait_limit_ms: policy.wait_limit_ms,
        }
    }
}
impl From<pb::RetryPolicy> for RetryPolicy {
    fn from(policy: pb::RetryPolicy) -> Self {
        Self {
            max_attempts: policy.max_attempts,
            base_delay_ms: policy.base_delay_ms,
            max_delay_ms: policy.max_delay_ms,
            wait_limit_ms: policy.wait_limit_ms,
        }
    }
}
