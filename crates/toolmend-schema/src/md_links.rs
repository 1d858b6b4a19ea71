//! Paths that Markdown turned into links, in the fields that hold paths.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use crate::graph::{Graph, push_step};
use crate::node::NodeId;

/// Paths deeper than this, or more of them, are not looked for.
const DEPTH_MAX: usize = 6;
const SPOTS_MAX: usize = 64;

/// A place in the arguments whose texts are paths.
pub(crate) type Spot = Vec<Way>;

/// A step to such a place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Way {
    Key(String),
    EachItem,
}

/// Where a schema has paths.
pub(crate) fn spots(graph: &Graph) -> Vec<Spot> {
    let mut found: Vec<Spot> = Vec::new();
    let mut open: Vec<(NodeId, Spot)> = vec![(Graph::ROOT, Vec::new())];
    while let Some((id, way)) = open.pop() {
        if found.len() >= SPOTS_MAX || open.len() > SPOTS_MAX * 16 {
            break;
        }
        if graph.node(id).is_path && !way.is_empty() && !found.contains(&way) {
            found.push(way.clone());
        }
        if way.len() >= DEPTH_MAX {
            continue;
        }
        for node in graph.reachable(id).into_iter().map(|id| graph.node(id)) {
            for (name, inner) in node.order.iter().rev() {
                let step = Way::Key(name.clone());
                open.push((*inner, with(&way, step)));
            }
            let items = node.items.iter().chain(node.prefix.first());
            open.extend(items.map(|inner| (*inner, with(&way, Way::EachItem))));
        }
    }
    found
}

fn with(way: &Spot, step: Way) -> Spot {
    way.iter().cloned().chain([step]).collect()
}

/// Whether any path in the arguments is a link.
pub(crate) fn any(spots: &[Spot], arguments: &Value) -> bool {
    spots.iter().any(|spot| find(arguments, spot))
}

fn find(value: &Value, spot: &[Way]) -> bool {
    match (value, spot.split_first()) {
        (Value::String(text), None) => text.ends_with(')') && unwrapped(text).is_some(),
        (Value::Array(items), None) => {
            items.iter().any(|item| item.is_string() && find(item, spot))
        }
        (Value::Object(members), Some((Way::Key(name), rest))) => {
            member(members, name).is_some_and(|member| find(member, rest))
        }
        (Value::Array(items), Some((Way::EachItem, rest))) => {
            items.iter().any(|item| find(item, rest))
        }
        _ => false,
    }
}

/// The member of this name. Few names are compared faster than one is hashed, and every valid call
/// comes by here.
pub(crate) fn member<'v>(members: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if members.len() > 16 {
        return members.get(name);
    }
    members.iter().find(|(key, _)| key.as_str() == name).map(|(_, value)| value)
}

/// A path that was taken out of its link.
pub(crate) struct Unwrapped {
    /// Where it stands, as a JSON Pointer.
    pub(crate) at: String,
    pub(crate) path: String,
    pub(crate) trust: Trust,
}

/// Every path of the arguments that is a link, taken out.
pub(crate) fn all(spots: &[Spot], arguments: &Value) -> Vec<Unwrapped> {
    let mut found = Vec::new();
    for spot in spots {
        collect(arguments, spot, &mut String::new(), &mut found);
    }
    found
}

fn collect(value: &Value, spot: &[Way], at: &mut String, found: &mut Vec<Unwrapped>) {
    match (value, spot.split_first()) {
        (Value::String(text), None) => {
            if let Some((path, trust)) = unwrapped(text) {
                found.push(Unwrapped { at: at.clone(), path, trust });
            }
        }
        (Value::Array(items), rest) => {
            let rest = match rest {
                None => spot,
                Some((Way::EachItem, rest)) => rest,
                Some(_) => return,
            };
            for (index, item) in
                items.iter().enumerate().filter(|(_, i)| rest.len() < spot.len() || i.is_string())
            {
                let before = at.len();
                push_step(at, &index.to_string());
                collect(item, rest, at, found);
                at.truncate(before);
            }
        }
        (Value::Object(members), Some((Way::Key(name), rest))) => {
            if let Some(member) = members.get(name) {
                let before = at.len();
                push_step(at, name);
                collect(member, rest, at, found);
                at.truncate(before);
            }
        }
        _ => {}
    }
}

/// The path inside `[a.md](http://a.md)`, perhaps after the folders that it stands in.
pub(crate) fn unwrapped(text: &str) -> Option<(String, Trust)> {
    let (head, rest) = text.split_once('[')?;
    let (label, rest) = rest.split_once("](")?;
    let target = rest.strip_suffix(')')?;
    let is_folder = head.is_empty() || head.ends_with(['/', '\\']);
    if label.is_empty()
        || label.contains(['[', ']'])
        || target.contains(['(', ')', ' '])
        || !is_folder
    {
        return None;
    }
    let address = target.strip_prefix("http://").or_else(|| target.strip_prefix("https://"))?;
    let path = format!("{head}{label}");
    if address == label {
        return Some((path, Trust::Exact));
    }
    let (_, last) = address.rsplit_once('/')?;
    (last == label && label.contains('.')).then_some((path, Trust::Likely))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolmend_json::Trust;

    use super::{SPOTS_MAX, spots, unwrapped};
    use crate::graph::Graph;

    #[test]
    fn so_many_places_are_looked_at() {
        let path = json!({"properties": {"path": {"type": "string"}}});
        let members = (0..2 * SPOTS_MAX).map(|n| (format!("m{n}"), path.clone()));
        let graph = Graph::compile(json!({"properties": Value::Object(members.collect())}));
        assert_eq!(spots(&graph.unwrap()).len(), SPOTS_MAX);
    }

    #[test]
    fn only_a_link_that_a_path_became_is_taken_out() {
        for (text, path) in [
            ("[a.md](http://a.md)", Some(("a.md", Trust::Exact))),
            ("[a.md](https://a.md)", Some(("a.md", Trust::Exact))),
            ("src/[a.md](http://a.md)", Some(("src/a.md", Trust::Exact))),
            (r"C:\[a.md](http://a.md)", Some((r"C:\a.md", Trust::Exact))),
            ("[a.md](http://x.org/b/a.md)", Some(("a.md", Trust::Likely))),
            // The last part of an address is no file without a dot.
            ("[guide](http://x.org/guide)", None),
            // Each of these has one thing that such a link has not.
            ("[](http://)", None),
            ("[a]b](http://a]b)", None),
            ("[a b](http://a b)", None),
            ("see [a.md](http://a.md)", None),
            ("[a.md](a.md)", None),
            ("[a.md](http://a.md", None),
            ("a.md", None),
        ] {
            let found = unwrapped(text);
            assert_eq!(found.as_ref().map(|(path, trust)| (path.as_str(), *trust)), path, "{text}");
        }
    }
}
