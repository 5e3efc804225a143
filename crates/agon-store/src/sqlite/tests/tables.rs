use super::*;
use crate::catalogue::model::{CatalogueModel, CatalogueStep, query, steps};
use crate::port::{REQUESTS_KEPT, REQUESTS_PURGED};
use crate::{Catalogue as _, RequestClaim, Requests as _};
use agon_core::TenantId;
use proptest::prelude::*;
use std::num::NonZeroUsize;

const LEASE: Duration = Duration::from_secs(9);

#[tokio::test]
async fn the_queue_is_bounded_whoever_fills_it() {
    let rig = Sqlite::new();
    let options = || SqliteOptions { max_jobs: NonZeroUsize::new(2).unwrap(), ..rig.options() };
    let [one, two] = [options(), options()].map(|options| SqliteStore::open(&rig.path(), options).unwrap());
    one.enqueue(&debate("a"), Priority::Normal).await.unwrap();
    two.enqueue(&debate("b"), Priority::Batch).await.unwrap();
    // Whoever is in is no new one.
    two.enqueue(&debate("a"), Priority::Interactive).await.unwrap();
    let refused = one.enqueue(&debate("c"), Priority::Interactive).await.unwrap_err();
    assert!(matches!(&refused, StoreError::Full(what) if what == "the job queue (2 jobs)"), "{refused}");
    let job = one.take("one", LEASE).await.unwrap().unwrap();
    assert!(one.enqueue(&debate("c"), Priority::Interactive).await.is_err());
    one.complete(&job).await.unwrap();
    one.enqueue(&debate("c"), Priority::Interactive).await.unwrap();
    two.delete(&debate("b")).await.unwrap();
    two.enqueue(&debate("d"), Priority::Interactive).await.unwrap();
    assert!(two.enqueue(&debate("e"), Priority::Interactive).await.is_err());
}

#[tokio::test]
async fn two_processes_share_the_queue_out_as_one() {
    let rig = Sqlite::new();
    let stores = [rig.open(), rig.open()];
    for priority in Priority::ALL {
        for n in 0..12 {
            stores[0].enqueue(&debate(&format!("{}-{n}", priority.as_str())), priority).await.unwrap();
        }
    }
    let mut counts = [0; 3];
    for n in 0..12 {
        let job = stores[n % 2].take("owner", LEASE).await.unwrap().unwrap();
        let at = Priority::ALL.iter().position(|priority| job.debate.name().contains(priority.as_str())).unwrap();
        counts[at] += 1;
    }
    assert_eq!(counts, [8, 3, 1]);
}

#[tokio::test]
async fn request_ids_are_forgotten_after_a_week_a_few_at_a_time() {
    let rig = Sqlite::new();
    let store = rig.open();
    let tenant = TenantId::default();
    let claim = |id: &str| RequestClaim { debate: debate(id), payload: [1; 32] };
    for n in 0..=REQUESTS_PURGED {
        store.claim(&tenant, &n.to_string(), claim("old")).await.unwrap();
    }
    rig.pass(REQUESTS_KEPT).await;
    assert_eq!(store.claim(&tenant, "0", claim("new")).await.unwrap(), claim("old"));
    rig.pass(Duration::from_millis(1)).await;
    store.claim(&tenant, "other", claim("new")).await.unwrap();
    let kept: i64 = rig.raw().query_row("SELECT count(*) FROM requests", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 2);
    assert_eq!(store.claim(&tenant, "0", claim("new")).await.unwrap(), claim("new"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_catalogue_is_what_a_sorted_list_is(steps in steps(), queries in prop::collection::vec(query(), 1..10)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (rig, mut model) = (Sqlite::new(), CatalogueModel::default());
        runtime.block_on(async {
            let store = rig.open();
            for step in steps {
                match step.clone() {
                    CatalogueStep::Note(summary) => store.note(*summary).await.unwrap(),
                    CatalogueStep::Strike(id) => store.strike(&id).await.unwrap(),
                }
                model.take(step);
            }
            prop_assert_eq!(store.unfinished().await.unwrap(), model.unfinished());
            for query in queries {
                prop_assert_eq!(store.find(&query).await.unwrap(), model.find(&query));
            }
            Ok(())
        })?;
    }
}
