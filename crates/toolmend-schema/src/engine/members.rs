//! Objects and arrays: the names first, then each member or item that its subschema refuses.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use super::log::Mark;
use super::{Engine, Mended, Place, Refusal};
use crate::catalog::Rule;
use crate::node::NodeId;
use crate::repair::Cost;
use crate::site::KeyChange;

/// How many names of one object may be changed.
const KEY_EDITS_MAX: usize = 64;

/// What is done about a name that no property has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loose {
    /// The names have to be mended first.
    Stops,
    /// They were.
    Passes,
}

/// Why members are not mended.
#[derive(Clone, Copy, Debug)]
enum Halt {
    /// One of them has a name that no property has.
    Loose,
    /// One of them cannot be mended.
    Refused(Refusal),
}

impl Halt {
    fn refusal(self) -> Refusal {
        match self {
            Self::Loose => Refusal::NoWay,
            Self::Refused(refusal) => refusal,
        }
    }
}

impl Engine<'_> {
    /// Mends the names and the members of an object. Where that fails, all is as it was.
    pub(super) fn mend_members(
        &mut self,
        tops: &[NodeId],
        nodes: &[NodeId],
        value: &mut Value,
        place: Place<'_>,
    ) -> Result<Mended, Refusal> {
        let mark = self.log.mark();
        // Most names are right, which the members show as they are looked at.
        let inside = match self.allowed < Trust::Guess {
            true => self.mend_each_member(nodes, value, place, Loose::Stops),
            false => Err(Halt::Loose),
        };
        let inside = match inside {
            Ok(cost) => Ok(cost),
            Err(halt) => {
                self.log.roll_back(mark, place.here, value);
                let loose = value.as_object().map(|members| self.graph.loose(nodes, members));
                let loose = loose.unwrap_or_default();
                if let (Halt::Refused(refusal), true) = (halt, loose.is_empty()) {
                    return Err(refusal);
                }
                let names = self.mend_names(nodes, value, loose, place);
                // Mostly a name is all that was wrong.
                if names != Cost::default() && self.fits(tops, value) {
                    return Ok(Mended { cost: names, leaves: false });
                }
                let inside = self.mend_each_member(nodes, value, place, Loose::Passes);
                inside.map(|cost| names.plus(cost)).map_err(Halt::refusal)
            }
        };
        self.keep_if_accepted(inside, tops, value, (mark, place))
    }

    /// What mending inside of a value has come to, if all these subschemas accept it now. Where not, all is
    /// as it was at the mark.
    fn keep_if_accepted(
        &mut self,
        inside: Result<Cost, Refusal>,
        tops: &[NodeId],
        value: &mut Value,
        (mark, place): (Mark, Place<'_>),
    ) -> Result<Mended, Refusal> {
        let result = inside.and_then(|cost| {
            let mended = Mended { cost, leaves: false };
            if self.fits(tops, value) { Ok(mended) } else { Err(Refusal::NoWay) }
        });
        if result.is_err() {
            self.log.roll_back(mark, place.here, value);
        }
        result
    }

    fn mend_names(
        &mut self,
        nodes: &[NodeId],
        value: &mut Value,
        mut loose: Vec<String>,
        place: Place<'_>,
    ) -> Cost {
        let mut cost = Cost::default();
        for (rule, propose) in Rule::for_keys() {
            if rule.trust > self.allowed {
                continue;
            }
            for _ in 0..KEY_EDITS_MAX {
                // Without a loose name there is nothing to rename, move or drop.
                if loose.is_empty() && self.allowed < Trust::Guess {
                    return cost;
                }
                let site = self.site(nodes, value, place);
                let Some(edit) = propose(&site, &loose) else { break };
                let trust = rule.trust.max(edit.trust);
                if trust > self.allowed {
                    break;
                }
                let told = (*rule, trust);
                let times = match edit.change {
                    KeyChange::Become(members, paths) => {
                        loose = self.graph.loose(nodes, &members);
                        self.change_all(value, members, &paths, told, place)
                    }
                    // The new name is one that the schema has.
                    KeyChange::Rename(number, to) if number < loose.len() => {
                        self.rename_member(value, &loose.remove(number), to, told, place)
                    }
                    KeyChange::Drop(number) if number < loose.len() => {
                        self.drop_member(value, loose.remove(number), told, place)
                    }
                    KeyChange::Rename(..) | KeyChange::Drop(_) => break,
                };
                cost = (0..times).fold(cost, |cost, _| cost.plus(Cost::of(trust)));
            }
        }
        cost
    }

    /// Gives the members of an object other names and places; says how many repairs that is.
    fn change_all(
        &mut self,
        value: &mut Value,
        members: Map<String, Value>,
        paths: &[Vec<String>],
        (rule, trust): (&'static Rule, Trust),
        Place { here, .. }: Place<'_>,
    ) -> usize {
        let first = self.log.edits();
        for path in paths {
            self.log.note(here.edit_at(rule, trust, path));
        }
        self.log.exchange(here, value, Value::Object(members), first);
        paths.len()
    }

    fn rename_member(
        &mut self,
        value: &mut Value,
        from: &str,
        to: String,
        (rule, trust): (&'static Rule, Trust),
        Place { here, .. }: Place<'_>,
    ) -> usize {
        let first = self.log.edits();
        self.log.note(here.edit_at(rule, trust, &[&to]));
        self.log.rename_member(here, value, (from, to), first);
        1
    }

    fn drop_member(
        &mut self,
        value: &mut Value,
        name: String,
        (rule, trust): (&'static Rule, Trust),
        Place { here, .. }: Place<'_>,
    ) -> usize {
        let first = self.log.edits();
        self.log.note(here.edit_at(rule, trust, &[&name]));
        self.log.drop_member(here, value, name, first);
        1
    }

    fn mend_each_member(
        &mut self,
        nodes: &[NodeId],
        value: &mut Value,
        Place { here, .. }: Place<'_>,
        loose: Loose,
    ) -> Result<Cost, Halt> {
        let mut cost = Cost::default();
        let mut gone = Vec::new();
        let graph = self.graph;
        let mut several = Vec::new();
        let Some(members) = value.as_object_mut() else { return Ok(cost) };
        for (near, (key, member)) in members.iter_mut().enumerate() {
            let is_near = graph.member_near(nodes, key, near, &mut several);
            let tops = match is_near {
                Some(tops) => tops,
                None if loose == Loose::Stops => return Err(Halt::Loose),
                None => graph.unnamed(nodes, key, &mut several),
            };
            if self.fits(tops, member) {
                continue;
            }
            let is_optional =
                !nodes.iter().any(|id| graph.node(*id).required.iter().any(|name| name == key));
            let inside = here.member(key);
            let place = Place { is_optional, ..Place::required(&inside) };
            let first = self.log.edits();
            let mended = self.mend_refused(tops, member, place).map_err(Halt::Refused)?;
            cost = cost.plus(mended.cost);
            if mended.leaves {
                gone.push((key.clone(), first));
            }
        }
        for (key, edit) in gone {
            self.log.drop_member(here, value, key, edit);
        }
        Ok(cost)
    }

    /// Mends the items of an array. Where that fails, all is as it was.
    pub(super) fn mend_items(
        &mut self,
        tops: &[NodeId],
        nodes: &[NodeId],
        value: &mut Value,
        place: Place<'_>,
    ) -> Result<Mended, Refusal> {
        let mark = self.log.mark();
        let inside = self.mend_each_item(nodes, value, place);
        self.keep_if_accepted(inside, tops, value, (mark, place))
    }

    fn mend_each_item(
        &mut self,
        nodes: &[NodeId],
        value: &mut Value,
        Place { here, .. }: Place<'_>,
    ) -> Result<Cost, Refusal> {
        let mut cost = Cost::default();
        let mut tops = Vec::new();
        for (index, item) in value.as_array_mut().into_iter().flatten().enumerate() {
            tops.clear();
            self.graph.add_item(nodes, index, &mut tops);
            if self.fits(&tops, item) {
                continue;
            }
            let inside = here.item(index);
            let mended = self.mend_refused(&tops, item, Place::required(&inside))?;
            cost = cost.plus(mended.cost);
        }
        Ok(cost)
    }
}
