//! Rules about a crate as a whole: one type for each name, and no cycle of imports.

use crate::source::{Token, module_of, named, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// A file of a crate: its path and its text.
pub(crate) type File = (String, String);

/// A path, a line number and a sentence.
type Finding = (String, usize, String);

/// One type name is one type. Associated types and types of tests do not count.
pub(crate) fn homonyms(files: &[File]) -> Vec<Finding> {
    let mut seen: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| !module_of(path).contains(&"tests")) {
        for (name, line) in types(&tokens(text)) {
            seen.entry(name).or_default().push((path, line));
        }
    }
    let mut findings = Vec::new();
    for (name, places) in seen {
        if places.len() > 1 {
            let (path, line) = places[places.len() - 1];
            let files: Vec<&str> = places.iter().map(|(path, _)| *path).collect();
            findings.push((path.to_owned(), line, format!("`{name}` is a type in {files:?}")));
        }
    }
    findings
}

/// The types that a file defines outside of `impl`, `trait` and tests, with their lines.
fn types<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, usize)> {
    let mut found = Vec::new();
    // For each open brace: whether associated types may stand in it, and whether it is a test's.
    let mut around: Vec<(bool, bool)> = Vec::new();
    let (mut associated, mut test) = (false, false);
    for (at, token) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text);
        match token.text {
            "impl" | "trait"
                if at == 0
                    || !matches!(tokens[at - 1].text, ":" | "(" | "," | "&" | "<" | ">" | "=") =>
            {
                associated = true;
            }
            "#" if next(1) == "[" && next(2) == "cfg" && next(4) == "test" => test = true,
            "{" => {
                let in_test = test || around.last().is_some_and(|outer| outer.1);
                around.push((associated, in_test));
                (associated, test) = (false, false);
            }
            "}" => drop(around.pop()),
            ";" => (associated, test) = (false, false),
            _ => {}
        }
        let (in_trait, in_test) = around.last().copied().unwrap_or_default();
        let defines = matches!(token.text, "struct" | "enum" | "union" | "trait")
            || token.text == "type" && !in_trait;
        let name = next(1);
        if defines && !in_test && !test && name.starts_with(|first: char| first.is_uppercase()) {
            found.push((name, token.line));
        }
    }
    found
}

/// No file imports one that imports it, directly or through others, and no folder does. An import
/// of what a `mod.rs` re-exports is an import of the file that defines it.
pub(crate) fn cycles(files: &[File]) -> Vec<Finding> {
    let arrows = arrows(files);
    let mut findings = Vec::new();
    let mut report = |kind: &str, arrows: &BTreeMap<String, BTreeSet<String>>| {
        for group in groups(arrows) {
            let path = group[0].clone();
            findings.push((path, 1, format!("these {kind} import each other: {group:?}")));
        }
    };
    report("files", &arrows);
    let mut folders: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (from, to) in arrows.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
        let (from, to): (Vec<_>, Vec<_>) = (from.split('/').collect(), to.split('/').collect());
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let child = |path: &[&str]| path[..shared + 1].join("/");
        let arrows = folders.entry(from[..shared].join("/")).or_default();
        arrows.entry(child(&from)).or_default().insert(child(&to));
        arrows.entry(child(&to)).or_default();
    }
    for arrows in folders.values() {
        let of_folders = |group: &&Vec<String>| group.iter().any(|path| !path.ends_with(".rs"));
        for group in groups(arrows).iter().filter(of_folders) {
            let sentence = format!("these folders import each other: {group:?}");
            findings.push((group[0].clone(), 1, sentence));
        }
    }
    findings
}

/// Which files each file imports, outside of tests.
fn arrows(files: &[File]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeMap<Vec<&str>, &str> =
        files.iter().map(|(path, _)| (module_of(path), path.as_str())).collect();
    // What each `mod.rs` re-exports: a name to the path it stands for.
    let mut exports: BTreeMap<(Vec<&str>, &str), Vec<&str>> = BTreeMap::new();
    for (path, text) in files {
        let module = module_of(path);
        for (path, name) in reexports(&tokens(text), &module, &modules) {
            exports.insert((module.clone(), name), path);
        }
    }
    let mut arrows = BTreeMap::new();
    for (path, text) in files {
        let own = module_of(path);
        let code = tokens(text);
        let mut to = BTreeSet::new();
        let plain = named(path, &code).into_iter().filter(|named| named.ours && !named.in_test);
        let exported: BTreeSet<usize> = export_lines(&code);
        let children = imports_of_children(&code, &own, &modules);
        let all = plain.map(|named| (named.line, named.path)).chain(children);
        for (line, mut named) in all {
            if exported.contains(&line) && path.ends_with("mod.rs") {
                continue;
            }
            for _ in 0..8 {
                let known =
                    (0..=named.len()).rev().find(|&len| modules.contains_key(&named[..len]));
                let Some(len) = known else { break };
                let next =
                    named.get(len).and_then(|name| exports.get(&(named[..len].to_vec(), *name)));
                let Some(next) = next else {
                    let file = modules[&named[..len]];
                    // A module that is only passed through on the way to a child is no import.
                    if file != path
                        && !file.ends_with("src/lib.rs")
                        && (len < named.len() || !file.ends_with("mod.rs"))
                    {
                        to.insert(file.to_owned());
                    }
                    break;
                };
                named = next.iter().chain(&named[len + 1..]).copied().collect();
            }
        }
        arrows.insert(path.clone(), to);
    }
    arrows
}

/// The lines of re-exports.
fn export_lines(tokens: &[Token<'_>]) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.text == "use" && at > 0 && matches!(tokens[at - 1].text, "pub" | ")") {
            let end = tokens[at..].iter().take_while(|token| token.text != ";");
            lines.extend(end.map(|token| token.line));
        }
    }
    lines
}

/// What a file imports from its child modules by a path that starts with the name of one.
fn imports_of_children<'a>(
    tokens: &[Token<'a>],
    own: &[&'a str],
    modules: &BTreeMap<Vec<&'a str>, &'a str>,
) -> Vec<(usize, Vec<&'a str>)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let path = [own, &[token.text]].concat();
        let starts = at == 0 || tokens[at - 1].text != "::";
        let next = tokens.get(at + 1).map_or("", |token| token.text);
        if starts && next == "::" && modules.contains_key(&path) {
            let name = tokens.get(at + 2).map_or("", |token| token.text);
            found.push((token.line, [&path[..], &[name]].concat()));
        }
    }
    found
}

/// The names that a file re-exports with `pub use` from its own child modules, and their paths.
fn reexports<'a>(
    tokens: &[Token<'a>],
    own: &[&'a str],
    modules: &BTreeMap<Vec<&'a str>, &'a str>,
) -> Vec<(Vec<&'a str>, &'a str)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.text != "use" || at == 0 || !matches!(tokens[at - 1].text, "pub" | ")") {
            continue;
        }
        let mut path = own.to_vec();
        let mut stack = Vec::new();
        let mut last = "";
        for token in &tokens[at + 1..] {
            match token.text {
                ";" => break,
                "::" => path.push(last),
                "{" => stack.push(path.clone()),
                "," | "}" => {
                    if !last.is_empty() {
                        found.push(([&path[..], &[last]].concat(), last));
                    }
                    last = "";
                    if token.text == "}" {
                        stack.pop();
                    }
                    path = stack.last().cloned().unwrap_or_else(|| own.to_vec());
                    continue;
                }
                "self" | "crate" | "super" => {}
                name => last = name,
            }
            if token.text == "{" || token.text == "::" {
                last = "";
            }
        }
        if !last.is_empty() && stack.is_empty() {
            found.push(([&path[..], &[last]].concat(), last));
        }
    }
    // Names of this file's own child modules only.
    found.retain(|(path, _)| {
        path.len() > own.len() + 1 && modules.contains_key(&path[..own.len() + 1])
    });
    found
}

/// The groups of two or more that reach each other, each in order.
fn groups(arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |start: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
        while let Some(at) = open.pop() {
            for next in arrows.get(&at).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> =
        arrows.keys().map(|path| (path, reach(path))).collect();
    let mut groups: Vec<Vec<String>> = Vec::new();
    for (path, seen) in &reached {
        if groups.iter().any(|group| group.contains(path)) {
            continue;
        }
        let group: Vec<String> = reached
            .iter()
            .filter(|(other, back)| seen.contains(**other) && back.contains(*path))
            .map(|(other, _)| (*other).clone())
            .collect();
        if group.len() > 1 {
            groups.push(group);
        }
    }
    groups
}

#[cfg(test)]
fn files(texts: &[(&str, &str)]) -> Vec<File> {
    texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Goal: a second type of a name is found. Method: in two files, in one `impl`, in tests.
#[test]
fn a_second_type_of_a_name_is_found() {
    let first = ("src/geom/a.rs", "pub struct Row { x: f32 }");
    for second in ["enum Row { A }", "mod inner { trait Row {} }", "pub(crate) type Row = u32;"] {
        assert_eq!(homonyms(&files(&[first, ("src/geom/b.rs", second)])).len(), 1, "{second}");
    }
    for second in [
        "impl Iterator for A { type Row = u32; fn f() -> impl Fn() { || () } }",
        "trait A { type Row; }",
        "#[cfg(test)] mod tests { struct Row; }",
        "struct Rows; // struct Row",
        "fn f(row: Row) {}",
    ] {
        assert_eq!(homonyms(&files(&[first, ("src/geom/b.rs", second)])), [], "{second}");
    }
}

/// Goal: files and folders that import each other are found, also by what a `mod.rs` re-exports.
/// Method: small trees with a cycle and without one.
#[test]
fn a_cycle_of_imports_is_found() {
    let module = ("src/geom/mod.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;");
    let cyclic = [
        module,
        ("src/geom/a.rs", "use super::B;\npub struct A;"),
        ("src/geom/b.rs", "use super::a::A;\npub struct B;"),
    ];
    assert_eq!(cycles(&files(&cyclic)).len(), 1, "{:?}", arrows(&files(&cyclic)));
    let good = [
        module,
        ("src/geom/a.rs", "pub struct A;\n#[cfg(test)] mod tests { use super::super::B; }"),
        ("src/geom/b.rs", "use super::A;\npub struct B;"),
    ];
    assert_eq!(cycles(&files(&good)), []);
    let stepper = [
        ("stepping/src/lib.rs", "mod a;\nmod b;"),
        ("stepping/src/a.rs", "use crate::b::B;\npub struct A;"),
        ("stepping/src/b.rs", "use crate::a::A;\npub struct B;"),
    ];
    assert_eq!(cycles(&files(&stepper)).len(), 1, "{:?}", arrows(&files(&stepper)));
    let folders = [
        ("src/x/mod.rs", "mod p;\nmod q;"),
        ("src/x/p/mod.rs", "mod a;\nmod b;"),
        ("src/x/q/mod.rs", "mod c;"),
        ("src/x/p/a.rs", "use crate::x::q::c::C;"),
        ("src/x/p/b.rs", "pub struct B;"),
        ("src/x/q/c.rs", "use crate::x::p::b::B;\npub struct C;"),
    ];
    let found = cycles(&files(&folders));
    assert!(found.len() == 1 && found[0].2.contains("folders"), "{found:?}");
}
