//! Families of models, by their names.
use crate::Grader;
use std::collections::BTreeMap;

/// How names begin, and the family that says it. Longer beginnings stand before what they begin with.
const FAMILIES: [(&str, &str); 48] = [
    ("codellama", "llama"),
    ("tinyllama", "llama"),
    ("llama", "llama"),
    ("vicuna", "llama"),
    ("nemotron", "llama"),
    ("codegemma", "gemma"),
    ("shieldgemma", "gemma"),
    ("gemma", "gemma"),
    ("gemini", "gemma"),
    ("codeqwen", "qwen"),
    ("qwen", "qwen"),
    ("qwq", "qwen"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("magistral", "mistral"),
    ("ministral", "mistral"),
    ("mathstral", "mistral"),
    ("mistral", "mistral"),
    ("mixtral", "mistral"),
    ("pixtral", "mistral"),
    ("phi", "phi"),
    ("deepseek", "deepseek"),
    ("command", "command"),
    ("aya", "command"),
    ("c4ai", "command"),
    ("granite", "granite"),
    ("olmo", "olmo"),
    ("tulu", "olmo"),
    ("smollm", "smollm"),
    ("falcon", "falcon"),
    ("yi", "yi"),
    ("glm", "glm"),
    ("chatglm", "glm"),
    ("internlm", "internlm"),
    ("exaone", "exaone"),
    ("solar", "solar"),
    ("kimi", "kimi"),
    ("moonlight", "kimi"),
    ("minimax", "minimax"),
    ("ernie", "ernie"),
    ("hunyuan", "hunyuan"),
    ("gpt", "gpt"),
    ("chatgpt", "gpt"),
    ("davinci", "gpt"),
    ("claude", "claude"),
    ("grok", "grok"),
    ("nova", "nova"),
    ("stablelm", "stablelm"),
];

/// The family of a model: by the beginning of its name, whatever host or owner stands before it; the name itself where no family is known.
/// A reasoning model distilled into another family counts as that one, as `deepseek-r1-distill-llama` does.
pub fn family_of(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let distilled = name.split_once("distill-").map(|(_, base)| base.to_owned());
    let base = distilled.unwrap_or(name);
    let letters = base.split([':', '@']).next().unwrap_or(&base);
    // `o1` and `o3-mini` have no word to go by
    let is_o = letters.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_o {
        return "gpt".to_owned();
    }
    let known = FAMILIES.iter().find(|(start, _)| starts_as_word(letters, start));
    known.map_or_else(|| letters.to_owned(), |(_, family)| (*family).to_owned())
}

/// Whether a name begins with these letters and no further ones: `phi4`, and not `phind`.
fn starts_as_word(name: &str, start: &str) -> bool {
    name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Why graders are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraderRefused {
    /// A panel of another size.
    #[error("{0} graders; name one model, or a panel of 3 or 5")]
    PanelSize(usize),
    /// Two graders of a panel are of one family.
    #[error("the graders {one} and {other} are both of the family {family}; a panel needs different families")]
    PanelFamily {
        /// A grader.
        one: String,
        /// Another.
        other: String,
        /// Of both.
        family: String,
    },
    /// A grader is of the family of a model that is tested.
    #[error(
        "the grader {grader} is of the family {family}, as is the tested model {tested}; judges favour models that err as they do: name a grader of another family, or allow it with --same-family or same_family: true, which marks each verdict"
    )]
    SameFamily {
        /// The grader.
        grader: String,
        /// The model that is tested.
        tested: String,
        /// Of both.
        family: String,
    },
}

/// Whether these graders may grade these models. Gives whether a grader is of the family of one that is tested, which `same_family` allows.
pub fn check_graders<'t>(grader: &Grader, tested: impl IntoIterator<Item = &'t str>) -> Result<bool, GraderRefused> {
    let size = grader.models.len();
    if !matches!(size, 1 | 3 | 5) {
        return Err(GraderRefused::PanelSize(size));
    }
    let mut families: BTreeMap<String, &str> = BTreeMap::new();
    for model in &grader.models {
        let family = family_of(model);
        if let Some(one) = families.insert(family.clone(), model) {
            return Err(GraderRefused::PanelFamily { one: one.to_owned(), other: model.clone(), family });
        }
    }
    let shared = tested.into_iter().find_map(|tested| {
        let family = family_of(tested);
        let grader = (*families.get(&family)?).to_owned();
        Some(GraderRefused::SameFamily { grader, tested: tested.to_owned(), family })
    });
    match shared {
        Some(refused) if !grader.same_family => Err(refused),
        shared => Ok(shared.is_some()),
    }
}
