//! Schemas that were compiled already.
use crate::{Schema, SchemaError};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The nodes of all schemas that are kept. A pattern takes the most memory: 256 KiB, and counts as 50.
const MOST_KEPT: u64 = 20_000;

/// Schemas that were compiled in this process and are still known, by what they say: a debate's schema is compiled when the debate is
/// admitted, and not again for each answer.
#[derive(Debug, Default)]
pub struct Cache {
    /// The last used one last.
    kept: Mutex<VecDeque<(Value, Arc<Schema>)>>,
}

impl Cache {
    /// The one of this process.
    pub fn shared() -> &'static Self {
        static SHARED: Cache = Cache { kept: Mutex::new(VecDeque::new()) };
        &SHARED
    }

    /// A schema of at most `most` nodes, compiled now or before.
    pub fn compiled(&self, schema: &Value, most: u64) -> Result<Arc<Schema>, SchemaError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(known, ready)| ready.nodes <= most && known == schema);
        if let Some(found) = known.and_then(|at| kept.remove(at)) {
            let ready = Arc::clone(&found.1);
            kept.push_back(found);
            return Ok(ready);
        }
        drop(kept);
        // Others may go on meanwhile; at worst it is compiled twice.
        let ready = Arc::new(Schema::compile(schema, most)?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((schema.clone(), Arc::clone(&ready)));
        while kept.iter().map(|(_, ready)| ready.nodes).sum::<u64>() > MOST_KEPT {
            kept.pop_front();
        }
        Ok(ready)
    }

    /// Whether a schema need not be compiled again.
    pub fn knows(&self, schema: &Value) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|(known, _)| known == schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MAX_NODES, MOST_NODES, SchemaRefusal};
    use serde_json::json;

    #[test]
    fn the_same_schema_is_compiled_once() {
        let cache = Cache::default();
        let schema = |title: &str| json!({"title": title, "type": "object"});
        let first = cache.compiled(&schema("a"), MAX_NODES).unwrap();
        assert!(Arc::ptr_eq(&first, &cache.compiled(&schema("a"), MOST_NODES).unwrap()));
        assert!(!Arc::ptr_eq(&first, &cache.compiled(&schema("b"), MAX_NODES).unwrap()));
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_last_used_stays() {
        let cache = Cache::default();
        let large = |n: u64| json!({"enum": (n..n + 4_000).collect::<Vec<_>>()});
        (0..5).for_each(|n| {
            cache.compiled(&large(n), MAX_NODES).unwrap();
            cache.compiled(&large(0), MAX_NODES).unwrap();
        });
        assert!(cache.knows(&large(0)) && cache.knows(&large(4)) && !cache.knows(&large(1)));
    }

    #[test]
    fn a_known_schema_is_still_held_to_a_lower_limit() {
        let cache = Cache::default();
        let schema = json!({"enum": [1, 2, 3, 4]});
        cache.compiled(&schema, MAX_NODES).unwrap();
        assert_eq!(cache.compiled(&schema, 3).unwrap_err().why, SchemaRefusal::TooLarge(3));
    }
}
