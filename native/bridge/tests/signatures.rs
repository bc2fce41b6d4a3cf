// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Each native method of `io.cassiterite.engine.Native` is the function of that name here, with the same parameters in
//! the same order, and the same result. The JVM links them by name alone: a `jint` where Java has a long would lose half
//! of it, and no compiler sees both sides.
#![allow(clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex::Regex;

const JAVA_METHOD: &str = r"static native (\S+) (\w+)\(([^)]*)\);";
const RUST_FUNCTION: &str =
    r#"extern "system" fn Java_io_cassiterite_engine_Native_(\w+)(?:<'local>)?\(([^)]*)\)( -> \w+)? \{"#;

#[test]
fn functions_take_and_return_what_java_declares() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let java = fs::read_to_string(root.join("../../plugin/src/main/java/io/cassiterite/engine/Native.java")).unwrap();
    let rust: String =
        fs::read_dir(root.join("src")).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert_eq!(differences(&java, &rust), [""; 0]);
}

#[test]
fn a_difference_is_found() {
    let java = "static native long f(long table, int aLimit, long nowSeconds, byte[] ranges);";
    let rust = |parameters: &str, result: &str| {
        let function = "extern \"system\" fn Java_io_cassiterite_engine_Native_f";
        format!(
            "{function}(\n    mut env: JNIEnv<'_>,\n    _: JClass<'_>,\n    table: jlong,\n{parameters}){result} {{\n"
        )
    };
    let same = rust("    a_limit: jint,\n    now_s: jlong,\n    ranges: JByteArray<'_>,\n", " -> jlong");
    assert_eq!(differences(java, &same), [""; 0]);
    for (name, other) in [
        ("narrower", rust("a_limit: jint, now_s: jint, ranges: JByteArray<'_>", " -> jlong")),
        ("wider", rust("a_limit: jlong, now_s: jlong, ranges: JByteArray<'_>", " -> jlong")),
        ("in another order", rust("now_s: jlong, a_limit: jint, ranges: JByteArray<'_>", " -> jlong")),
        ("one less", rust("a_limit: jint, now_s: jlong", " -> jlong")),
        ("another result", rust("a_limit: jint, now_s: jlong, ranges: JByteArray<'_>", " -> jint")),
        ("no result", rust("a_limit: jint, now_s: jlong, ranges: JByteArray<'_>", "")),
        ("no function", String::new()),
    ] {
        assert!(!differences(java, &other).is_empty(), "{name}");
    }
    assert!(!differences("", &same).is_empty(), "no method");
}

/// What only one of both declares, in Rust's words.
fn differences(java: &str, rust: &str) -> Vec<String> {
    let (java, rust) = (declared_by_java(java), declared_by_rust(rust));
    let only_java = java.difference(&rust).map(|method| format!("Java alone: {method}"));
    let only_rust = rust.difference(&java).map(|function| format!("Rust alone: {function}"));
    only_java.chain(only_rust).collect()
}

fn declared_by_java(source: &str) -> BTreeSet<String> {
    let methods: BTreeSet<_> = Regex::new(JAVA_METHOD)
        .unwrap()
        .captures_iter(source)
        .map(|method| {
            let parameters = method[3].split(", ").filter(|text| !text.is_empty()).map(|parameter| {
                let (java_type, name) = parameter.split_once(' ').unwrap();
                format!(", {}: {}", rust_name(name), parameter_type(java_type))
            });
            format!(
                "{}(env: JNIEnv, _: JClass{}){}",
                &method[2],
                parameters.collect::<String>(),
                result_type(&method[1])
            )
        })
        .collect();
    assert_eq!(methods.len(), source.matches("static native ").count());
    methods
}

fn declared_by_rust(source: &str) -> BTreeSet<String> {
    let lifetime = Regex::new(r"<'\w+>").unwrap();
    let functions: BTreeSet<_> = Regex::new(RUST_FUNCTION)
        .unwrap()
        .captures_iter(source)
        .map(|function| {
            let parameters = lifetime.replace_all(&function[2], "").replace("mut ", "");
            let parameters: Vec<_> = parameters.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
            format!(
                "{}({}){}",
                &function[1],
                parameters.join(", "),
                function.get(3).map_or("", |result| result.as_str())
            )
        })
        .collect();
    assert_eq!(functions.len(), source.matches("fn Java_").count());
    functions
}

/// `nowSeconds` is `now_s` in Rust.
fn rust_name(name: &str) -> String {
    let capital = Regex::new("[A-Z]").unwrap();
    capital
        .replace_all(name, |found: &regex::Captures<'_>| format!("_{}", found[0].to_lowercase()))
        .replace("_seconds", "_s")
}

fn parameter_type(java: &str) -> &str {
    match java {
        "long" => "jlong",
        "int" => "jint",
        "boolean" => "jboolean",
        "String" => "JString",
        "byte[]" => "JByteArray",
        "int[]" => "JIntArray",
        "long[]" => "JLongArray",
        other => panic!("say here what {other} is in Rust"),
    }
}

fn result_type(java: &str) -> &str {
    match java {
        "void" => "",
        "long" => " -> jlong",
        "int" => " -> jint",
        "boolean" => " -> jboolean",
        "String" => " -> jstring",
        "byte[]" => " -> jbyteArray",
        "long[]" => " -> jlongArray",
        other => panic!("say here what {other} is in Rust"),
    }
}
