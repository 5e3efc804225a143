//! Facts about the models of well-known services, from a file that `data/service_models.py` writes.
use agon_core::ModelName;
use agon_llm::{WellKnownModel, WellKnownModels};
use agon_report::Price;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Read once; a test reads it too, so that it has no mistakes.
static FILE: LazyLock<ServiceModels> =
    LazyLock::new(|| toml::from_str(include_str!("../../data/service_models.toml")).unwrap_or_default());

#[derive(Default, Deserialize)]
struct ServiceModels {
    date: String,
    source: String,
    models: BTreeMap<String, ServiceModel>,
}

#[derive(Deserialize)]
struct ServiceModel {
    #[serde(flatten)]
    price: Option<ListPrice>,
    #[serde(flatten)]
    known: WellKnownModel,
}

/// USD for a million tokens.
#[derive(Deserialize)]
struct ListPrice {
    prompt: f64,
    cached: Option<f64>,
    generated: f64,
}

/// List prices, by the names that debates write.
pub fn list_prices() -> impl Iterator<Item = (ModelName, Price)> {
    let of: Arc<str> = format!("{}, {}", FILE.date, FILE.source).into();
    FILE.models.iter().filter_map(move |(model, facts)| {
        let ListPrice { prompt, cached, generated } = *facts.price.as_ref()?;
        let price = Price { prompt, cached, generated, currency: "USD".to_owned(), list: Some(Arc::clone(&of)) };
        Some((ModelName::from(model.as_str()), price))
    })
}

/// What is known of the models of the service with this prefix, by its own names.
pub fn known_models(prefix: &str) -> WellKnownModels {
    let named = |(model, facts): (&String, &ServiceModel)| {
        Some((model.strip_prefix(prefix)?.strip_prefix('/')?.to_owned(), facts.known.clone()))
    };
    FILE.models.iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::super::prices::of;
    use super::super::providers::has_prefix;
    use super::super::{HostSettings, PROVIDERS, PriceSettings};
    use super::*;

    const TEXT: &str = include_str!("../../data/service_models.toml");
    const KEYS: &str = include_str!("../../../../docs/guide/keys.md");

    #[test]
    fn the_file_has_known_keys_figures_above_0_and_models_of_recognised_services_in_order() {
        let file: toml::Table = toml::from_str(TEXT).unwrap();
        let mut keys: Vec<&String> = file.keys().collect();
        keys.sort_unstable();
        assert_eq!(keys, ["date", "models", "source"]);
        let names: Vec<&str> = TEXT.lines().filter_map(|line| line.strip_prefix('"')?.split('"').next()).collect();
        assert!(names.is_sorted() && names.len() == FILE.models.len() && TEXT.len() < 100_000);
        for (model, facts) in file["models"].as_table().unwrap() {
            assert!(PROVIDERS.iter().any(|provider| has_prefix(model, provider.prefix)), "{model}");
            for (key, value) in facts.as_table().unwrap() {
                let right = match key.as_str() {
                    "prompt" | "cached" | "generated" => {
                        value.to_string().parse::<f64>().is_ok_and(|price| price > 0.0)
                    }
                    "context" | "output" => value.as_integer().is_some_and(|tokens| tokens > 0),
                    "thinks" => value.as_bool() == Some(true),
                    "refuses" => value.as_array().is_some_and(|fields| !fields.is_empty()),
                    _ => false,
                };
                assert!(right, "{model}: {key} = {value}");
            }
        }
    }

    #[test]
    fn every_model_of_the_guide_to_keys_has_a_price_and_a_context() {
        let models = KEYS.split_whitespace().filter_map(|word| {
            let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            PROVIDERS.iter().any(|provider| has_prefix(word, provider.prefix)).then_some(word)
        });
        let models: Vec<&str> = models.filter(|model| !model.ends_with("NAME") && !model.contains("...")).collect();
        assert!(models.len() >= 4, "{models:?}");
        for model in models {
            let facts = FILE.models.get(model).unwrap_or_else(|| panic!("no facts about {model}"));
            assert!(facts.price.is_some() && facts.known.context.is_some(), "{model}");
        }
    }

    #[test]
    fn settings_win_and_a_prefix_that_they_give_another_server_has_no_list_prices() {
        let model = ModelName::from("openai/gpt-5-mini");
        let own: PriceSettings = toml::from_str("prompt = 1.5\ngenerated = 2.0\ncurrency = \"EUR\"").unwrap();
        let host = |url| HostSettings { prefix: Some("openai".into()), ..HostSettings::openai("gateway", url, None) };
        let price = |own: Option<&PriceSettings>, hosts: &[HostSettings]| {
            let own = own.map(|own| (model.as_str().to_owned(), own.clone())).into_iter().collect();
            of(&own, hosts).get(&model).map(|price| (price.currency.clone(), price.list.is_some()))
        };
        let (listed, set) = (Some(("USD".to_owned(), true)), Some(("EUR".to_owned(), false)));
        assert_eq!((price(None, &[]), price(Some(&own), &[])), (listed.clone(), set.clone()));
        assert_eq!(price(None, &[host("https://api.openai.com/v1")]), listed);
        let elsewhere = [host("http://gpu1:8000/v1")];
        assert_eq!((price(None, &elsewhere), price(Some(&own), &elsewhere)), (None, set));
    }

    #[test]
    fn list_prices_and_what_a_service_refuses_go_by_the_names_of_debates_and_of_the_service() {
        let prices: BTreeMap<ModelName, Price> = list_prices().collect();
        let price = &prices[&ModelName::from("openai/gpt-5-mini")];
        assert!(price.prompt > 0.0 && price.list.as_ref().unwrap().starts_with("20"), "{price:?}");
        let known = format!("{:?}", known_models("openai"));
        assert!(known.contains("\"gpt-5-mini\": WellKnownModel") && known.contains("Temperature"), "{known}");
        assert!(format!("{:?}", known_models("nobody")).contains("{}"));
    }
}
