//! Whether what is said in a debate may outgrow a model's context.
use super::{ContextScope, DebateSpec, Memory};
use std::fmt;

/// How long a transcript may become that does not fit into a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgrown {
    /// Who speaks.
    pub personas: usize,
    /// How often each of them does: in every round, before the first and after the last.
    pub speeches: u32,
    /// What all speeches together may take, in tokens.
    pub tokens: u64,
    /// What the context holds, in tokens.
    pub context: u64,
}
impl Outgrown {
    /// What to do about it.
    pub const REMEDY: &str = "raise `num_ctx`, lower `max_rounds` or `max_tokens`, or keep less: `memory: rolling_window` or `summarize_past`";
}
impl fmt::Display for Outgrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { personas, speeches, tokens, context } = self;
        write!(
            f,
            "{personas} personas with {speeches} {} each may say {tokens} tokens by `max_tokens`, and the context holds {context}",
            if *speeches == 1 { "speech" } else { "speeches" }
        )
    }
}

impl DebateSpec {
    /// Whether the speeches may take more tokens than a context holds; none where they fit, and where old ones leave the prompts.
    pub fn outgrows(&self, context: u64) -> Option<Outgrown> {
        let kept = matches!(self.memory, Memory::AppendAll | Memory::PersonaMasking);
        let shown = matches!(self.context_scope, ContextScope::FullLog | ContextScope::PersonaScoped);
        let phases = [self.phases.opening_statements, self.phases.final_statements];
        let speeches = phases.into_iter().map(u32::from).fold(self.max_rounds, u32::saturating_add);
        let once: u64 = self.personas.iter().map(|persona| u64::from(persona.voice.max_tokens)).sum();
        let tokens = once.saturating_mul(u64::from(speeches));
        let outgrown = Outgrown { personas: self.personas.len(), speeches, tokens, context };
        (kept && shown && tokens > context).then_some(outgrown)
    }
}
