//! What a function may return instead of what it computes.

use syn::{GenericArgument, PathArguments, PathSegment, ReturnType, Type};

/// Each way to leave a function at once, as Rust; nothing where no value is known. What does not
/// compile is found out later.
pub fn of_return(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".to_owned()],
        ReturnType::Type(_, kind) => of_type(kind),
    }
}

fn of_type(kind: &Type) -> Vec<String> {
    match kind {
        Type::Path(path) => path.path.segments.last().map_or_else(Vec::new, of_name),
        Type::Reference(reference) if reference.mutability.is_none() => match &*reference.elem {
            Type::Slice(_) => texts(&["&[]"]),
            Type::Path(path) if path.path.is_ident("str") => texts(&["\"\"", "\"xyzzy\""]),
            _ => Vec::new(),
        },
        Type::Tuple(tuple) => {
            let firsts: Option<Vec<String>> = tuple.elems.iter().map(first).collect();
            firsts.map_or_else(Vec::new, |firsts| vec![format!("({})", firsts.join(", "))])
        }
        _ => Vec::new(),
    }
}

fn of_name(name: &PathSegment) -> Vec<String> {
    match name.ident.to_string().as_str() {
        "bool" => texts(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => {
            texts(&["0", "1"])
        }
        "f32" | "f64" => texts(&["0.0", "1.0"]),
        "String" => texts(&["String::new()", "\"xyzzy\".to_owned()"]),
        "Vec" => texts(&["Vec::new()"]),
        "Option" => texts(&["None"]).into_iter().chain(wrapped("Some", name)).collect(),
        "Result" => wrapped("Ok", name).into_iter().collect(),
        _ => texts(&["Default::default()"]),
    }
}

/// The first value of what a type is made of, in this variant.
fn wrapped(variant: &str, name: &PathSegment) -> Option<String> {
    let PathArguments::AngleBracketed(arguments) = &name.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(kind) => Some(format!("{variant}({})", first(kind)?)),
        _ => None,
    }
}

fn first(kind: &Type) -> Option<String> {
    of_type(kind).into_iter().next()
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|&value| value.to_owned()).collect()
}
