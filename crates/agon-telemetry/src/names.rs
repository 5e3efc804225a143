//! The names of attributes and metrics. Those of the OpenTelemetry conventions for generative models are still in
//! development there, so they are pinned here.

/// The version of the conventions that the names follow.
pub(crate) const SCHEMA: &str = "https://opentelemetry.io/schemas/1.42.0";
pub(crate) const SCOPE: &str = "agon";

pub(crate) mod attribute {
    pub(crate) const OPERATION: &str = "gen_ai.operation.name";
    pub(crate) const PROVIDER: &str = "gen_ai.provider.name";
    pub(crate) const WORKFLOW: &str = "gen_ai.workflow.name";
    pub(crate) const AGENT: &str = "gen_ai.agent.name";
    pub(crate) const TOOL: &str = "gen_ai.tool.name";
    pub(crate) const CONVERSATION: &str = "gen_ai.conversation.id";
    pub(crate) const REQUEST_MODEL: &str = "gen_ai.request.model";
    pub(crate) const TEMPERATURE: &str = "gen_ai.request.temperature";
    pub(crate) const TOP_P: &str = "gen_ai.request.top_p";
    pub(crate) const PRESENCE_PENALTY: &str = "gen_ai.request.presence_penalty";
    pub(crate) const SEED: &str = "gen_ai.request.seed";
    pub(crate) const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
    pub(crate) const RESPONSE_MODEL: &str = "gen_ai.response.model";
    pub(crate) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
    pub(crate) const FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";
    pub(crate) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
    pub(crate) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
    pub(crate) const CACHED_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
    pub(crate) const TOKEN_TYPE: &str = "gen_ai.token.type";
    pub(crate) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
    pub(crate) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
    pub(crate) const SERVER_ADDRESS: &str = "server.address";
    pub(crate) const SERVER_PORT: &str = "server.port";
    pub(crate) const ERROR_TYPE: &str = "error.type";

    pub(crate) const MESSAGING_SYSTEM: &str = "messaging.system";
    pub(crate) const MESSAGING_OPERATION: &str = "messaging.operation.name";
    pub(crate) const MESSAGING_TYPE: &str = "messaging.operation.type";
    pub(crate) const DESTINATION: &str = "messaging.destination.name";
    pub(crate) const MESSAGE_ID: &str = "messaging.message.id";

    pub(crate) const RPC_SYSTEM: &str = "rpc.system.name";
    pub(crate) const RPC_METHOD: &str = "rpc.method";
    pub(crate) const RPC_STATUS: &str = "rpc.response.status_code";

    pub(crate) const DEBATE: &str = "debate.id";
    pub(crate) const DEBATE_TRACE: &str = "debate.trace_id";
    pub(crate) const TENANT: &str = "debate.tenant";
    pub(crate) const TOPIC: &str = "debate.topic";
    pub(crate) const FORMAT: &str = "debate.format";
    pub(crate) const MODE: &str = "debate.mode";
    pub(crate) const PRIORITY: &str = "debate.priority";
    pub(crate) const REHEARSAL: &str = "debate.rehearsal";
    pub(crate) const DEBATERS: &str = "debate.debaters";
    pub(crate) const STATE: &str = "debate.state";
    pub(crate) const OUTCOME: &str = "debate.outcome";
    pub(crate) const REASON: &str = "debate.reason";
    pub(crate) const ROUNDS: &str = "debate.rounds";
    pub(crate) const STOP_RULE: &str = "debate.stop_rule";
    pub(crate) const CLAIMS: &str = "debate.claims";
    pub(crate) const MISSING: &str = "debate.missing_seats";
    pub(crate) const CALLS: &str = "debate.usage.calls";
    pub(crate) const UNKNOWN_CALLS: &str = "debate.usage.unknown_calls";
    pub(crate) const STRENGTH: &str = "debate.consensus.strength";
    pub(crate) const TOP_VOTES: &str = "debate.consensus.top";
    pub(crate) const ELIGIBLE: &str = "debate.consensus.eligible";
    pub(crate) const METHOD: &str = "debate.decision.method";
    pub(crate) const PHASE: &str = "debate.phase";
    pub(crate) const ROUND: &str = "debate.round";
    pub(crate) const TURNS: &str = "debate.turns";
    pub(crate) const FAILURES: &str = "debate.turn_failures";
    pub(crate) const TURN: &str = "debate.turn";
    pub(crate) const ATTEMPT: &str = "debate.attempt";
    pub(crate) const TASK: &str = "debate.task";
    pub(crate) const TASK_KIND: &str = "debate.task.kind";
    pub(crate) const ROLE: &str = "debate.role";
    pub(crate) const STANCE: &str = "debate.stance";
    pub(crate) const RETRIED: &str = "debate.turn.retried";
    pub(crate) const WITHDRAWN: &str = "debate.turn.withdrawn";
    pub(crate) const CUT: &str = "debate.turn.cut";
    pub(crate) const STEP: &str = "debate.step";
    pub(crate) const SEATS: &str = "debate.seats";
    pub(crate) const PARALLEL: &str = "debate.parallel";
    pub(crate) const AGREEMENT: &str = "debate.agreement";
    pub(crate) const STABILITY: &str = "debate.stability";
    pub(crate) const MEASURED_BY: &str = "debate.measure.method";

    pub(crate) const OWNER: &str = "debate.owner";
    pub(crate) const PREVIOUS_OWNER: &str = "debate.owner.previous";
    pub(crate) const IDLE: &str = "debate.idle";
    pub(crate) const WAIT: &str = "debate.wait";

    pub(crate) const HOST: &str = "agon.host";
    pub(crate) const PREVIOUS_HOST: &str = "agon.host.previous";
    pub(crate) const DIGEST: &str = "agon.model.digest";
    pub(crate) const PROMPT_HASH: &str = "agon.prompt.hash";
    pub(crate) const QUEUE_WAIT: &str = "agon.queue.wait";
    pub(crate) const AWAY_WAIT: &str = "agon.model_server.wait";
    pub(crate) const LOAD: &str = "agon.timing.load";
    pub(crate) const PREFILL: &str = "agon.timing.prefill";
    pub(crate) const DECODE: &str = "agon.timing.decode";
    pub(crate) const WON: &str = "agon.register.won";
    pub(crate) const OVERTAKEN: &str = "agon.register.overtaken";
    pub(crate) const TRUNCATED: &str = "agon.tool.truncated";
}

pub(crate) mod operation {
    pub(crate) const WORKFLOW: &str = "invoke_workflow";
    pub(crate) const AGENT: &str = "invoke_agent";
    pub(crate) const CHAT: &str = "chat";
    pub(crate) const EMBEDDINGS: &str = "embeddings";
    pub(crate) const TOOL: &str = "execute_tool";
}

pub(crate) mod metric {
    pub(crate) const TOKEN_USAGE: &str = "gen_ai.client.token.usage";
    pub(crate) const OPERATION_DURATION: &str = "gen_ai.client.operation.duration";
    pub(crate) const FIRST_CHUNK: &str = "gen_ai.client.operation.time_to_first_chunk";
    pub(crate) const WORKFLOW_DURATION: &str = "gen_ai.workflow.duration";
    pub(crate) const TOOL_DURATION: &str = "gen_ai.execute_tool.duration";
    pub(crate) const RPC_DURATION: &str = "rpc.server.call.duration";
    pub(crate) const DEBATES_SUBMITTED: &str = "agon.debates.submitted";
    pub(crate) const DEBATES_COMPLETED: &str = "agon.debates.completed";
    pub(crate) const DEBATES_ACTIVE: &str = "agon.debates.active";
    pub(crate) const DEBATES_QUEUED: &str = "agon.debates.queued";
    pub(crate) const QUEUED_OLDEST: &str = "agon.debates.queued.oldest";
    pub(crate) const DEBATES_RUNNING: &str = "agon.debates.running";
    pub(crate) const DEBATES_STALLED: &str = "agon.debates.stalled";
    pub(crate) const TURNS_QUEUED: &str = "agon.turns.queued";
    pub(crate) const STREAM_BYTES: &str = "agon.stream";
    pub(crate) const STREAM_BYTES_LIMIT: &str = "agon.stream.limit";
    pub(crate) const STREAM_MESSAGES: &str = "agon.stream.messages";
    pub(crate) const STREAM_MESSAGES_LIMIT: &str = "agon.stream.limit.messages";
    pub(crate) const DEBATES_WAIT: &str = "agon.debates.wait";
    pub(crate) const TAKEOVERS: &str = "agon.debates.takeovers";
    pub(crate) const ROUNDS: &str = "agon.rounds";
    pub(crate) const TURN_FAILURES: &str = "agon.turn.failures";
    pub(crate) const BIDS: &str = "agon.bids";
    pub(crate) const INTERRUPTIONS: &str = "agon.interruptions";
    pub(crate) const GATE: &str = "agon.gate";
    pub(crate) const EVALS_ACTIVE: &str = "agon.evals.active";
    pub(crate) const EVALS_COMPLETED: &str = "agon.evals.completed";
    pub(crate) const EVAL_CELLS: &str = "agon.eval.cells";
    pub(crate) const AGREEMENT: &str = "agon.round.agreement";
    pub(crate) const STABILITY: &str = "agon.round.stability";
    pub(crate) const TURNS_OVERTAKEN: &str = "agon.turns.overtaken";
    pub(crate) const QUEUE_WAIT: &str = "agon.queue.wait";
    pub(crate) const READ_AHEAD: &str = "agon.read_ahead";
    pub(crate) const READ_AHEAD_TOKENS: &str = "agon.read_ahead.tokens";
    pub(crate) const ORDERS_REFUSED: &str = "agon.host.orders.refused";
    pub(crate) const CIRCUIT: &str = "agon.circuit.state";
    pub(crate) const PERMITS_USED: &str = "agon.permits.in_use";
    pub(crate) const PERMITS_LIMIT: &str = "agon.permits.limit";
    pub(crate) const PERMITS_WAITING: &str = "agon.permits.waiting";
    pub(crate) const SPANS: &str = "agon.telemetry.spans";
    pub(crate) const START_TIME: &str = "process.start_time";
    pub(crate) const BUILD_INFO: &str = "agon.build.info";
}

/// The bus subject family by which turns travel, as traces name it.
pub(crate) const TURNS: &str = "agon.gen";
/// The bus, whether NATS or its twin in the process.
pub(crate) const BUS: &str = "agon";
