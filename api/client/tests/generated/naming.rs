//! Names and doc comments of generated items.

/// Returns a name in snake case: `maxInstantLTV` is `max_instant_ltv`.
pub fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let follows_lower = place > 0 && (letters[place - 1].is_lowercase() || letters[place - 1].is_ascii_digit());
        let begins_word = place > 0
            && letters[place - 1].is_uppercase()
            && letters.get(place + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (follows_lower || begins_word) {
            snake.push('_');
        }
        snake.push(if *letter == '-' || *letter == ' ' { '_' } else { letter.to_ascii_lowercase() });
    }
    if matches!(snake.as_str(), "type" | "ref" | "match") { format!("r#{snake}") } else { snake }
}

/// Returns a name in camel case that begins with a capital: `rate_limited` is `RateLimited`.
pub fn camel(name: &str) -> String {
    let words = name.split(['_', '-', ' ', '.']).filter(|word| !word.is_empty());
    words.map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

/// Writes a doc comment, a line for each line of the text.
pub fn doc(indent: &str, text: &str, out: &mut String) {
    for line in text.lines() {
        let line = line.trim_end();
        out.push_str(&if line.is_empty() { format!("{indent}///\n") } else { format!("{indent}/// {line}\n") });
    }
}
