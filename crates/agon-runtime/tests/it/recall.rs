//! What a new debate is told of earlier ones.
use crate::cast::Cast;
use crate::outage;
use crate::test_bench::*;
use agon_core::*;
use agon_llm::{ChatError, ChatErrorKind, ChatModel};
use agon_proto::{DebateSummary, SummaryState};
use agon_runtime::{MOST_COMPARED, MOST_EMBEDDED, recall};
use agon_store::{Catalogue, MemoryStore};
use std::sync::Arc;
use std::time::Duration;

fn seat(persona: &str, stance: &str) -> CardSeat {
    CardSeat { persona: persona.into(), model: "m".into(), stance: Some(stance.into()), first: None, last: None }
}

/// A debate on a bridge that Ada won.
fn ended(id: &str, admitted: u64) -> DebateSummary {
    DebateSummary {
        id: debate(id),
        topic: "Should the town build a bridge?".into(),
        state: SummaryState::Ended { state: DebateState::Succeeded, outcome: Some(Outcome::Decided) },
        labels: Default::default(),
        priority: Priority::Normal,
        creator: None,
        rehearsal: true,
        epoch: 1,
        last: Position(9),
        admitted: Timestamp(admitted),
        updated: Timestamp(admitted),
        paused_ms: 0,
        claimed: None,
        rounds: None,
        figures: None,
        card: Some(Card {
            outcome: Outcome::Decided,
            verdict: Some("Build it.".into()),
            winner: Some("for".into()),
            majority: MajorityShift::None,
            seats: vec![seat("Ada", "for"), seat("Bob", "against")],
            course: None,
        }),
    }
}

async fn knowing(summaries: impl IntoIterator<Item = DebateSummary>) -> MemoryStore {
    let store = MemoryStore::new();
    for summary in summaries {
        store.note(summary).await.unwrap();
    }
    store
}

/// The ids of the debates that the bridge's debate is told of.
async fn told(store: &MemoryStore, admission: Admission) -> Vec<String> {
    let mut admission = admission;
    recall(store, None, &mut admission).await.unwrap();
    admission.history.iter().map(|past| past.id.to_string()).collect()
}

fn asking(history_limit: u32) -> Admission {
    admission("the-new", DebateSpec { history_limit, ..spec() })
}

#[tokio::test]
async fn the_most_similar_are_told_and_of_equals_the_newer_first() {
    let other = DebateSummary { topic: "Should the town buy trams?".into(), ..ended("other", 9) };
    let unlike = DebateSummary { topic: "Tea?".into(), card: None, ..ended("unlike", 9) };
    let store = knowing([ended("first", 1), other, ended("second", 2), unlike]).await;
    assert_eq!(told(&store, asking(20)).await, ["second", "first", "other"]);
    assert_eq!(told(&store, asking(1)).await, ["second"]);
    assert_eq!(told(&store, asking(0)).await, [""; 0]);
}

#[tokio::test]
async fn what_is_told_is_what_the_card_keeps() {
    let store = knowing([ended("first", 1)]).await;
    let mut admission = asking(1);
    recall(&store, None, &mut admission).await.unwrap();
    let past = PastDebate {
        id: debate("first"),
        topic: "Should the town build a bridge?".into(),
        admitted: Timestamp(1),
        outcome: Outcome::Decided,
        verdict: Some("Build it.".into()),
        winner: Some("for".into()),
        failed: Vec::new(),
    };
    assert_eq!(admission.history, [past]);
}

#[tokio::test]
async fn what_failed_is_told_only_where_the_file_asks_for_it_and_so_much_at_most() {
    let seats = vec![seat("Ada", "for"), seat("Bob", "against"), seat("Cy", "later")];
    let ended = ended("first", 1);
    let card = ended.card.clone().map(|card| Card { seats, ..card });
    let store = knowing([DebateSummary { card, ..ended }]).await;
    let failed = async |failed_arguments| {
        let mut admission = admission("the-new", DebateSpec { history_limit: 1, failed_arguments, ..spec() });
        recall(&store, None, &mut admission).await.unwrap();
        admission.history.remove(0).failed.into_iter().map(|failed| failed.text).collect::<Vec<_>>()
    };
    assert_eq!(failed(0).await, [""; 0]);
    assert_eq!(failed(1).await, ["against"]);
    assert_eq!(failed(10).await, ["against", "later"]);
}

#[tokio::test]
async fn rehearsals_and_other_debates_are_never_told_of_each_other() {
    let store = knowing([ended("rehearsed", 1), DebateSummary { rehearsal: false, ..ended("real-one", 2) }]).await;
    assert_eq!(told(&store, asking(20)).await, ["rehearsed"]);
    assert_eq!(told(&store, Admission { rehearsal: false, ..asking(20) }).await, ["real-one"]);
}

#[tokio::test]
async fn other_tenants_debates_running_ones_and_the_debate_itself_are_never_told() {
    let foreign = DebateSummary { id: DebateId::parse("acme/first").unwrap(), ..ended("first", 1) };
    let running =
        DebateSummary { state: SummaryState::Running { owner: "n".into() }, card: None, ..ended("second", 2) };
    let store = knowing([foreign, running, ended("the-new", 3)]).await;
    assert_eq!(told(&store, asking(20)).await, [""; 0]);
    let theirs = Admission { id: DebateId::parse("acme/the-new").unwrap(), ..asking(20) };
    assert_eq!(told(&store, theirs).await, ["acme/first"]);
}

#[tokio::test]
async fn only_the_newest_are_compared() {
    let unlike = |n: usize| DebateSummary { topic: "Tea?".into(), ..ended(&format!("debate-{n}"), 10 + n as u64) };
    let store = knowing((1..MOST_COMPARED).map(unlike).chain([ended("first", 2), ended("second", 1)])).await;
    let found = told(&store, asking(20)).await;
    assert!(found.contains(&"first".to_owned()) && !found.contains(&"second".to_owned()), "{found:?}");
}

#[tokio::test]
async fn a_weighted_vote_takes_the_ratings_that_the_file_does_not_give() {
    let store = knowing([ended("first", 1), DebateSummary { rehearsal: false, ..ended("real-one", 2) }]).await;
    let mut weighted = admission("the-new", DebateSpec { history_limit: 0, ..simultaneous_spec() });
    weighted.spec.voting.as_mut().unwrap().rule = VoteRule::Weighted;
    weighted.spec.personas[1].elo = Some(1_200.0);
    recall(&store, None, &mut weighted).await.unwrap();
    assert_eq!(weighted.ratings.keys().map(ParticipantId::as_str).collect::<Vec<_>>(), ["Ada"]);
    assert!(weighted.ratings[&ParticipantId::from("Ada")] > 1_500.0, "{:?}", weighted.ratings);
    assert!(weighted.history.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_debate_that_ended_is_told_to_the_next_one_unless_its_file_keeps_it_out() {
    for feedback in [true, false] {
        let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(500)));
        let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;
        let mut first = admission("first", spec());
        first.spec.phases.feedback = feedback;
        node.submit(first).await.unwrap();
        node.finished(&debate("first")).await.unwrap();
        assert!(node.drain().await);
        let mut second = asking(5);
        recall(&*stage.catalogue, None, &mut second).await.unwrap();
        assert_eq!(second.history.len(), usize::from(feedback));
    }
}

/// A debate on these letters, whose vector is the number of each vowel in them.
fn on(id: &str, admitted: u64, letters: &str) -> DebateSummary {
    let ended = ended(id, admitted);
    let card = ended.card.map(|card| Card { verdict: None, ..card });
    DebateSummary { topic: letters.into(), card, ..ended }
}

/// A debate on these letters that wants to know of earlier ones, by the vectors of a model.
fn asking_by(model: &str, letters: &str) -> Admission {
    let similarity = Similarity { embedding_model: Some(model.into()), ..Similarity::default() };
    let asked = DebateSpec { topic: letters.into(), context: None, similarity, ..asking(20).spec };
    Admission { spec: asked, ..asking(20) }
}

/// The ids of the debates that such a debate is told of, and how they were found.
async fn told_by(store: &MemoryStore, cast: &Cast, mut admission: Admission) -> (Vec<String>, Option<Method>) {
    let embedder: Arc<dyn ChatModel> = Arc::new(cast.clone());
    recall(store, Some(embedder), &mut admission).await.unwrap();
    let recalled = admission.recalled.as_ref();
    assert!(
        recalled.is_none_or(|recalled| Some(&recalled.model) == admission.spec.similarity.embedding_model.as_ref())
    );
    (admission.history.iter().map(|past| past.id.to_string()).collect(), recalled.map(|recalled| recalled.method))
}

/// How many texts were embedded in each call so far.
fn embedded(cast: &Cast) -> Vec<usize> {
    cast.state.embedded.lock().unwrap().iter().map(Vec::len).collect()
}

const BY_VECTORS: Option<Method> = Some(Method::Embeddings);
const BY_WORDS: Option<Method> = Some(Method::WordsInstead);

#[tokio::test]
async fn with_an_embedding_model_the_nearest_vectors_are_told() {
    // cosines with "aaa": 1 / sqrt 2, 2 / sqrt 5, 1, 0
    let store = knowing([on("half", 1, "ae"), on("most", 2, "aae"), on("same", 3, "aa"), on("none", 4, "ee")]).await;
    let cast = Cast::new(Duration::ZERO);
    let told = told_by(&store, &cast, asking_by("e", "aaa")).await;
    assert_eq!(told, (["same", "most", "half"].map(str::to_owned).to_vec(), BY_VECTORS));
    assert_eq!(embedded(&cast), [1, 4]);
}

#[tokio::test]
async fn vectors_are_kept_with_the_name_of_their_model() {
    let store = knowing([on("first", 1, "ae")]).await;
    let cast = Cast::new(Duration::ZERO);
    told_by(&store, &cast, asking_by("e", "aaa")).await;
    store.note(on("second", 2, "aa")).await.unwrap();
    let told = told_by(&store, &cast, asking_by("e", "aaa")).await;
    assert_eq!(told, (vec!["second".to_owned(), "first".to_owned()], BY_VECTORS));
    assert_eq!(embedded(&cast), [1, 1, 1, 1], "the first debate is embedded once");

    told_by(&store, &cast, asking_by("other", "aaa")).await;
    assert_eq!(embedded(&cast)[4..], [1, 2], "vectors of another model are not compared");
    let kept = store.vectors(&"other".into(), &[debate("first")]).await.unwrap();
    assert_eq!(kept, [(debate("first"), vec![1.0, 1.0, 0.0, 0.0, 0.0])].into());
}

#[tokio::test]
async fn kept_vectors_of_another_length_are_had_anew() {
    let store = knowing([on("first", 1, "aa")]).await;
    store.keep_vectors(&"e".into(), [(debate("first"), vec![1.0, 1.0])].into()).await.unwrap();
    let cast = Cast::new(Duration::ZERO);
    assert_eq!(told_by(&store, &cast, asking_by("e", "aaa")).await, (vec!["first".to_owned()], BY_VECTORS));
    assert_eq!(store.vectors(&"e".into(), &[debate("first")]).await.unwrap()[&debate("first")].len(), 5);
}

#[tokio::test]
async fn words_decide_where_no_vectors_can_be_had_and_the_log_says_so() {
    let store = knowing([on("alike", 1, "trams"), on("other", 2, "oxen")]).await;
    let cast = Cast::new(Duration::ZERO);
    *cast.state.no_embeddings.lock().unwrap() = Some(ChatError::new(ChatErrorKind::NotFound, "no such model"));
    let asked = asking_by("e", "Buy trams?");
    assert_eq!(told_by(&store, &cast, asked.clone()).await, (vec!["alike".to_owned()], BY_WORDS));
    assert_eq!(embedded(&cast), [1], "one attempt");
    let mut alone = asked;
    recall(&store, None, &mut alone).await.unwrap();
    assert_eq!(alone.recalled, Some(Recalled { method: Method::WordsInstead, model: "e".into() }));
}

#[tokio::test(start_paused = true)]
async fn a_silent_model_holds_nobody_up_for_longer_than_it_may() {
    let store = knowing([on("alike", 1, "trams")]).await;
    let cast = Cast::new(Duration::ZERO);
    *cast.state.embeds_after.lock().unwrap() = Duration::from_secs(300);
    let start = tokio::time::Instant::now();
    assert_eq!(told_by(&store, &cast, asking_by("e", "Buy trams?")).await, (vec!["alike".to_owned()], BY_WORDS));
    assert!(start.elapsed() < Duration::from_secs(7), "{:?}", start.elapsed());
}

#[tokio::test]
async fn nobody_is_asked_for_vectors_where_there_is_nothing_to_compare() {
    let (store, cast) = (knowing([]).await, Cast::new(Duration::ZERO));
    assert_eq!(told_by(&store, &cast, asking_by("e", "aaa")).await, (Vec::new(), None));
    assert_eq!(embedded(&cast), [0; 0]);
}

#[tokio::test]
async fn the_newest_are_embedded_first_and_the_others_by_later_debates() {
    let many = (0..MOST_EMBEDDED + 5).map(|n| on(&format!("debate-{n}"), n as u64, "a"));
    let (store, cast) = (knowing(many).await, Cast::new(Duration::ZERO));
    let (told, _) = told_by(&store, &cast, asking_by("e", "aaa")).await;
    assert_eq!(told[0], format!("debate-{}", MOST_EMBEDDED + 4));
    assert_eq!(embedded(&cast).iter().sum::<usize>(), 1 + MOST_EMBEDDED);
    told_by(&store, &cast, asking_by("e", "aaa")).await;
    assert_eq!(embedded(&cast).iter().sum::<usize>(), 1 + MOST_EMBEDDED + 1 + 5);
}

#[tokio::test]
async fn a_debate_that_asks_for_history_is_not_held_without_and_no_other_waits_for_it() {
    let (silent, outage) = outage::wire(&TestBench::new());
    outage.store(true);
    let error = recall(&*silent.catalogue, None, &mut asking(1)).await.unwrap_err();
    assert_eq!(error.to_string(), "the earlier debates that this one asks for cannot be looked up");
    recall(&*silent.catalogue, None, &mut asking(0)).await.unwrap();
    let mut weighted = admission("the-new", DebateSpec { history_limit: 0, ..simultaneous_spec() });
    weighted.spec.voting.as_mut().unwrap().rule = VoteRule::Weighted;
    recall(&*silent.catalogue, None, &mut weighted).await.unwrap_err();
    weighted.spec.personas.iter_mut().for_each(|persona| persona.weight = Some(1.0));
    recall(&*silent.catalogue, None, &mut weighted).await.unwrap();
}
