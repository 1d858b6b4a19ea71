//! Values whose subschema is a union: each branch is a reading of its own.

use serde_json::Value;

use super::{Engine, Found, Mended, Place, Reading, Refusal};
use crate::graph::Graph;
use crate::node::NodeId;

/// How many readings of the unions at one place are tried. A place with more is not repaired.
const READINGS_MAX: usize = 64;

/// How deep unions inside unions are taken apart.
const NESTING_MAX: usize = 8;

impl Engine<'_> {
    /// The sets of subschemas that may hold for a value: one for each choice among the unions.
    pub(super) fn readings(&self, tops: &[NodeId], value: &Value) -> Vec<Vec<NodeId>> {
        let mut start = Vec::with_capacity(4);
        for top in tops {
            add_whole(self.graph, &mut start, *top, value);
        }
        let mut done = Vec::new();
        let mut open = vec![(start, 0, 0)];
        while let Some((nodes, from, depth)) = open.pop() {
            if done.len() + open.len() > READINGS_MAX || depth > NESTING_MAX {
                return Vec::new();
            }
            let next = next_union(self.graph, &nodes, from);
            let Some((union, after)) = next else {
                done.push(nodes);
                continue;
            };
            // Last in, first out: the branches come out in their order.
            for branch in union.iter().rev() {
                let mut chosen = nodes.clone();
                add_whole(self.graph, &mut chosen, *branch, value);
                open.push((chosen, after, depth + 1));
            }
        }
        done
    }

    /// Mends a value in each reading, and takes the best.
    pub(super) fn mend_union(
        &mut self,
        tops: &[NodeId],
        readings: &[Vec<NodeId>],
        value: &mut Value,
        place: Place<'_>,
    ) -> Result<Mended, Refusal> {
        let mut found = Found::default();
        for nodes in readings {
            let mark = self.log.mark();
            let mut trial = value.clone();
            let mended = self.mend_reading(tops, nodes, &mut trial, place);
            let edits = self.log.take(mark);
            found.add(mended.map(|mended| Reading { mended, value: trial, edits }));
        }
        let Reading { mended, value: better, edits } = found.best()?;
        self.log.replace(place.here, value, better, edits);
        Ok(mended)
    }
}

/// Adds a subschema, all that holds with it, and the side of a condition that holds for the value.
fn add_whole(graph: &Graph, nodes: &mut Vec<NodeId>, top: NodeId, value: &Value) {
    let mut open = vec![top];
    while let Some(top) = open.pop() {
        for id in &graph.node(top).whole {
            if nodes.contains(id) {
                continue;
            }
            nodes.push(*id);
            if let Some(condition) = graph.node(*id).condition {
                let holds = graph.accepts(condition.test, value);
                open.extend(if holds { condition.then } else { condition.otherwise });
            }
        }
    }
}

/// The first union from a place on, and the place after it. Places count unions across nodes.
fn next_union<'g>(
    graph: &'g Graph,
    nodes: &[NodeId],
    from: usize,
) -> Option<(&'g [NodeId], usize)> {
    let unions = nodes.iter().flat_map(|id| &graph.node(*id).unions);
    unions.skip(from).map(|union| (union.as_slice(), from + 1)).next()
}
