//! What model servers say when a prompt does not fit or a model is missing, in their own words.

use serde_json::json;

use crate::ChatErrorKind;
use crate::classify::{mid_stream, refusal};

/// Server, status, words, and the tokens of prompt and context that they name.
type Wording = (&'static str, u16, &'static str, Option<u32>, Option<u32>);

const TOO_LONG: &[Wording] = &[
    ("Ollama", 400, "the input length exceeds the context length", None, None),
    ("Ollama", 400, "the prompt is too long: 571 tokens, context 512", Some(571), Some(512)),
    ("Ollama", 400, "input exceeds maximum context length and cannot be truncated further", None, None),
    ("Ollama", 400, "the prompt is longer than the context length currently available", None, None),
    ("Ollama cloud", 400, "prompt too long; exceeded max context length by 4 tokens", None, None),
    ("llama.cpp", 400, "the request exceeds the available context size, try increasing it", None, None),
    (
        "llama.cpp",
        400,
        "request (5000 tokens) exceeds the available context size (4096 tokens)",
        Some(5000),
        Some(4096),
    ),
    ("llama.cpp", 500, "Context size has been exceeded.", None, None),
    ("LocalAI", 500, "rpc error: code = Internal desc = the request exceeds the available context size", None, None),
    (
        "llama-cpp-python, Xinference",
        500,
        "Requested tokens (2500) exceed context window of 2048",
        Some(2500),
        Some(2048),
    ),
    ("GPT4All", 400, "The prompt size exceeds the context window size and cannot be processed.", None, None),
    (
        "LM Studio",
        400,
        "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
        Some(15857),
        Some(4096),
    ),
    (
        "LM Studio",
        400,
        "The number of tokens to keep from the initial prompt is greater than the context length.",
        None,
        None,
    ),
    (
        "LM Studio, MLX",
        400,
        "Reached context length of 4096 tokens with model (arch: llama) which does not currently support mid-generation context overflow.",
        None,
        Some(4096),
    ),
    (
        "vLLM, Aphrodite, DeepSeek",
        400,
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4200 in the messages, 800 in the completion).",
        Some(5000),
        Some(4096),
    ),
    (
        "vLLM",
        400,
        "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.",
        Some(5000),
        Some(4096),
    ),
    (
        "vLLM",
        400,
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        Some(5000),
        Some(4096),
    ),
    (
        "SGLang, Together",
        400,
        "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
        Some(61709),
        Some(40960),
    ),
    (
        "SGLang",
        400,
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens",
        Some(5000),
        Some(4096),
    ),
    (
        "TGI, Together",
        422,
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 800 `max_new_tokens`",
        Some(4000),
        Some(4096),
    ),
    (
        "TGI",
        422,
        "Input validation error: `inputs` must have less than 1024 tokens. Given: 1800",
        Some(1800),
        Some(1024),
    ),
    ("TabbyAPI", 500, "Request length 71599 + 2048 is greater than max_seq_len 65536", Some(71599), Some(65536)),
    ("TensorRT-LLM", 400, "Prompt length (9000) exceeds maximum input length (8192).", Some(9000), Some(8192)),
    (
        "MLC-LLM",
        400,
        "Request prompt has 5000 tokens in total, larger than the model input length limit 4096.",
        Some(5000),
        Some(4096),
    ),
    (
        "text-generation-webui",
        400,
        "This model maximum context length is 2048 tokens. However, your messages resulted in over 2061 tokens.",
        Some(2061),
        Some(2048),
    ),
    ("ds4", 400, "Prompt has 32769 tokens, but the configured context size is 32768 tokens", Some(32769), Some(32768)),
    (
        "LiteLLM",
        400,
        "litellm.ContextWindowExceededError: litellm.BadRequestError: the prompt does not fit",
        None,
        None,
    ),
    (
        "OpenAI",
        400,
        "This model's maximum context length is 4097 tokens. However, your messages resulted in 4127 tokens. Please reduce the length of the messages.",
        Some(4127),
        Some(4097),
    ),
    (
        "OpenAI",
        400,
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        None,
        None,
    ),
    (
        "OpenAI, Azure",
        400,
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
        Some(300_000),
        Some(272_000),
    ),
    ("Anthropic", 400, "prompt is too long: 208310 tokens > 200000 maximum", Some(208_310), Some(200_000)),
    (
        "Anthropic",
        400,
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
        Some(190_000),
        Some(200_000),
    ),
    (
        "Gemini",
        400,
        "The input token count (218152) exceeds the maximum number of tokens allowed (65536).",
        Some(218_152),
        Some(65536),
    ),
    (
        "Vertex",
        400,
        "Unable to submit request because the input token count is 33000 but model only supports up to 32768.",
        Some(33000),
        Some(32768),
    ),
    (
        "xAI",
        400,
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        Some(537_812),
        Some(131_072),
    ),
    (
        "Mistral",
        400,
        "Prompt contains 34127 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
        Some(34127),
        Some(32768),
    ),
    ("Groq", 413, "Please reduce the length of the messages or completion.", None, None),
    (
        "Cerebras",
        400,
        "Please reduce the length of the messages or completion. Current length is 8500 while limit is 8192",
        Some(8500),
        Some(8192),
    ),
    ("Fireworks", 400, "The prompt is too long: 5000, model maximum context length: 4096", Some(5000), Some(4096)),
    (
        "OpenRouter",
        400,
        "This endpoint's maximum context length is 8192 tokens. However, you requested about 9216 tokens (8416 of text input, 800 in the output).",
        Some(9216),
        Some(8192),
    ),
    ("Bedrock", 400, "Input is too long for requested model.", None, None),
    (
        "Cohere",
        400,
        "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs. The limit for this model is 132000 tokens.",
        None,
        Some(132_000),
    ),
    (
        "Cohere",
        400,
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.",
        None,
        Some(4081),
    ),
    ("GitHub Copilot", 400, "prompt token count of 5000 exceeds the limit of 4096", Some(5000), Some(4096)),
    ("Databricks", 400, "Bad request: prompt token count (9000) cannot exceed 8192", None, Some(8192)),
    (
        "Cloudflare",
        413,
        "The estimated number of input and maximum output tokens (25000) exceeded this model context window limit (24000).",
        Some(25000),
        Some(24000),
    ),
    (
        "watsonx",
        400,
        "Error: The number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
        Some(5000),
        Some(4096),
    ),
    ("DashScope", 400, "InvalidParameter: Range of input length should be [1, 30720]", None, Some(30720)),
    (
        "Kimi",
        400,
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
        Some(291_351),
        Some(262_144),
    ),
    ("MiniMax", 400, "invalid params, context window exceeds limit", None, None),
    ("Z.ai", 400, "Prompt 超长", None, None),
];

/// Server, status and body.
const MISSING: &[(&str, u16, &str)] = &[
    ("Ollama", 404, r#"{"error":"model 'x' not found"}"#),
    ("Ollama", 404, r#"{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}"#),
    (
        "vLLM, Aphrodite, SGLang",
        404,
        r#"{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}"#,
    ),
    (
        "LM Studio",
        400,
        r#"{"error":{"message":"Invalid model identifier \"x\". Please specify a valid downloaded model"}}"#,
    ),
    ("LM Studio", 400, r#"{"error":{"message":"No models loaded. Please load a model in the developer page"}}"#),
    ("TabbyAPI", 400, r#"{"detail":"No models are currently loaded."}"#),
    ("LocalAI", 500, r#"{"error":{"code":500,"message":"model \"x\" not found in the gallery"}}"#),
    ("llama-swap", 400, "could not find real modelID for x"),
    ("MLX", 404, r#"{"error":"401 Client Error. Repository Not Found for url: https://huggingface.co/api/models/x"}"#),
    ("Xinference", 400, r#"{"detail":"[address=127.0.0.1:1, pid=1] Model not found, uid: x"}"#),
    (
        "LiteLLM",
        400,
        r#"{"error":{"message":"Invalid model name passed in model=x. Call `/v1/models` to view available models"}}"#,
    ),
    (
        "OpenAI, Groq",
        404,
        r#"{"error":{"message":"The model `x` does not exist or you do not have access to it.","code":"model_not_found"}}"#,
    ),
    (
        "Azure",
        404,
        r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#,
    ),
    ("Anthropic", 404, r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}"#),
    (
        "Gemini",
        404,
        r#"{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}"#,
    ),
    ("Mistral", 400, r#"{"object":"error","message":"Invalid model: x","type":"invalid_model","code":"1500"}"#),
    ("Together", 400, r#"{"error":{"message":"Unable to access model x.","code":"model_not_available"}}"#),
    ("Fireworks", 404, r#"{"error":{"message":"Model not found, inaccessible, and/or not deployed"}}"#),
    ("DeepSeek", 400, r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}"#),
    ("OpenRouter", 400, r#"{"error":{"message":"x is not a valid model ID","code":400}}"#),
    ("OpenRouter", 404, r#"{"error":{"message":"No endpoints found for x.","code":404}}"#),
    ("Bedrock", 400, r#"{"message":"The provided model identifier is invalid."}"#),
    ("Cohere", 404, r#"{"message":"model 'x' not found, make sure the correct model ID was used"}"#),
    (
        "xAI",
        404,
        r#"{"code":"Some entity was not found","error":"The model x does not exist or your team has no access"}"#,
    ),
    ("Perplexity", 400, r#"{"error":{"message":"Invalid model 'x'.","type":"invalid_model","code":400}}"#),
    ("GitHub Models", 400, r#"{"error":{"code":"unknown_model","message":"Unknown model: x"}}"#),
    ("Hugging Face", 400, r#"{"error":{"message":"The requested model 'x' does not exist","code":"model_not_found"}}"#),
    ("Cloudflare", 400, r#"{"errors":[],"error":"No such model x or task"}"#),
    ("SiliconFlow", 400, r#"{"code":20012,"message":"Model does not exist. Please check it carefully."}"#),
    ("DashScope", 400, r#"{"code":"InvalidParameter","message":"Model not exist."}"#),
    (
        "Kimi",
        404,
        r#"{"error":{"message":"Not found the model x or Permission denied","type":"resource_not_found_error"}}"#,
    ),
    ("Z.ai", 400, r#"{"error":{"code":"1211","message":"模型不存在，请检查模型代码。"}}"#),
];

#[test]
fn a_prompt_that_is_too_long_is_known_in_every_server_s_words_with_its_counts() {
    for (server, status, words, prompt_tokens, context) in TOO_LONG {
        let expected = ChatErrorKind::ContextOverflow { prompt_tokens: *prompt_tokens, context: *context };
        let shapes = [
            json!({ "error": words }),
            json!({ "error": { "message": words, "type": "invalid_request_error" } }),
            json!({ "object": "error", "message": words, "code": status }),
            json!({ "detail": words }),
        ];
        for shape in &shapes {
            assert_eq!(refusal(*status, &shape.to_string(), None).error.kind, expected, "{server}: {shape}");
        }
        assert_eq!(mid_stream(&json!({ "message": words })).kind, expected, "{server}: {words}");
    }
}

#[test]
fn a_missing_model_is_known_in_every_server_s_words() {
    for (server, status, body) in MISSING {
        assert_eq!(refusal(*status, body, None).error.kind, ChatErrorKind::NotFound, "{server}: {body}");
    }
}

#[test]
fn what_only_sounds_like_a_missing_model_is_none() {
    for (status, words) in [
        (400, "model 'x' does not support tools"),
        (400, "this model does not support thinking"),
        (401, "Invalid API key: no model was found for it"),
        (404, "404 page not found"),
        (429, "model 'x' not found within the rate limit"),
        (500, "the model's runner has failed"),
    ] {
        let kind = refusal(status, &json!({ "error": words }).to_string(), None).error.kind;
        assert_ne!(kind, ChatErrorKind::NotFound, "{words}");
    }
}
