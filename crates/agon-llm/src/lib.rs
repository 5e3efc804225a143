//! agon-llm
