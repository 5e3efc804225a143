//! What a server tells about its models.

/// A model that a server could run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelInfo {
    /// The name to ask for.
    pub name: String,
    /// The size of the weights in bytes.
    pub size: Option<u64>,
    /// The digest of the weights.
    pub digest: Option<String>,
    /// The family, such as `llama`.
    pub family: Option<String>,
    /// The number of parameters, such as `8.0B`.
    pub parameter_size: Option<String>,
    /// The quantization, such as `Q4_K_M`.
    pub quantization: Option<String>,
    /// The longest context that the model takes, in tokens: what it was trained for, at llama.cpp and vLLM what it was launched with.
    pub context_length: Option<u64>,
}

/// What is known of one model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelDetails {
    /// What it can do: `completion`, `tools`, `thinking`, `embedding` and others.
    pub capabilities: Option<Vec<String>>,
    /// The longest context that the model was trained for, in tokens; what is allocated is in [`LoadedModel`].
    pub context_length: Option<u64>,
    /// The family, such as `llama`.
    pub family: Option<String>,
    /// The number of parameters, such as `8.0B`.
    pub parameter_size: Option<String>,
    /// The quantization, such as `Q4_K_M`.
    pub quantization: Option<String>,
    /// Where the model really runs, when this server only forwards to it.
    pub remote_host: Option<String>,
}

impl ModelDetails {
    /// Whether the server says that the model can do `capability`; `None` when it does not tell.
    #[must_use]
    pub fn can(&self, capability: &str) -> Option<bool> {
        self.capabilities.as_ref().map(|all| all.iter().any(|one| one == capability))
    }
}

/// A model in a server's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedModel {
    /// The name that it was first loaded by; another name for the same weights is not listed.
    pub name: String,
    /// The context length that is really allocated, in tokens.
    pub context_length: Option<u64>,
    /// All memory that it takes, in bytes.
    pub size: Option<u64>,
    /// The part of it that is on the GPU, in bytes.
    pub size_vram: Option<u64>,
    /// When it will be unloaded, in the server's own words.
    pub expires_at: Option<String>,
}

impl LoadedModel {
    /// Whether part of the model runs on the CPU; `None` when the server does not tell.
    #[must_use]
    pub fn offloaded(&self) -> Option<bool> {
        Some(self.size_vram? < self.size?)
    }
}
