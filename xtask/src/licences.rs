//! Licences: is an SPDX expression satisfied by the licences that the project accepts?

/// Licences that let an MIT project be shipped with what they cover. A new one is a decision, not a detail.
const ACCEPTED: [&str; 8] = [
    "Apache-2.0",
    "BSD-3-Clause",
    // The certificates of Mozilla's store.
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// Whether the accepted licences satisfy the expression: one side of each `OR`, both of each `AND`.
///
/// The error says what is wrong with an expression that cannot be read.
pub(crate) fn accepted(expression: &str) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let satisfied = either(&mut words).ok_or_else(|| format!("\"{expression}\" is no licence expression"))?;
    match words.next() {
        None => Ok(satisfied),
        Some(word) => Err(format!("\"{expression}\" is no licence expression: what is \"{word}\" there?")),
    }
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words<'_>) -> Option<bool> {
    let mut satisfied = both(words)?;
    while words.next_if_eq(&"OR").is_some() {
        satisfied |= both(words)?;
    }
    Some(satisfied)
}

fn both(words: &mut Words<'_>) -> Option<bool> {
    let mut satisfied = one(words)?;
    while words.next_if_eq(&"AND").is_some() {
        satisfied &= one(words)?;
    }
    Some(satisfied)
}

fn one(words: &mut Words<'_>) -> Option<bool> {
    match words.next()? {
        "(" => {
            let satisfied = either(words)?;
            words.next_if_eq(&")")?;
            Some(satisfied)
        }
        "OR" | "AND" | "WITH" | ")" => None,
        licence => {
            if words.next_if_eq(&"WITH").is_some() {
                // An exception only permits more.
                words.next()?;
            }
            Some(ACCEPTED.contains(&licence))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::accepted;

    #[test]
    fn an_expression_is_accepted_or_not() {
        let cases = [
            ("MIT", Ok(true)),
            ("GPL-3.0-only", Ok(false)),
            ("GPL-3.0-only OR MIT", Ok(true)),
            ("Unlicense/MIT", Ok(true)),
            ("MIT AND GPL-3.0-only", Ok(false)),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Ok(true)),
            ("(MIT OR Apache-2.0) AND OpenSSL", Ok(false)),
            ("Apache-2.0 WITH LLVM-exception", Ok(true)),
            ("GPL-2.0-only WITH Classpath-exception-2.0 OR ISC", Ok(true)),
            // AND binds closer than OR.
            ("MIT OR GPL-3.0-only AND GPL-2.0-only", Ok(true)),
        ];
        for (expression, expected) in cases {
            assert_eq!(accepted(expression), expected, "{expression}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for expression in ["", "MIT OR", "MIT Apache-2.0", "(MIT", "MIT)", "AND MIT", "MIT WITH"] {
            assert!(accepted(expression).is_err(), "{expression}");
        }
    }
}
