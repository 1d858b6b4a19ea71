//! Objects and arrays: the names first, then each member or item that its subschema refuses.

use serde_json::Value;
use toolmend_json::Trust;

use super::{Engine, Mended, Place, Refusal};
use crate::catalog::{Propose, Rule};
use crate::node::NodeId;
use crate::repair::Cost;
use crate::site::{KeyChange, Site};

/// How many names of one object may be changed.
const KEY_EDITS_MAX: usize = 64;

impl Engine<'_> {
    /// Mends the names and the members of an object. Where that fails, all is as it was.
    pub(super) fn mend_members(
        &mut self,
        tops: &[NodeId],
        nodes: &[NodeId],
        value: &mut Value,
        place: Place,
    ) -> Result<Mended, Refusal> {
        let mark = self.log.mark();
        let names = self.mend_names(nodes, value, place);
        let inside = self.mend_each_member(nodes, value);
        let result = inside.and_then(|cost| {
            let mended = Mended { cost: names.plus(cost), leaves: false };
            if self.fits(tops, value) { Ok(mended) } else { Err(Refusal::NoWay) }
        });
        if result.is_err() {
            self.log.roll_back(mark, value);
        }
        result
    }

    fn mend_names(&mut self, nodes: &[NodeId], value: &mut Value, place: Place) -> Cost {
        let mut cost = Cost::default();
        let Some(members) = value.as_object() else { return cost };
        let mut loose = self.graph.loose(nodes, members);
        for rule in Rule::ALL {
            let Propose::Keys(propose) = rule.propose else { continue };
            if rule.trust > self.allowed {
                continue;
            }
            for _ in 0..KEY_EDITS_MAX {
                // Without a loose name there is nothing to rename, move or drop.
                if loose.is_empty() && self.allowed < Trust::Guess {
                    return cost;
                }
                let site = Site {
                    tool: self.tool,
                    graph: self.graph,
                    value,
                    nodes,
                    kinds: self.graph.kinds(nodes),
                    wide: place.wide,
                    is_optional: place.is_optional,
                    is_root: self.log.is_at_root(),
                };
                let Some(edit) = propose(&site, &loose) else { break };
                let trust = rule.trust.max(edit.trust);
                if trust > self.allowed {
                    break;
                }
                match &edit.change {
                    // The new name is one that the schema has.
                    KeyChange::Rename(gone, _) | KeyChange::Drop(gone) => {
                        loose.retain(|name| name != gone);
                    }
                    KeyChange::Become(members, _) => loose = self.graph.loose(nodes, members),
                }
                let times = self.change_names(value, edit.change, rule, trust);
                cost = (0..times).fold(cost, |cost, _| cost.plus(Cost::of(trust)));
            }
        }
        cost
    }

    /// Changes the names of an object; says how many repairs that is.
    fn change_names(
        &mut self,
        value: &mut Value,
        change: KeyChange,
        rule: &'static Rule,
        trust: Trust,
    ) -> usize {
        match change {
            KeyChange::Rename(from, to) => {
                self.log.note(self.log.edit_at(rule, trust, &[&to]));
                self.log.rename_member(value, from, to);
                1
            }
            KeyChange::Drop(name) => {
                self.log.note(self.log.edit_at(rule, trust, &[&name]));
                self.log.drop_member(value, name);
                1
            }
            KeyChange::Become(members, paths) => {
                for path in &paths {
                    self.log.note(self.log.edit_at(rule, trust, path));
                }
                self.log.replace(value, Value::Object(members), Vec::new());
                paths.len()
            }
        }
    }

    fn mend_each_member(&mut self, nodes: &[NodeId], value: &mut Value) -> Result<Cost, Refusal> {
        let mut cost = Cost::default();
        let mut gone = Vec::new();
        let graph = self.graph;
        let mut several = Vec::new();
        for (near, (key, member)) in value.as_object_mut().into_iter().flatten().enumerate() {
            let tops = graph.member_near(nodes, key, near, &mut several);
            if self.fits(tops, member) {
                continue;
            }
            let is_optional =
                !nodes.iter().any(|id| graph.node(*id).required.iter().any(|name| name == key));
            let back = self.log.enter(key);
            let mended = self.mend_refused(tops, member, Place::member(is_optional));
            self.log.leave(back);
            let mended = mended?;
            cost = cost.plus(mended.cost);
            if mended.leaves {
                gone.push(key.clone());
            }
        }
        for key in gone {
            self.log.drop_member(value, key);
        }
        Ok(cost)
    }

    /// Mends the items of an array. Where that fails, all is as it was.
    pub(super) fn mend_items(
        &mut self,
        tops: &[NodeId],
        nodes: &[NodeId],
        value: &mut Value,
    ) -> Result<Mended, Refusal> {
        let mark = self.log.mark();
        let result = self.mend_each_item(nodes, value).and_then(|cost| {
            let mended = Mended { cost, leaves: false };
            if self.fits(tops, value) { Ok(mended) } else { Err(Refusal::NoWay) }
        });
        if result.is_err() {
            self.log.roll_back(mark, value);
        }
        result
    }

    fn mend_each_item(&mut self, nodes: &[NodeId], value: &mut Value) -> Result<Cost, Refusal> {
        let mut cost = Cost::default();
        let mut tops = Vec::new();
        for (index, item) in value.as_array_mut().into_iter().flatten().enumerate() {
            tops.clear();
            self.graph.add_item(nodes, index, &mut tops);
            if self.fits(&tops, item) {
                continue;
            }
            let back = self.log.enter(&index.to_string());
            let mended = self.mend_refused(&tops, item, Place::WHOLE);
            self.log.leave(back);
            cost = cost.plus(mended?.cost);
        }
        Ok(cost)
    }
}
