//! What an MCP server says: a program that prints it.
use crate::dice::{SplitMix, mutate};
use agon_tools::{McpConfig, ToolCallLimits, ToolConfig, Toolbox, no_models};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

pub fn make(dice: &mut SplitMix) -> Vec<u8> {
    let tool = |n: usize| {
        let inner = json!({"$ref": format!("#/$defs/d{}", n % 3)});
        json!({"name": format!("tool {n}"), "description": "d".repeat(n * 100), "inputSchema": {
            "type": "object", "properties": {"a": {"allOf": [inner, inner]}}, "$defs": {"d0": {}, "d1": inner, "d2": {"type": "string"}},
        }})
    };
    let tools: Vec<_> = (0..dice.size(100)).map(tool).collect();
    let lines = [
        json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "x".repeat(dice.size(100_000))}]}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if dice.once_in(2) { text.into_bytes() } else { mutate(dice, text.into_bytes()) }
}

pub fn run(input: &[u8]) {
    let path = std::env::temp_dir().join(format!("agon-fuzz-mcp-{}", std::process::id()));
    if std::fs::write(&path, input).is_err() {
        return;
    }
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        // It says all at once and ends, so that nothing is waited for.
        let args = vec!["-c".to_owned(), "cat \"$0\"; read a; read b; read c".to_owned(), path.display().to_string()];
        let config =
            McpConfig { command: Some("sh".to_owned()), args, start_timeout_seconds: 1, ..McpConfig::default() };
        let configs = BTreeMap::from([("t".to_owned(), ToolConfig::Mcp(config))]);
        let Ok(tools) = Toolbox::new(configs, no_models()) else { return };
        let granted = vec!["t".to_owned()];
        if let Ok(specs) = tools.specs(&granted).await {
            let limits = ToolCallLimits { timeout: Duration::from_secs(1), max_result_chars: 6_000 };
            for spec in specs.iter().take(1) {
                let outcome = tools.call(&granted, &spec.name, json!({"a": "b"}), &limits).await;
                drop(outcome);
            }
        }
        tools.close().await;
    });
}
