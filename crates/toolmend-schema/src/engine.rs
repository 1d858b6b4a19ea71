//! Repair: descends to exactly the values that their subschemas refuse, asks the rules there, and
//! keeps what the whole schema accepts.
//!
//! A value that its subschema accepts is never looked into. Of several readings the one with the
//! fewest and most trusted edits wins; a tie between different values refuses. The work is bounded
//! by steps, not by the shape of the schema.

mod here;
mod log;
mod members;
mod unions;

use serde_json::Value;
use toolmend_json::Trust;

use crate::catalog::{Rule, ValueRule};
use crate::graph::Graph;
use crate::kinds::Kinds;
use crate::node::NodeId;
use crate::repair::{Cost, Repair};
use crate::site::{Change, Offer, Site};
use crate::tool::Inner;
use here::Here;
pub(crate) use log::Log;

/// How often one value may be changed on the way to what its schema accepts: `"[\"1\"]</arg>"`
/// needs three.
const ROUNDS_MAX: u8 = 4;

/// How deep arguments are repaired. The reader's own limit is the same.
const DEPTH_MAX: usize = 128;

/// Arguments that hold others under one name have no more members than this: the tool's name may
/// stand beside them.
const WRAPPED_MAX: usize = 3;

/// Steps for any arguments, and for each value in them. The values are counted only where the first
/// steps are not enough: that they are is the rule.
const STEPS_BASE: usize = 4096;
const STEPS_PER_VALUE: usize = 64;

/// The search for the arguments that were meant.
pub(crate) struct Engine<'t> {
    pub(crate) tool: &'t Inner,
    pub(crate) graph: &'t Graph,
    pub(crate) allowed: Trust,
    pub(crate) log: Log,
    steps_left: usize,
    has_run_out: bool,
}

/// A value that is accepted now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mended {
    pub(crate) cost: Cost,
    /// The member that holds the value has to go.
    pub(crate) leaves: bool,
}

/// Why there is no repair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// No rule leads to what the schema accepts.
    NoWay,
    /// Two different values are equally likely, at this cost.
    Tie(Cost),
}

/// Where a value stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'h> {
    here: &'h Here<'h>,
    is_optional: bool,
    rounds: u8,
    /// The types that are accepted in any reading; known once the readings are.
    wide: Kinds,
}

impl<'h> Place<'h> {
    fn required(here: &'h Here<'h>) -> Self {
        Self { here, is_optional: false, rounds: 0, wide: Kinds::ANY }
    }
}

/// One way to read a value, and what it costs.
struct Reading {
    mended: Mended,
    value: Value,
    edits: Vec<Repair>,
}

impl<'t> Engine<'t> {
    pub(crate) fn new(tool: &'t Inner, graph: &'t Graph, allowed: Trust) -> Self {
        let log = Log::default();
        Self { tool, graph, allowed, log, steps_left: STEPS_BASE, has_run_out: false }
    }

    /// Mends arguments that are known to be refused. Where that fails, they are as they were.
    pub(crate) fn mend_arguments(&mut self, arguments: &mut Value) -> Result<Mended, Refusal> {
        let start = self.log.mark();
        let place = Place::required(&Here::ROOT);
        let mended = self.mend_refused(&[Graph::ROOT], arguments, place);
        if !self.has_run_out {
            return mended;
        }
        self.log.roll_back(start, place.here, arguments);
        self.steps_left = STEPS_BASE + STEPS_PER_VALUE * size(arguments, DEPTH_MAX);
        self.mend_refused(&[Graph::ROOT], arguments, place)
    }

    /// Mends a value that these subschemas refuse, until all accept it. Where that fails, it is as it
    /// was.
    pub(crate) fn mend_refused(
        &mut self,
        tops: &[NodeId],
        value: &mut Value,
        place: Place<'_>,
    ) -> Result<Mended, Refusal> {
        let steps = self.steps_left.checked_sub(1);
        self.steps_left = steps.unwrap_or_default();
        self.has_run_out |= steps.is_none();
        if steps.is_none() || place.rounds > ROUNDS_MAX || place.here.depth() > DEPTH_MAX {
            return Err(Refusal::NoWay);
        }
        if let &[top] = tops {
            let node = self.graph.node(top);
            if node.is_definite {
                let place = Place { wide: node.all_kinds, ..place };
                return self.mend_reading(tops, &node.whole, value, place);
            }
        }
        let readings = self.readings(tops, value);
        let kinds = readings.iter().map(|nodes| self.graph.kinds(nodes));
        let place = Place { wide: kinds.fold(Kinds::NONE, Kinds::or), ..place };
        match readings.as_slice() {
            [nodes] => self.mend_reading(tops, nodes, value, place),
            _ => self.mend_union(tops, &readings, value, place),
        }
    }

    /// A value as rules see it.
    fn site<'s>(&self, nodes: &'s [NodeId], value: &'s Value, place: Place<'s>) -> Site<'s>
    where
        't: 's,
    {
        Site {
            tool: self.tool,
            graph: self.graph,
            value,
            name: place.here.name(),
            nodes,
            kinds: self.graph.kinds(nodes),
            wide: place.wide,
            is_optional: place.is_optional,
            is_root: place.here.is_root(),
        }
    }

    /// Whether all these subschemas accept a value.
    pub(crate) fn fits(&self, tops: &[NodeId], value: &Value) -> bool {
        tops.iter().all(|id| self.graph.accepts(*id, value))
    }

    /// Mends a value in one reading of the unions that hold for it.
    fn mend_reading(
        &mut self,
        tops: &[NodeId],
        nodes: &[NodeId],
        value: &mut Value,
        place: Place<'_>,
    ) -> Result<Mended, Refusal> {
        let kinds = self.graph.kinds(nodes);
        let is_container = value.is_object() || value.is_array();
        if !is_container || !kinds.has(Kinds::of(value)) {
            return self.mend_value(tops, nodes, value, place);
        }
        // Only the arguments as a whole can be both mended inside and taken for something else.
        let mut found = match value.as_object() {
            Some(members) if place.here.is_root() && members.len() <= WRAPPED_MAX => {
                self.offers(tops, nodes, value, place)
            }
            _ => Found::default(),
        };
        if found.is_empty() {
            return self.mend_inside(tops, nodes, value, place);
        }
        let mark = self.log.mark();
        let mut trial = value.clone();
        let inside = self.mend_inside(tops, nodes, &mut trial, place);
        let edits = self.log.take(mark);
        found.add(inside.map(|mended| Reading { mended, value: trial, edits }));
        self.settle(found, value, place)
    }

    fn mend_inside(
        &mut self,
        tops: &[NodeId],
        nodes: &[NodeId],
        value: &mut Value,
        place: Place<'_>,
    ) -> Result<Mended, Refusal> {
        if value.is_object() {
            self.mend_members(tops, nodes, value, place)
        } else {
            self.mend_items(tops, nodes, value, place)
        }
    }

    /// Lets the rules for values propose, and takes the best of what is accepted then.
    fn mend_value(
        &mut self,
        tops: &[NodeId],
        nodes: &[NodeId],
        value: &mut Value,
        place: Place<'_>,
    ) -> Result<Mended, Refusal> {
        let found = self.offers(tops, nodes, value, place);
        self.settle(found, value, place)
    }

    fn settle(
        &mut self,
        found: Found,
        value: &mut Value,
        place: Place<'_>,
    ) -> Result<Mended, Refusal> {
        let Reading { mended, value: better, edits } = found.best()?;
        // A member that has to go is taken out as it is by who holds it.
        match mended.leaves {
            true => self.log.note_all(edits),
            false => self.log.replace(place.here, value, better, edits),
        }
        Ok(mended)
    }

    /// What the rules for values offer, as far as the schema accepts it.
    fn offers(
        &mut self,
        tops: &[NodeId],
        nodes: &[NodeId],
        value: &Value,
        place: Place<'_>,
    ) -> Found {
        let mut found = Found::default();
        let site = self.site(nodes, value, place);
        for ValueRule { rule, to, propose } in Rule::for_values(Kinds::of(value)) {
            if !site.wants(*to) || rule.trust > self.allowed || !found.has_room(rule.trust) {
                continue;
            }
            let Some(offer) = propose(&site) else { continue };
            let trust = rule.trust.max(offer.trust);
            if trust <= self.allowed {
                let is_rival = offer.is_rival;
                let reading = self.try_offer(tops, rule, offer, trust, place);
                found.add(match reading {
                    Ok(reading) if is_rival => Err(Refusal::Tie(reading.mended.cost)),
                    reading => reading,
                });
            }
        }
        found
    }

    /// What comes of an offer, if the schema accepts it, mended inside where that is needed.
    fn try_offer(
        &mut self,
        tops: &[NodeId],
        rule: &'static Rule,
        offer: Offer,
        trust: Trust,
        place: Place<'_>,
    ) -> Result<Reading, Refusal> {
        let own = Cost::of(trust);
        let mut value = match offer.change {
            Change::Leave => {
                let edits = vec![place.here.edit(rule, trust)];
                let mended = Mended { cost: own, leaves: true };
                return Ok(Reading { mended, value: Value::Null, edits });
            }
            Change::Become(value) => value,
        };
        if self.fits(tops, &value) {
            let edits = vec![place.here.edit(rule, trust)];
            return Ok(Reading { mended: Mended { cost: own, leaves: false }, value, edits });
        }
        let mark = self.log.mark();
        let before = self.allowed;
        self.allowed = before.min(offer.inside);
        self.log.note(place.here.edit(rule, trust));
        let next = Place { rounds: place.rounds + 1, ..place };
        let mended = self.mend_refused(tops, &mut value, next);
        self.allowed = before;
        let edits = self.log.take(mark);
        let mended = mended?;
        let mended = Mended { cost: own.plus(mended.cost), ..mended };
        Ok(Reading { mended, value, edits })
    }
}

/// The best reading so far.
#[derive(Default)]
struct Found {
    best: Option<Reading>,
    /// The cost at which two readings disagree.
    tie: Option<Cost>,
}

impl Found {
    /// Whether a reading that is trusted so far could be as good as the best one.
    fn has_room(&self, trust: Trust) -> bool {
        self.best.as_ref().is_none_or(|best| Cost::of(trust) <= best.mended.cost)
    }

    fn is_empty(&self) -> bool {
        self.best.is_none() && self.tie.is_none()
    }

    fn add(&mut self, reading: Result<Reading, Refusal>) {
        let reading = match reading {
            Ok(reading) => reading,
            Err(Refusal::NoWay) => return,
            Err(Refusal::Tie(cost)) => {
                self.tie = Some(self.tie.map_or(cost, |tie| tie.min(cost)));
                return;
            }
        };
        match &self.best {
            Some(best) if best.mended.cost < reading.mended.cost => {}
            Some(best) if best.mended.cost == reading.mended.cost => {
                let is_same =
                    best.mended.leaves == reading.mended.leaves && best.value == reading.value;
                if !is_same {
                    self.tie = Some(best.mended.cost);
                }
            }
            _ => self.best = Some(reading),
        }
    }

    fn best(self) -> Result<Reading, Refusal> {
        match (self.best, self.tie) {
            (Some(best), Some(tie)) if tie <= best.mended.cost => Err(Refusal::Tie(tie)),
            (Some(best), _) => Ok(best),
            (None, Some(tie)) => Err(Refusal::Tie(tie)),
            (None, None) => Err(Refusal::NoWay),
        }
    }
}

/// How many values there are, down to the depth that is repaired. It keeps no list of them: one large
/// allocation makes some allocators tidy up after all the small ones.
fn size(value: &Value, depth_left: usize) -> usize {
    let Some(depth_left) = depth_left.checked_sub(1) else { return 1 };
    let inside: usize = match value {
        Value::Array(items) => items.iter().map(|item| size(item, depth_left)).sum(),
        Value::Object(members) => members.values().map(|member| size(member, depth_left)).sum(),
        _ => 0,
    };
    inside + 1
}
