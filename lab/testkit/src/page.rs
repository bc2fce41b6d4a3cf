// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a page would have to fetch.

/// The first place at which a page points outside of itself, with what is around it.
///
/// uPlot itself is left out: its code is full of assignments to properties of such names. That it fetches nothing either
/// is up to the page's policy, which must be there.
pub fn points_outside(text: &str) -> Option<String> {
    let policy = r#"http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'""#;
    if !text.contains(policy) {
        return Some("the page has no policy".to_owned());
    }
    let library = regex::Regex::new(r#"(?s)<script id="uplot">.*?</script>"#).unwrap();
    // A link within the page fetches nothing.
    let text = library.replace(text, "").replace("href=\"#", "");
    let outside = regex::Regex::new(r#"(?i)(src|href|action|poster|data)\s*=|url\(|@import|https?://|//[a-z0-9.-]+\.[a-z]{2,}/|fetch\(|XMLHttp|WebSocket|import\("#).unwrap();
    let found = outside.find(&text)?;
    let begin = (0..=found.start()).rev().find(|at| *at + 60 <= found.start() && text.is_char_boundary(*at));
    let end = (found.end()..text.len()).find(|at| *at >= found.end() + 60 && text.is_char_boundary(*at));
    text.get(begin.unwrap_or(0)..end.unwrap_or(text.len())).map(str::to_owned)
}
