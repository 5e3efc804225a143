//! Arbitrary participants.
use super::task::participant;
use super::{maybe_real, maybe_text, text, texts};
use agon_core::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

pub(super) fn persona() -> BoxedStrategy<Persona> {
    let style = select(vec![Style::Formal, Style::Casual, Style::BulletPoint, Style::Paragraph]);
    let optional = [maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text(), maybe_text()];
    let sees = of(vec(sight(), 0..3));
    let masking = (sees, vec(participant(), 0..3), any::<(bool, bool)>());
    let weights = [maybe_real(), maybe_real(), maybe_real()];
    let speaking = (voice(), of(style), any::<i64>());
    (text(), optional, speaking, masking, weights, texts())
        .prop_map(|(name, texts, speaking, (sees, hidden_from, (reflection, evolution)), weights, tools)| {
            let [stance, role, system_prompt, instructions, tone, language] = texts;
            let (voice, style, priority) = speaking;
            let [weight, elo, calibration] = weights;
            Persona {
                name: ParticipantId::new(name),
                stance,
                role,
                system_prompt,
                instructions,
                voice,
                style,
                tone,
                language,
                priority,
                sees,
                hidden_from,
                reflection,
                evolution,
                weight,
                elo,
                calibration,
                tools,
            }
        })
        .boxed()
}

fn sight() -> BoxedStrategy<Sight> {
    prop_oneof![select(TurnKind::ALL.to_vec()).prop_map(Sight::Kind), participant().prop_map(Sight::Persona)].boxed()
}

pub(super) fn moderator() -> BoxedStrategy<Moderator> {
    let interject = select(vec![Interject::EveryRound, Interject::Midpoint, Interject::FinalOnly]);
    let style = select(vec![SummaryStyle::Neutral, SummaryStyle::Critical, SummaryStyle::Persuasive]);
    (any::<[bool; 10]>(), interject, style, texts(), maybe_text(), voice())
        .prop_map(|(duties, interject, summary_style, tools, instructions, voice)| {
            let [opens, closes, interjects, warns, clarifies, reflects, scores, researches, reconciles, concludes] =
                duties;
            Moderator {
                opens,
                closes,
                interjects,
                warns,
                clarifies,
                reflects,
                scores,
                researches,
                reconciles,
                concludes,
                interject,
                summary_style,
                tools,
                instructions,
                voice,
            }
        })
        .boxed()
}

pub(super) fn judge() -> BoxedStrategy<Judge> {
    let models = texts().prop_map(|models| models.into_iter().map(ModelName::new).collect());
    (any::<(u32, bool, bool)>(), any::<(u32, bool)>(), models, maybe_text(), voice())
        .prop_map(
            |((orders, anonymize_transcript, shuffle_for_judge), (panel, ends_rounds), models, instructions, voice)| {
                Judge {
                    orders,
                    anonymize_transcript,
                    shuffle_for_judge,
                    panel,
                    panel_models: models,
                    ends_rounds,
                    instructions,
                    voice,
                }
            },
        )
        .boxed()
}

pub(super) fn summarizer() -> BoxedStrategy<Summarizer> {
    (maybe_text(), voice()).prop_map(|(instructions, voice)| Summarizer { instructions, voice }).boxed()
}

pub(super) fn synthesizer() -> BoxedStrategy<Synthesizer> {
    (of(schema()), maybe_text(), voice())
        .prop_map(|(output_schema, instructions, voice)| Synthesizer { output_schema, instructions, voice })
        .boxed()
}

/// Any JSON stands for a schema; its members keep their order.
fn schema() -> BoxedStrategy<Value> {
    let member = (text(), text(), any::<i64>(), any::<bool>());
    vec(member, 0..3)
        .prop_map(|members| {
            let properties: serde_json::Map<String, Value> = members
                .into_iter()
                .map(|(name, title, most, only)| {
                    (name, json!({ "title": title, "maximum": most, "uniqueItems": only }))
                })
                .collect();
            json!({ "type": "object", "properties": properties, "required": [] })
        })
        .boxed()
}

pub(super) fn voice() -> BoxedStrategy<Voice> {
    let think = select(vec![Think::Off, Think::On, Think::Low, Think::Medium, Think::High]);
    (text(), maybe_real(), maybe_real(), maybe_real(), any::<(u32, Option<u32>)>(), of(think), texts())
        .prop_map(|(model, temperature, top_p, presence_penalty, (max_tokens, num_ctx), think, fallbacks)| Voice {
            model: ModelName::new(model),
            temperature,
            top_p,
            presence_penalty,
            max_tokens,
            think,
            num_ctx,
            fallback_models: fallbacks.into_iter().map(ModelName::new).collect(),
        })
        .boxed()
}
