//! Reads the text of a Rust file and finds the paths in it.
//!
//! [`tokens`] reads the code and skips comments, strings and characters. [`named`] finds the paths in it and
//! resolves `self`, `super` and groups of imports, so that a rule sees each path as seen from the root of its
//! crate.

/// The folders of code that follow the rules of the library: its own, and that of the stepper.
pub(crate) const CRATES: [&str; 2] = ["src/", "stepping/src/"];

/// The path of a file inside of one of [`CRATES`].
pub(crate) fn inside(path: &str) -> Option<&str> {
    CRATES.iter().find_map(|folder| path.strip_prefix(folder))
}

/// Whether it is a Rust file in one of [`CRATES`].
pub(crate) fn in_src(path: &str) -> bool {
    inside(path).is_some() && path.ends_with(".rs")
}

/// The path of the module of a file of `src`: `src/columns/view.rs` is `columns`, `view`.
pub(crate) fn module_of(path: &str) -> Vec<&str> {
    let inside = inside(path).unwrap_or_default().trim_end_matches(".rs");
    inside.split('/').filter(|name| !matches!(*name, "" | "mod" | "lib")).collect()
}

/// A path of the code, as seen from the root of its crate.
pub(crate) struct Named<'a> {
    pub(crate) line: usize,
    pub(crate) path: Vec<&'a str>,
    /// Whether it starts in this crate.
    pub(crate) ours: bool,
    /// Whether it is under `cfg(test)`.
    pub(crate) in_test: bool,
    /// Whether it is in a `use`, where a path of one segment is enough.
    pub(crate) in_use: bool,
}

/// The item to which an opening brace, bracket or parenthesis belongs.
#[derive(Default)]
struct Scope {
    is_module: bool,
    in_test: bool,
    /// Whether `#[cfg(test)]` precedes the next item.
    next_in_test: bool,
}

/// Finds every path that starts at `crate`, `self` or `super`, or at a foreign crate that one layer may use.
///
/// Braces are counted, so that `super` in an inline module is relative to it, and code under `cfg(test)` is
/// recognised.
pub(crate) fn named<'a>(path: &'a str, tokens: &[Token<'a>]) -> Vec<Named<'a>> {
    let mut module = module_of(path);
    let mut scope = Scope { in_test: module.contains(&"tests"), ..Scope::default() };
    let mut around = Vec::new();
    let mut named = Vec::new();
    let mut at = 0;
    while let Some(&Token { text, .. }) = tokens.get(at) {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at].text);
        match text {
            "#" => match &attribute(&tokens[at + 1..])[..] {
                "[cfg(test" | "[cfg(all(test" => scope.next_in_test = true,
                "![cfg(test" => scope.in_test = true,
                _ => {}
            },
            ";" | "," => scope.next_in_test = false,
            "{" | "(" | "[" => {
                let is_module = text == "{" && before(2) == "mod";
                module.extend(is_module.then(|| before(1)));
                let in_test = scope.in_test || scope.next_in_test;
                around.push(scope);
                scope = Scope { is_module, in_test, next_in_test: false };
            }
            "}" | ")" | "]" => {
                module.truncate(module.len() - usize::from(scope.is_module));
                scope = around.pop().unwrap_or_default();
                scope.next_in_test &= text != "}";
            }
            _ if starts_path(text, before(1), before(2)) => {
                let ours = matches!(text, "crate" | "self" | "super");
                let start = if ours { module.clone() } else { Vec::new() };
                let (in_test, in_use) = (scope.in_test || scope.next_in_test, before(1) == "use");
                let mut found = Vec::new();
                at = follow(tokens, at, start, &mut found);
                for (line, path) in found {
                    named.push(Named { line, path, ours, in_test, in_use });
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    named
}

/// Whether `text` starts a path: not after `::`, unless that itself is the start.
fn starts_path(text: &str, before: &str, before_that: &str) -> bool {
    let root = ["crate", "self", "super", "core", "alloc", "std", "wide", "rayon"].contains(&text);
    let continues = before == "::" && before_that.bytes().all(is_word) && before_that != "use";
    root && !continues
}

/// The text of an attribute up to the first word that is neither `cfg` nor `all`.
fn attribute(tokens: &[Token<'_>]) -> String {
    let mut read = String::new();
    for token in tokens {
        read.push_str(token.text);
        if is_word(token.text.as_bytes()[0]) && !matches!(token.text, "cfg" | "all") {
            break;
        }
    }
    read
}

/// Adds each path of the use tree at `at`, which continues `path`, and returns the end of the tree.
fn follow<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    mut path: Vec<&'a str>,
    found: &mut Vec<(usize, Vec<&'a str>)>,
) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    loop {
        match text(at) {
            "{" => {
                at += 1;
                while !matches!(text(at), "}" | "") {
                    at = match text(at) {
                        "," => at + 1,
                        "as" => at + 2,
                        _ => follow(tokens, at, path.clone(), found).max(at + 1),
                    };
                }
                return at + 1;
            }
            "crate" => path.clear(),
            "self" => {}
            "super" => drop(path.pop()),
            name => path.push(name),
        }
        if text(at + 1) != "::" {
            found.push((tokens[at].line, path));
            return at + 1;
        }
        at += 2;
    }
}

/// A word, a number, `::` or one punctuation mark.
#[derive(Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) line: usize,
    pub(crate) text: &'a str,
}

pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The code of `text`, without comments, strings and characters.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let silent = silence(&text[at..]);
        let long = silent.unwrap_or_else(|| match bytes[at..] {
            [b':', b':', ..] => 2,
            [byte, ..] if is_word(byte) => bytes[at..].iter().take_while(|b| is_word(**b)).count(),
            _ => 1,
        });
        let read = &text[at..at + long];
        if silent.is_none() && !bytes[at].is_ascii_whitespace() {
            tokens.push(Token { line, text: read });
        }
        line += read.matches('\n').count();
        at += long;
    }
    tokens
}

/// The length of the comment, string or character that `text` starts with, if it does.
fn silence(text: &str) -> Option<usize> {
    let through = |from: usize, close: &str| {
        text[from..].find(close).map_or(text.len(), |at| from + at + close.len())
    };
    if text.starts_with("//") {
        return Some(through(2, "\n"));
    }
    if text.starts_with("/*") {
        let (mut depth, mut at) = (1, 2);
        while depth > 0 && at < text.len() {
            let (deeper, step) = match text.as_bytes()[at..] {
                [b'/', b'*', ..] => (1, 2),
                [b'*', b'/', ..] => (-1, 2),
                _ => (0, 1),
            };
            (depth, at) = (depth + deeper, at + step);
        }
        return Some(at);
    }
    if let Some(raw) = ["r", "br", "cr"].iter().find_map(|prefix| text.strip_prefix(prefix)) {
        let inside = raw.trim_start_matches('#');
        if inside.starts_with('"') {
            let close = format!("\"{}", "#".repeat(raw.len() - inside.len()));
            return Some(through(text.len() - inside.len() + 1, &close));
        }
    }
    if text.starts_with('"') {
        return Some(through_unescaped(text, '"'));
    }
    match text.strip_prefix('\'')?.chars().next()? {
        '\\' => Some(through_unescaped(text, '\'')),
        quoted => {
            let close = 1 + quoted.len_utf8();
            text[close..].starts_with('\'').then_some(close + 1) // else it is a lifetime
        }
    }
}

/// The length of a literal that ends at the first `close` without a backslash before it.
fn through_unescaped(text: &str, close: char) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        if char == close && !escaped {
            return at + char.len_utf8();
        }
        escaped = char == '\\' && !escaped;
    }
    text.len()
}

/// Goal: the rules read code and nothing else. Method: every kind of comment and literal.
#[test]
fn only_code_is_read() {
    let read = |text| tokens(text).iter().map(|t| t.text).collect::<Vec<_>>().join(" ");
    assert_eq!(read("a // b\nc /* d /* e */ f */ g /// h\n//! i"), "a c g");
    assert_eq!(read(r#"a("b\"c", '"', 'd', '\'', b'"', b"e")"#), "a ( , , , , b , b )");
    assert_eq!(read("a(r#\"b\" c\"#, br\"\\\", r#type)"), "a ( , , r # type )");
    assert_eq!(
        read("fn a<'b>(c: &'b [f32; 3], d: 'é')"),
        "fn a < ' b > ( c : & ' b [ f32 ; 3 ] , d : )"
    );
    assert_eq!(read("core::arch::x86_64"), "core :: arch :: x86_64");
    let lines: Vec<_> = tokens("a\n/*\n*/ b \"\n\" c").iter().map(|t| t.line).collect();
    assert_eq!(lines, [1, 3, 4]);
}
