//! The rules, one file each. The order of the list is the order in which they propose.

mod arguments_renested;
mod arguments_unwrapped;
mod bare_value_to_array;
mod boolean_to_string;
mod empty_arguments;
mod empty_object_dropped;
mod empty_string_to_array;
mod enum_case;
mod enum_nearest;
mod integral_float;
mod json_string_to_array;
mod json_string_to_object;
mod key_renamed;
mod keyed_object_to_array;
mod markup_trimmed;
mod md_link_unwrapped;
mod null_stripped;
mod number_to_string;
mod object_to_array;
mod object_to_json_string;
mod positional_arguments;
mod reading;
mod relational_default;
mod schema_default;
mod single_item_unwrapped;
mod single_member_unwrapped;
mod string_to_boolean;
mod string_to_integer;
mod string_to_null;
mod string_to_number;
mod tagged_arguments;
mod tool_name;
mod unknown_key_dropped;

use crate::catalog::Rule;

pub(crate) use empty_arguments::RULE as EMPTY_ARGUMENTS;
pub(crate) use empty_object_dropped::RULE as EMPTY_OBJECT_DROPPED;
pub(crate) use integral_float::RULE as INTEGRAL_FLOAT;
pub(crate) use json_string_to_array::RULE as JSON_STRING_TO_ARRAY;
pub(crate) use json_string_to_object::RULE as JSON_STRING_TO_OBJECT;
pub(crate) use md_link_unwrapped::RULE as MD_LINK_UNWRAPPED;
pub(crate) use number_to_string::RULE as NUMBER_TO_STRING;
pub(crate) use object_to_json_string::RULE as OBJECT_TO_JSON_STRING;
pub(crate) use positional_arguments::{RULE as POSITIONAL_ARGUMENTS, named as name_positional};
pub(crate) use reading::{read_container, read_integer, read_number};
pub(crate) use relational_default::RULE as RELATIONAL_DEFAULT;
pub(crate) use single_item_unwrapped::RULE as SINGLE_ITEM_UNWRAPPED;
pub(crate) use string_to_boolean::read_boolean;
pub(crate) use tagged_arguments::RULE as TAGGED_ARGUMENTS;
pub(crate) use tool_name::RULE as TOOL_NAME;

/// Puts dotted names back, also for tools that were shown with them.
pub(crate) const RENESTED: &Rule = &arguments_renested::RULE;

/// Every rule. What is of the turn comes first, then what runs before validation; what may lose
/// something comes last.
pub(crate) const ALL: &[&Rule] = &[
    &tool_name::RULE,
    &empty_arguments::RULE,
    &empty_object_dropped::RULE,
    &tagged_arguments::RULE,
    &relational_default::RULE,
    &positional_arguments::RULE,
    &md_link_unwrapped::RULE,
    &arguments_renested::RULE,
    &arguments_unwrapped::RULE,
    &null_stripped::RULE,
    &string_to_null::RULE,
    &json_string_to_array::RULE,
    &json_string_to_object::RULE,
    &string_to_integer::RULE,
    &string_to_number::RULE,
    &string_to_boolean::RULE,
    &integral_float::RULE,
    &object_to_array::RULE,
    &empty_string_to_array::RULE,
    &keyed_object_to_array::RULE,
    &bare_value_to_array::RULE,
    &single_item_unwrapped::RULE,
    &single_member_unwrapped::RULE,
    &number_to_string::RULE,
    &boolean_to_string::RULE,
    &object_to_json_string::RULE,
    &enum_case::RULE,
    &markup_trimmed::RULE,
    &key_renamed::RULE,
    &enum_nearest::RULE,
    &schema_default::RULE,
    &unknown_key_dropped::RULE,
];
