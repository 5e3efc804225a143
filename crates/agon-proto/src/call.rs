//! How an answer came about, and why one did not.
use crate::enums::Numbered;
use crate::error::DecodeError;
use crate::field::Mirrored;
use crate::flat as pb;
use crate::mirror::{message, mirror};
use agon_core::{
    Call, CallOptions, Check, CheckFailure, CheckResult, Coercion, Failure, RetryPolicy, Timing, ToolUse, Usage,
    UsageTotals,
};

mirror! {
    Call as Call {
        host, model, answered_by, digest, prompt_hash,
        options: or(Default::default()),
        usage: or(Default::default()),
        timing: or(Default::default()),
        finish_reason, rehearsal, tools, coerced, checks,
    }
    CallOptions as CallOptions {
        temperature, top_p, presence_penalty, seed, max_tokens,
        think: if_known(),
        tokens_per_second,
    }
    Coercion as Coercion { field, from, to }
    Failure as Failure { cause, detail, retry_after_ms }
    RetryPolicy as RetryPolicy { max_attempts, base_delay_ms, max_delay_ms, wait_limit_ms }
    Timing as Timing { queue_ms, load_ms, prefill_ms, decode_ms, first_byte_ms, total_ms, away_ms }
    ToolUse as ToolUse { tool, arguments, result, error, truncated, duration_ms }
    Usage as Usage { prompt_tokens, cached_tokens, completion_tokens }
    UsageTotals as UsageTotals { calls, unknown_calls, prompt_tokens, cached_tokens, completion_tokens }
}

// By hand: a result and its cause are two fields.
impl Mirrored<pb::Check> for Check {
    fn out(&self) -> pb::Check {
        let Self { verifier, claim, result, output, truncated, duration_ms } = self.clone();
        let number = match result {
            CheckResult::Holds => pb::CheckResult::Holds,
            CheckResult::Refuted => pb::CheckResult::Refuted,
            CheckResult::Unknown => pb::CheckResult::Unknown,
            CheckResult::Failed { .. } => pb::CheckResult::Failed,
        };
        let cause = result.cause().map_or(0, Numbered::number);
        pb::Check { verifier, claim, result: number.into(), cause, output, truncated, duration_ms }
    }
    fn read(wire: pb::Check, _: &str) -> Result<Self, DecodeError> {
        let pb::Check { verifier, claim, result, cause, output, truncated, duration_ms } = wire;
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
        Ok(Self { verifier, claim, result, output, truncated, duration_ms })
    }
}
message!(Check as Check);
