//! Where a file can be changed: a walk over its syntax that collects mutants.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ExprBinary, Pat, Signature, UnOp};

use crate::values;

/// One change of the code, which the program makes where the environment gives its number.
#[derive(Debug)]
pub struct Mutant {
    pub number: u32,
    /// `file:line:column: what -> what`.
    pub title: String,
}

/// A part of what stands in the place of a piece of source.
#[derive(Debug)]
pub enum Piece {
    Text(String),
    /// Left out where its mutant is dropped.
    Mutant(u32, String),
    /// What stood there, with the sites inside of it.
    Source(Range<usize>),
}

/// A piece of source that is written otherwise, so that its mutants can be chosen as it runs.
#[derive(Debug)]
pub struct Site {
    pub span: Range<usize>,
    pub pieces: Vec<Piece>,
    /// The body of a function: written also where none of its own mutants is left.
    pub is_body: bool,
}

impl Site {
    pub fn mutants(&self) -> impl Iterator<Item = u32> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Mutant(number, _) => Some(*number),
            _ => None,
        })
    }
}

/// What was found in one file.
#[derive(Debug)]
pub struct Walk<'f> {
    file: &'f str,
    source: &'f str,
    next: u32,
    pub sites: Vec<Site>,
    pub mutants: Vec<Mutant>,
}

impl<'f> Walk<'f> {
    /// Collects the sites of a file; the numbers of its mutants begin behind `last`.
    pub fn over(file: &'f str, source: &'f str, last: u32) -> syn::Result<Self> {
        let mut walk =
            Self { file, source, next: last + 1, sites: Vec::new(), mutants: Vec::new() };
        walk.visit_file(&syn::parse_file(source)?);
        // Outer sites before inner ones.
        walk.sites.sort_by_key(|site| (site.span.start, usize::MAX - site.span.end));
        Ok(walk)
    }

    fn mutant(&mut self, place: Span, from: &str, to: &str) -> u32 {
        let number = self.next;
        self.next += 1;
        let (line, column) = (place.start().line, place.start().column + 1);
        let title = format!("{}:{line}:{column}: {from} -> {to}", self.file);
        self.mutants.push(Mutant { number, title });
        number
    }

    fn site(&mut self, span: Range<usize>, pieces: Vec<Piece>) {
        self.sites.push(Site { span, pieces, is_body: false });
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        let braces = block.brace_token.span;
        let inside = braces.open().byte_range().end..braces.close().byte_range().start;
        let name = signature.ident.to_string();
        let mut pieces = Vec::new();
        let values = values::of_return(&signature.output);
        let is_empty = block.stmts.is_empty();
        let source = self.source.get(inside.clone()).unwrap_or_default().trim();
        let is_default = signature.ident == "default" || source.ends_with("::default()");
        let is_same = |value: &str| value == source || is_default && value == "Default::default()";
        for value in values.into_iter().filter(|value| !is_empty && !is_same(value)) {
            let number = self.mutant(signature.ident.span(), &name, &value);
            pieces.push(Piece::Mutant(number, format!("if {} {{ return {value}; }}", is(number))));
        }
        pieces.push(Piece::Source(inside.clone()));
        self.sites.push(Site { span: inside, pieces, is_body: true });
    }

    /// `a && b` and `a || b`, written so that each side stands there once.
    fn junction(&mut self, binary: &ExprBinary, is_and: bool) {
        let place = binary.op.span();
        let (from, to) = if is_and { ("&&", "||") } else { ("||", "&&") };
        let number = self.mutant(place, from, to);
        let chosen = is(number);
        let (left, right) = (binary.left.span().byte_range(), binary.right.span().byte_range());
        let mut pieces = vec![Piece::Text("(if (".into()), Piece::Source(left)];
        pieces.push(Piece::Mutant(number, format!(") != {chosen} {{ ")));
        if is_and {
            pieces.push(Piece::Source(right));
            pieces.push(Piece::Text(format!(" }} else {{ {chosen} }})")));
        } else {
            pieces.push(Piece::Text(format!("!{chosen} }} else {{ ")));
            pieces.push(Piece::Source(right));
            pieces.push(Piece::Text(" })".into()));
        }
        self.site(binary.span().byte_range(), pieces);
    }

    /// Operators that take two values: both are made once, then one operator is chosen.
    fn operation(&mut self, binary: &ExprBinary, from: &str, others: &[&str], mark: &str) {
        let (left, right) = (binary.left.span().byte_range(), binary.right.span().byte_range());
        let mut pieces = vec![
            Piece::Text(format!("(match ({mark}(")),
            Piece::Source(left),
            Piece::Text(format!("), {mark}(")),
            Piece::Source(right),
            Piece::Text(")) { (l, r) => ".into()),
        ];
        for to in others {
            let number = self.mutant(binary.op.span(), from, to);
            let text = format!("if {} {{ l {to} r }} else ", is(number));
            pieces.push(Piece::Mutant(number, text));
        }
        pieces.push(Piece::Text(format!("{{ l {from} r }} }})")));
        self.site(binary.span().byte_range(), pieces);
    }

    /// `a += b`, where `a` is a place that can be named twice.
    fn assignment(&mut self, binary: &ExprBinary, from: &str, to: &str) {
        let left = binary.left.span().byte_range();
        let Some(place) = self.source.get(left).filter(|_| is_place(&binary.left)) else {
            return;
        };
        let number = self.mutant(binary.op.span(), from, to);
        let pieces = vec![
            Piece::Text("match ".into()),
            Piece::Source(binary.right.span().byte_range()),
            Piece::Text(" { r => ".into()),
            Piece::Mutant(number, format!("if {} {{ {place} {to} r }} else ", is(number))),
            Piece::Text(format!("{{ {place} {from} r }} }}")),
        ];
        self.site(binary.span().byte_range(), pieces);
    }

    fn guard(&mut self, guard: &Expr) {
        let truth = self.mutant(guard.span(), "guard", "true");
        let lie = self.mutant(guard.span(), "guard", "false");
        let span = guard.span().byte_range();
        let pieces = vec![
            Piece::Mutant(truth, format!("{} || ", is(truth))),
            Piece::Text("(".into()),
            Piece::Source(span.clone()),
            Piece::Text(")".into()),
            Piece::Mutant(lie, format!(" && !{}", is(lie))),
        ];
        self.site(span, pieces);
    }
}

impl<'a> Visit<'a> for Walk<'_> {
    fn visit_item(&mut self, item: &'a syn::Item) {
        match item {
            // What is computed as the crate is built cannot ask the environment.
            syn::Item::Const(_) | syn::Item::Static(_) | syn::Item::Macro(_) => {}
            syn::Item::Mod(module) if is_left_alone(&module.attrs) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_impl(&mut self, block: &'a syn::ItemImpl) {
        let name = block.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
        // How something prints itself for a person is no promise.
        let is_print = name.is_some_and(|name| {
            name.ident == "Debug" || name.ident == "Display" || name.ident == "Error"
        });
        if !is_print && !is_left_alone(&block.attrs) {
            visit::visit_item_impl(self, block);
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if item.sig.constness.is_none() && !is_left_alone(&item.attrs) {
            self.body(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if item.sig.constness.is_none() && !is_left_alone(&item.attrs) {
            self.body(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        if let Some(block) = item.default.as_ref().filter(|_| !is_left_alone(&item.attrs)) {
            self.body(&item.sig, block);
            visit::visit_trait_item_fn(self, item);
        }
    }

    fn visit_expr_binary(&mut self, binary: &'a ExprBinary) {
        match &binary.op {
            BinOp::And(_) | BinOp::Or(_) if binds(&binary.left) || binds(&binary.right) => {}
            BinOp::And(_) => self.junction(binary, true),
            BinOp::Or(_) => self.junction(binary, false),
            BinOp::Eq(_) => self.operation(binary, "==", &["!="], "&"),
            BinOp::Ne(_) => self.operation(binary, "!=", &["=="], "&"),
            BinOp::Lt(_) => self.operation(binary, "<", &["<=", ">"], "&"),
            BinOp::Le(_) => self.operation(binary, "<=", &["<", ">"], "&"),
            BinOp::Gt(_) => self.operation(binary, ">", &[">=", "<"], "&"),
            BinOp::Ge(_) => self.operation(binary, ">=", &[">", "<"], "&"),
            BinOp::Add(_) => self.operation(binary, "+", &["-", "*"], ""),
            BinOp::Sub(_) => self.operation(binary, "-", &["+", "/"], ""),
            BinOp::Mul(_) => self.operation(binary, "*", &["+", "/"], ""),
            BinOp::Div(_) => self.operation(binary, "/", &["*", "%"], ""),
            BinOp::Rem(_) => self.operation(binary, "%", &["/"], ""),
            BinOp::BitAnd(_) => self.operation(binary, "&", &["|"], ""),
            BinOp::BitOr(_) => self.operation(binary, "|", &["&"], ""),
            BinOp::AddAssign(_) => self.assignment(binary, "+=", "-="),
            BinOp::SubAssign(_) => self.assignment(binary, "-=", "+="),
            BinOp::BitOrAssign(_) => self.assignment(binary, "|=", "&="),
            BinOp::BitAndAssign(_) => self.assignment(binary, "&=", "|="),
            _ => {}
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'a syn::ExprUnary) {
        let from = match unary.op {
            UnOp::Not(_) => "!",
            UnOp::Neg(_) => "-",
            _ => return visit::visit_expr_unary(self, unary),
        };
        let number = self.mutant(unary.op.span(), from, "");
        let pieces = vec![
            Piece::Text("(match ".into()),
            Piece::Source(unary.expr.span().byte_range()),
            Piece::Text(" { v => ".into()),
            Piece::Mutant(number, format!("if {} {{ v }} else ", is(number))),
            Piece::Text(format!("{{ {from}v }} }})")),
        ];
        self.site(unary.span().byte_range(), pieces);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_match(&mut self, expr: &'a syn::ExprMatch) {
        // Without an arm for the rest, a match that lost one does not compile.
        let has_rest = expr.arms.last().is_some_and(|arm| {
            arm.guard.is_none() && matches!(&arm.pat, Pat::Wild(_) | Pat::Ident(_))
        });
        let but_last = expr.arms.len().saturating_sub(1);
        for arm in expr.arms.iter().take(but_last).filter(|arm| has_rest && arm.guard.is_none()) {
            let number = self.mutant(arm.pat.span(), "arm", "");
            let end = arm.pat.span().byte_range().end;
            self.site(end..end, vec![Piece::Mutant(number, format!(" if !{}", is(number)))]);
        }
        visit::visit_expr_match(self, expr);
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        if let Some((_, guard)) = arm.guard.as_ref().filter(|(_, guard)| !binds(guard)) {
            self.guard(guard);
        }
        visit::visit_arm(self, arm);
    }

    // Constants, again.
    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'a syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, _: &'a syn::ExprRepeat) {}
    fn visit_type(&mut self, _: &'a syn::Type) {}
    fn visit_variant(&mut self, _: &'a syn::Variant) {}
    fn visit_pat(&mut self, _: &'a Pat) {}
    fn visit_attribute(&mut self, _: &'a Attribute) {}
    fn visit_generic_argument(&mut self, _: &'a syn::GenericArgument) {}
}

fn is(number: u32) -> String {
    format!("crate::mutant::is({number})")
}

/// Whether it is a test, or not built on each machine.
pub fn is_left_alone(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("test"))
}

/// Whether a condition binds names: `if let ... && ...` is no value that could stand elsewhere.
fn binds(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) => true,
        Expr::Field(field) => is_place(&field.base),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) && is_place(&unary.expr),
        _ => false,
    }
}
