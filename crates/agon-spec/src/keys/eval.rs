//! The keys of an eval file.
use super::{Choice, Key, KeyTable, Shape, choice, key};

pub(crate) static EVAL: KeyTable = KeyTable {
    title: "eval",
    about: "The top level of an eval file.",
    keys: KEYS,
    elsewhere: &[
        ("budget", "write `match: {budget: N}`"),
        ("debate", "write `debates`, a list"),
        ("design_max", "the maximum is the number of questions"),
        ("dataset", "write `questions`"),
        ("rounds", "write `set: {max_rounds: N}` in a debate"),
        ("prices", "write them in the settings, under `[eval.prices]`"),
    ],
};

#[rustfmt::skip] // a table: what a value is, then what it means
static KEYS: &[Key] = &[
    key("title", Shape::Line, "what is compared, on how many questions", "The title of its reports."),
    key("questions", Shape::Either(&FILE_OR_QUESTIONS), "",
        "The file of questions, or a mapping. Paths start at the eval file's folder.").required(),
    key("debates", Shape::List { of: &DEBATES, min: 1, max: 16 }, "", "The debates that are compared.").required(),
    key("commands", Shape::List { of: &COMMANDS, min: 1, max: 15 }, "none",
        "Methods of your own: programs that answer the questions, on this machine only."),
    key("arms", Shape::Choices { of: ARMS, min: 0 }, "[single, self_consistency]",
        "The simpler methods that debates are compared with."),
    key("primary", Shape::List { of: &PRIMARY, min: 1, max: 16 }, "each debate against `self_consistency`",
        "The comparisons that get a verdict. They are fixed before the first call."),
    key("match", Shape::Short(MATCH, &BUDGET), "debate", "How much the simpler methods may spend."),
    key("count", Shape::Choice(COUNT), "total", "What is counted for that, over all calls."),
    key("max_samples", Shape::Integer { min: 1, max: 64 }, "64", "The maximum number of samples of a question."),
    key("repetitions", Shape::Integer { min: 1, max: 20 }, "1", "How often each question is asked of each arm."),
    key("worth", Shape::Number { min: 0.1, max: 50.0 }, "3", "The smallest gain that is worth having, in percentage points."),
    key("alpha", Shape::Number { min: 0.001, max: 0.2 }, "0.05", "The significance level."),
    key("design", Shape::Choice(DESIGN), "fixed", "Whether the number of questions is fixed."),
    key("scorer", Shape::Short(SCORER, &SCORER_PROGRAM), "by what the question has",
        "How questions are scored that have no `kind` of their own; or a program that scores them, on this machine only."),
    key("grader", Shape::Either(&MODEL_OR_GRADER), "none",
        "The model that grades rubrics and pairs of answers, or a panel of 3 or 5. It must be of another family than what is tested."),
    key("confidence", Shape::Flag, "false", "Whether ballots and samples state how sure they are, from 0 to 100."),
    key("limits", Shape::Map(&LIMITS), "none", "Where the eval ends, at the end of a block of questions."),
    key("seed", Shape::Integer { min: 0, max: u64::MAX as i128 }, "0", "Fixes every random choice."),
];

static FILE_OR_QUESTIONS: [Shape; 2] = [Shape::Line, Shape::Map(&QUESTIONS)];
static MODEL_OR_GRADER: [Shape; 2] = [Shape::Line, Shape::Map(&GRADER)];

static QUESTIONS: KeyTable = KeyTable {
    title: "questions",
    about: "A file with its shape, or fresh questions that Agon makes itself: either `file` or `builtin`.",
    keys: &[
        key("file", Shape::Line, "", "The file: JSONL, JSON, CSV or YAML.").instead_of("builtin"),
        key("shape", Shape::Choice(SHAPE), "recognised by its members", "`file`: which members mean what."),
        key("builtin", Shape::Choice(BUILTIN), "", "A set of fresh questions."),
        key("count", Shape::Integer { min: 1, max: 2_000 }, "40", "`builtin`: how many questions."),
        key("seed", Shape::Integer { min: 0, max: u64::MAX as i128 }, "the eval's", "`builtin`: which questions."),
    ],
    elsewhere: &[("path", "write `file`")],
};

static DEBATES: KeyTable = KeyTable {
    title: "debates",
    about: "One entry of the list `debates`.",
    keys: &[
        key("name", Shape::Line, "the file's name", "Its name in tables: `[a-z0-9_-]`, 40 characters at most."),
        key("file", Shape::Line, "", "The debate file, into which questions are put.").required(),
        key("set", Shape::Keys, "", "Keys of the debate file that are set over it. Mappings are merged."),
        key("isolated", Shape::Flag, "false", "Whether the same debate is also held so that nobody sees the others."),
    ],
    elsewhere: &[],
};

static COMMANDS: KeyTable = KeyTable {
    title: "commands",
    about: "One entry of the list `commands`. The program runs once for each question and repetition, in the eval file's folder.",
    keys: &[
        key("name", Shape::Line, "", "Its name in tables and in `primary`: `[a-z0-9_-]`, 40 characters at most.").required(),
        key(
            "run",
            Shape::Program,
            "",
            "The program and its arguments, without a shell. A program with a `/` starts at the eval file's folder; others are found by `PATH`.",
        )
        .required(),
        key("timeout", Shape::Duration, "300s", "When a run is ended and has failed."),
        key(
            "budget_of",
            Shape::Line,
            "the first debate",
            "`match: debate` and `mean`: the debate whose tokens the program is given as its `budget`.",
        ),
    ],
    elsewhere: &[("command", "write `run`"), ("file", "write `run`, a list")],
};

static SCORER_PROGRAM: KeyTable = KeyTable {
    title: "scorer",
    about: "A program of your own that scores final answers. It runs once for each answer that differs, for 30 seconds at most, in the eval file's folder.",
    keys: &[key(
        "command",
        Shape::Program,
        "",
        "The program and its arguments, without a shell. A program with a `/` starts at the eval file's folder; others are found by `PATH`.",
    )
    .required()],
    elsewhere: &[("run", "write `command`")],
};

static PRIMARY: KeyTable = KeyTable {
    title: "primary",
    about: "One entry of the list `primary`.",
    keys: &[
        key("arm", Shape::Line, "", "The arm that is to be better.").required(),
        key("rival", Shape::Line, "", "What it is compared with.").required(),
    ],
    elsewhere: &[],
};

static BUDGET: KeyTable = KeyTable {
    title: "match",
    about: "The same budget on every question.",
    keys: &[key(
        "budget",
        Shape::Integer { min: 1, max: 1_000_000_000 },
        "",
        "What each arm without a debate may spend on each question, in the unit of `count`. A debate that spends more is warned of.",
    )
    .required()],
    elsewhere: &[],
};

static GRADER: KeyTable = KeyTable {
    title: "grader",
    about: "Who grades.",
    keys: &[
        key("models", Shape::Lines, "", "One model, or a panel of 3 or 5.").required(),
        key(
            "same_family",
            Shape::Flag,
            "false",
            "Whether a grader may be of a model family under test. This marks each verdict.",
        ),
    ],
    elsewhere: &[("model", "write `models: [NAME]`")],
};

static LIMITS: KeyTable = KeyTable {
    title: "limits",
    about: "Limits of the whole eval.",
    keys: &[
        key(
            "tokens",
            Shape::Integer { min: 1, max: u64::MAX as i128 },
            "",
            "Prompt and generated tokens of all cells.",
        ),
        key(
            "seconds",
            Shape::Number { min: 1.0, max: 31_536_000.0 },
            "",
            "Seconds since the eval began, or was retried or rescored. What is open then is cancelled.",
        ),
        key(
            "money",
            Shape::Number { min: 0.0, max: 1_000_000_000.0 },
            "",
            "Money of all cells, by the prices of the settings.",
        ),
    ],
    elsewhere: &[],
};

const ARMS: &[Choice] = &[
    choice("single", "one answer"),
    choice("self_consistency", "the most frequent of as many answers as the tokens allow"),
    choice("best_of_n", "as many answers as the tokens allow, of which the debate's judge picks one"),
    choice("judge_alone", "answers of the judge's model; only where it is no debater's"),
];
const MATCH: &[Choice] = &[
    choice("debate", "on each question what the debate spent on it"),
    choice("mean", "on each question what the debate spent in the mean"),
    choice("none", "as is; nothing is called equal"),
];
const COUNT: &[Choice] = &[
    choice("total", "prompt tokens, cached ones included, and generated tokens"),
    choice("generated", "generated tokens, thinking included"),
    choice("new", "the total without cached tokens"),
    choice("seconds", "seconds of prefill and decoding"),
    choice("money", "money, by the prices of the settings"),
];
const DESIGN: &[Choice] = &[
    choice("fixed", "all questions are asked, then one test"),
    choice("sequential", "a look after each block of questions; the eval ends as soon as the answer is known"),
];
const SCORER: &[Choice] = &[
    choice("choice", "the option that is right"),
    choice("exact", "the text, but for letter case, space, final stop and articles"),
    choice("number", "the number, within the tolerance"),
    choice("rubric", "a grader says of each criterion whether it is met"),
    choice("pairwise", "a grader says which of two answers is better"),
];
const SHAPE: &[Choice] = &[
    choice("plain", "the members by their names, or by the other names that are read"),
    choice("gsm8k", "GSM8K: `answer` ends with `#### NUMBER`"),
    choice("mmlu", "MMLU: `choices`, and `answer` as an index from 0 or a letter"),
    choice("arc", "ARC: `question` (or `question.stem`), `choices` with labels, `answerKey`"),
    choice("inspect", "samples of inspect_ai"),
    choice("openai_evals", "samples of openai/evals"),
    choice("promptfoo", "tests of promptfoo"),
    choice("topics", "texts alone, without answers"),
];
const BUILTIN: &[Choice] = &[
    choice("arithmetic", "calculations and word problems in several steps"),
    choice("logic", "orders, liars, implications and sets"),
    choice("dates", "weekdays, distances between dates, leap years"),
];
