//! Gives calls and results the ids by which they belong together.

use std::collections::HashSet;

use crate::api::Unique;
use crate::chain::Chain;
use crate::{Edit, History, Rule, node};

use super::plan::Plan;

/// Sets ids that are missing or stand twice, and tells the id of each call afterwards.
pub(super) fn heal(history: &History<'_>, chain: &Chain<'_, '_>, plan: &mut Plan) -> Vec<String> {
    let api = history.api;
    if api.unique() == Unique::Never {
        return chain
            .calls
            .iter()
            .map(|call| call.of.id().unwrap_or_default().to_owned())
            .collect();
    }
    let duplicates = chain.duplicates(api);
    let mut ids = Ids::of(chain);
    let mut healed = Vec::with_capacity(chain.calls.len());
    for (number, call) in chain.calls.iter().enumerate() {
        let answer = chain.answer(number);
        let id = match call.of.id() {
            Some(id) if !duplicates.contains(&number) => id.to_owned(),
            own => {
                let told = answer.and_then(|result| result.of.call_id());
                let id = ids.choose(told.filter(|_| own.is_none()), call.message, number);
                let edit = Edit { place: call.place(), rule: Rule::IdPaired };
                let json = serde_json::Value::from(id.as_str()).to_string();
                let key = [api.call_id_key()];
                plan.splice(node::set(history.text, call.part.span, &key, &json), edit);
                id
            }
        };
        if let Some(result) = answer.filter(|result| result.of.call_id() != Some(id.as_str())) {
            let edit = Edit { place: result.place(), rule: Rule::IdPaired };
            let json = serde_json::Value::from(id.as_str()).to_string();
            let key = [api.result_id_key()];
            plan.splice(node::set(history.text, result.part.span, &key, &json), edit);
        }
        healed.push(id);
    }
    healed
}

/// The ids that are in use.
struct Ids {
    of_calls: HashSet<String>,
    of_results: HashSet<String>,
}

impl Ids {
    fn of(chain: &Chain<'_, '_>) -> Self {
        let of_calls = chain.calls.iter().filter_map(|link| link.of.id());
        let of_results = chain.results.iter().filter_map(|link| link.of.call_id());
        Self {
            of_calls: of_calls.map(str::to_owned).collect(),
            of_results: of_results.map(str::to_owned).collect(),
        }
    }

    /// The id that the result tells if no call has it, else a new one, made from the place: a
    /// history that grew gets the same one again, and prompt caches hold.
    fn choose(&mut self, told: Option<&str>, message: usize, number: usize) -> String {
        let id = match told.filter(|told| !self.of_calls.contains(*told)) {
            Some(told) => told.to_owned(),
            None => {
                // One more than there are ids: one of these is free.
                let candidates = number..=number + self.of_calls.len() + self.of_results.len();
                let mut ids = candidates.map(|number| id_of(message, number));
                let is_free =
                    |id: &String| !self.of_calls.contains(id) && !self.of_results.contains(id);
                ids.find(is_free).unwrap_or_default()
            }
        };
        self.of_calls.insert(id.clone());
        id
    }
}

/// Nine letters and digits: the one form that every provider takes. Mistral takes no other.
fn id_of(message: usize, number: usize) -> String {
    format!("m{}{}", base36::<4>(message), base36::<4>(number))
}

/// The last digits of a number.
fn base36<const WIDTH: usize>(mut number: usize) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; WIDTH];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS.get(number % 36).copied().unwrap_or(b'0');
        number /= 36;
    }
    String::from_utf8_lossy(&digits).into_owned()
}
