//! Bounds of every request field, inserted into the description from the constants that the server itself checks.

use std::collections::BTreeSet;

use bitcoin::FeeRate;
use domain::{LendingLimits, Limits, Ltv, Negotiation, OfferConditions, RefinanceOrder};
use escrow::fee_rate;
use lending::service::fee_bounds::{FEE_RATE_MAX, FEE_RATE_MIN};
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::{ArrayItems, Object, Schema};
use utoipa::openapi::{OpenApi, RefOr};
use utoipa::{Modify, Number};

use super::operations;
use crate::http::request_form::{self, TextForm};
use crate::operator::collection_draft::TERM_DAYS_MAX;
use crate::routes::{collections, me, offers, published_heads, vaults};

/// Inserts bounds into parameters and the schemas of bodies.
pub(super) struct RequestBounds;

/// The bounds and the step of a number.
struct NumberForm {
    min: Number,
    max: Number,
    step: Option<Number>,
}

impl Modify for RequestBounds {
    fn modify(&self, description: &mut OpenApi) {
        let mut bodies = BTreeSet::new();
        for operation in description.paths.paths.values_mut().flat_map(operations) {
            bound_parameters(operation);
            let Some(RefOr::T(body)) = &operation.request_body else { continue };
            for content in body.content.values() {
                if let RefOr::T(content) = content
                    && let Some(RefOr::Ref(reference)) = &content.schema
                {
                    bodies.insert(component(&reference.ref_location));
                }
            }
        }
        let Some(components) = &mut description.components else { return };
        let mut done = BTreeSet::new();
        while let Some(name) = bodies.pop_first() {
            if done.insert(name.clone())
                && let Some(RefOr::T(Schema::Object(body))) = components.schemas.get_mut(&name)
            {
                for (field, schema) in &mut body.properties {
                    bound(form_name(&name, field), None, schema, &mut bodies);
                }
            }
        }
    }
}

fn bound_parameters(operation: &mut Operation) {
    let id = operation.operation_id.clone();
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(Parameter { name, schema: Some(schema), .. }) = parameter else { continue };
        bound(name, id.as_deref(), schema, &mut BTreeSet::new());
        if name == "kind"
            && let RefOr::T(Schema::Object(kind)) = schema
        {
            kind.enum_values = Some(vec!["ordinals".into(), "runes".into()]);
        }
    }
}

/// Returns the field's name in the table of forms: the faucet's `amount` is in raw units, unlike other fields of this
/// name.
fn form_name<'a>(body: &str, field: &'a str) -> &'a str {
    if (body, field) == ("FaucetRequest", "amount") { "fungible_amount" } else { field }
}

/// Inserts the bounds of a field, and collects the components that it refers to.
fn bound(name: &str, operation: Option<&str>, schema: &mut RefOr<Schema>, components: &mut BTreeSet<String>) {
    match schema {
        RefOr::Ref(reference) => {
            components.insert(component(&reference.ref_location));
        }
        RefOr::T(Schema::Object(object)) => bound_object(name, operation, object),
        RefOr::T(Schema::Array(array)) => {
            if let Some((min, max)) = request_form::items(name) {
                array.min_items = (min > 0).then_some(min);
                array.max_items = Some(max);
            }
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                bound(name, operation, items, components);
            }
        }
        // An object or `null`.
        RefOr::T(Schema::OneOf(choices)) => {
            choices.items.iter_mut().for_each(|choice| bound(name, operation, choice, components));
        }
        RefOr::T(_) => {}
    }
}

fn bound_object(name: &str, operation: Option<&str>, object: &mut Object) {
    if object.enum_values.is_some() {
        return;
    }
    if let Some(TextForm { length_min, length_max, pattern, .. }) = request_form::text(name) {
        object.min_length = (length_min > 0).then_some(length_min);
        object.max_length = Some(length_max);
        object.pattern = pattern;
    }
    if let Some(NumberForm { min, max, step }) = number(name, operation) {
        object.minimum = Some(min);
        object.maximum = Some(max);
        object.multiple_of = step;
    }
}

/// Returns the form of the numbers of this name.
fn number(name: &str, operation: Option<&str>) -> Option<NumberForm> {
    let whole = |min: usize, max: usize| NumberForm { min: Number::UInt(min), max: Number::UInt(max), step: None };
    let sats_max = usize::try_from(bitcoin::Amount::MAX_MONEY.to_sat()).unwrap_or(usize::MAX);
    // The largest value of the format `int64`.
    let time_max = usize::try_from(i64::MAX).unwrap_or(usize::MAX);
    Some(match name {
        "limit" => whole(1, limit_max(operation)),
        "quantity" => whole(1, Limits::default().count_max.into()),
        "principal_amount"
        | "principal_amount_sats"
        | "principalAmountSats"
        | "principal_min_amount"
        | "principal_min_amount_sats"
        | "principalMinAmountSats"
        | "principalMinSats"
        | "sats"
        | "budgetSats"
        | "dailySats" => whole(1, sats_max),
        "absenceMinutes" => whole(LendingLimits::ABSENCE_MINUTES_MIN.into(), LendingLimits::ABSENCE_MINUTES_MAX.into()),
        "repaid_min" => whole(0, OfferConditions::REPAID_MAX.into()),
        "default_free_days" => whole(0, OfferConditions::DEFAULT_FREE_DAYS_MAX.into()),
        "daysBefore" => whole(1, RefinanceOrder::DAYS_BEFORE_MAX.into()),
        "round" => whole(1, Negotiation::ROUNDS_MAX),
        "interest" | "interestMax" | "first" | "last" | "maxwidth" | "maxheight" | "page" => {
            whole(0, usize::try_from(u32::MAX).unwrap_or(usize::MAX))
        }
        "ltv_max" | "ltvMax" => whole(0, usize::try_from(Ltv::CEILING.basis_points()).unwrap_or(usize::MAX)),
        "termDays" | "termMinDays" | "termMaxDays" => whole(1, TERM_DAYS_MAX.into()),
        "signature_timestamp" | "signatureTimestamp" | "from" | "to" | "good_until" | "goodUntil" | "since" => {
            whole(0, time_max)
        }
        "fee_rate" | "feeRate" => NumberForm {
            min: rate(FEE_RATE_MIN),
            max: rate(FEE_RATE_MAX),
            step: Some(Number::Float(10_f64.powi(fee_rate::DECIMALS.into()).recip())),
        },
        _ => return None,
    })
}

fn rate(rate: FeeRate) -> Number {
    fee_rate::number(rate).parse().map_or(Number::Float(f64::MAX), Number::Float)
}

/// Returns the largest page of a list.
fn limit_max(operation: Option<&str>) -> usize {
    match operation {
        Some("listCollections") => collections::rows::LIMIT_MAX,
        Some("listHeads") => published_heads::LIMIT_MAX,
        Some("listMyOffers") => offers::own::LIMIT_MAX,
        Some("listVaultHistory") => vaults::history::LIMIT_MAX,
        _ => me::loans::LIMIT_MAX,
    }
}

/// Returns the name of the component that a reference points to.
fn component(reference: &str) -> String {
    reference.rsplit('/').next().unwrap_or_default().to_owned()
}
