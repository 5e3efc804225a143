//! All tools of one host.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use agon_llm::ToolSpec;
use futures_util::future::join_all;
use serde_json::Value;
use tokio::time::{Instant, timeout};

use crate::config::name_problem;
use crate::mcp::{self, Mcp};
use crate::rag::{self, Rag};
use crate::search::{self, Search};
use crate::{
    ConfigProblems, FindModel, MAX_TOOLS, ModelConfig, ToolCallLimits, ToolConfig, ToolError, ToolOutcome, no_models,
    schema, scorer, summarizer,
};

/// What stands between a tool's name and the name that an MCP server gives to one of its functions.
pub(crate) const SEPARATOR: &str = "__";

/// The tools of a host, each started at its first use; cheap to clone.
#[derive(Clone)]
pub struct Toolbox(Arc<ToolboxParts>);

struct ToolboxParts {
    tools: BTreeMap<String, Tool>,
    find: FindModel,
}

enum Tool {
    Search(Search),
    Summarizer(ModelConfig),
    Scorer(ModelConfig),
    Mcp(Mcp),
    Rag(Rag),
}

impl Toolbox {
    /// Takes the tools of a host; nothing is started or read yet. `find` gives the models that some tools ask.
    ///
    /// # Errors
    /// All that is wrong with the configuration, at once.
    pub fn new(configs: BTreeMap<String, ToolConfig>, find: FindModel) -> Result<Self, ConfigProblems> {
        let mut problems = Vec::new();
        if configs.len() > MAX_TOOLS {
            problems.push(format!("tools: {} of them; at most {MAX_TOOLS}", configs.len()));
        }
        for (name, config) in &configs {
            problems.extend(name_problem("tool", name).map(|problem| format!("tools: {problem}")));
            problems.extend(config.problems().into_iter().map(|problem| format!("tools.{name}: {problem}")));
        }
        if !problems.is_empty() {
            return Err(ConfigProblems(problems));
        }
        let tools = configs.into_iter().map(|(name, config)| (name, Tool::new(config))).collect();
        Ok(Self(Arc::new(ToolboxParts { tools, find })))
    }

    /// The names that debates may use here.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.tools.keys().map(String::as_str)
    }

    /// The name by which models call a function of the MCP server `tool`; none where there is no such server.
    pub(crate) fn mcp_function(&self, tool: &str, function: &str) -> Option<String> {
        matches!(self.0.tools.get(tool), Some(Tool::Mcp(_))).then(|| mcp::function_name(tool, function))
    }

    /// The functions of the tools `names`, as a model is offered them; MCP servers are started for it.
    ///
    /// # Errors
    /// When a tool does not exist or cannot be started. Ask tool by tool where the others are to stay usable.
    pub async fn specs(&self, names: &[String]) -> Result<Vec<ToolSpec>, ToolError> {
        let mut specs = Vec::new();
        for name in names {
            specs.extend(self.tool(name)?.specs(name).await?);
        }
        Ok(specs)
    }

    /// Calls a function of a tool that is among `granted`; models invent names, so those that were not offered are refused.
    pub async fn call(
        &self,
        granted: &[String],
        function: &str,
        arguments: Value,
        limits: &ToolCallLimits,
    ) -> ToolOutcome {
        let started = Instant::now();
        let result = self.run(granted, function, arguments, limits).await;
        ToolOutcome::new(result, started.elapsed(), limits.max_result_chars)
    }

    async fn run(
        &self,
        granted: &[String],
        function: &str,
        arguments: Value,
        limits: &ToolCallLimits,
    ) -> Result<String, ToolError> {
        let name = function.split_once(SEPARATOR).map_or(function, |(name, _)| name);
        let Some(name) = granted.iter().find(|granted| *granted == name) else {
            return Err(ToolError::UnknownFunction { function: function.to_owned(), known: granted.to_vec() });
        };
        let call = ToolInvocation { tool: name, function, arguments, limits: *limits };
        let tool = self.tool(name)?;
        match timeout(limits.timeout, tool.run(call, &self.0.find)).await {
            Ok(result) => result,
            Err(_) => {
                tool.abandon();
                Err(ToolError::TimedOut { tool: name.clone(), after: limits.timeout })
            }
        }
    }

    /// Ends every server that was started, within a few seconds.
    pub async fn close(&self) {
        join_all(self.0.tools.values().map(Tool::close)).await;
    }

    fn tool(&self, name: &str) -> Result<&Tool, ToolError> {
        let unknown =
            || ToolError::UnknownTool { tool: name.to_owned(), known: self.names().map(str::to_owned).collect() };
        self.0.tools.get(name).ok_or_else(unknown)
    }
}

/// One call, on its way to a tool.
struct ToolInvocation<'a> {
    tool: &'a str,
    function: &'a str,
    arguments: Value,
    limits: ToolCallLimits,
}

impl Tool {
    fn new(config: ToolConfig) -> Self {
        match config {
            ToolConfig::Search(config) => Self::Search(Search::new(config)),
            ToolConfig::Summarizer(config) => Self::Summarizer(config),
            ToolConfig::Scorer(config) => Self::Scorer(config),
            ToolConfig::Mcp(config) => Self::Mcp(Mcp::new(config)),
            ToolConfig::Rag(config) => Self::Rag(Rag::new(config)),
        }
    }

    async fn specs(&self, name: &str) -> Result<Vec<ToolSpec>, ToolError> {
        let own = |description: &str, parameters: Value| {
            vec![ToolSpec {
                name: name.to_owned(),
                description: description.to_owned(),
                parameters: Arc::new(parameters),
            }]
        };
        Ok(match self {
            Self::Search(_) => own(search::DESCRIPTION, search::parameters()),
            Self::Summarizer(_) => own(summarizer::DESCRIPTION, summarizer::parameters()),
            Self::Scorer(_) => own(scorer::DESCRIPTION, scorer::parameters()),
            Self::Mcp(server) => return server.specs(name).await,
            Self::Rag(_) => own(rag::DESCRIPTION, rag::parameters()),
        })
    }

    /// Leaves nothing behind of a call that ran out of time.
    fn abandon(&self) {
        match self {
            Self::Mcp(server) => server.abandon(),
            Self::Search(_) | Self::Summarizer(_) | Self::Scorer(_) | Self::Rag(_) => {}
        }
    }

    async fn close(&self) {
        match self {
            Self::Mcp(server) => server.close().await,
            Self::Search(_) | Self::Summarizer(_) | Self::Scorer(_) | Self::Rag(_) => {}
        }
    }

    async fn run(&self, call: ToolInvocation<'_>, find: &FindModel) -> Result<String, ToolError> {
        let ToolInvocation { tool, function, arguments, limits } = call;
        let fits = |parameters: Value| {
            if function != tool {
                return Err(ToolError::UnknownFunction { function: function.to_owned(), known: vec![tool.to_owned()] });
            }
            let schema = schema::compile(&parameters).map_err(|reason| ToolError::malformed(tool, reason))?;
            schema::check(function, &schema, &arguments)
        };
        match self {
            Self::Search(search) => {
                fits(search::parameters())?;
                search.run(tool, arguments).await
            }
            Self::Summarizer(config) => {
                fits(summarizer::parameters())?;
                summarizer::run(tool, config, find, arguments).await
            }
            Self::Scorer(config) => {
                fits(scorer::parameters())?;
                scorer::run(tool, config, find, arguments).await
            }
            Self::Mcp(server) => server.run(tool, function, arguments).await,
            Self::Rag(files) => {
                fits(rag::parameters())?;
                files.run(tool, find, arguments, limits.timeout / 2).await
            }
        }
    }
}

impl Default for Toolbox {
    /// No tools at all.
    fn default() -> Self {
        Self(Arc::new(ToolboxParts { tools: BTreeMap::new(), find: no_models() }))
    }
}

impl fmt::Debug for Toolbox {
    /// Names and kinds alone: addresses, commands and keys are nobody's business in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Toolbox").field(&self.names().collect::<Vec<_>>()).finish()
    }
}
