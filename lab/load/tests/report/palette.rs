// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The colours of the percentiles, as people see them whose eyes lack a kind of cones: G. M. Machado, M. M. Oliveira and
//! L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, at its full severity.

const STYLE: &str = include_str!("../../src/report/html/page.css");
const PERCENTILES: [&str; 5] = ["p50", "p95", "p99", "p999", "pmax"];
/// Hundredths of the way from black to white in Oklab. Those before this test were as near as 3.
const LEAST_DISTANCE: f64 = 12.0;
/// What WCAG 2.1 asks of lines beside their ground.
const LEAST_CONTRAST: f64 = 3.0;

type Matrix = [[f64; 3]; 3];

const EYES: [(&str, Matrix); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
    ),
    (
        "deuteranopia",
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
    ),
    (
        "tritanopia",
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ),
];

/// The colours of a name, in linear light: on white paper, then on black.
fn colours(name: &str) -> Vec<[f64; 3]> {
    let of = |text: &str| {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&text[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        [channel(0), channel(2), channel(4)]
    };
    let found: Vec<_> = STYLE.split(&format!("--{name}: #")).skip(1).map(of).collect();
    assert_eq!(found.len(), 2, "{name}: light and dark");
    found
}

fn times(matrix: &Matrix, colour: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(colour).map(|(factor, value)| factor * value).sum())
}

/// B. Ottosson's space, in which equal distances look alike.
fn oklab(linear: [f64; 3]) -> [f64; 3] {
    let cones = times(
        &[
            [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
            [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
            [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
        ],
        linear.map(|value| value.clamp(0.0, 1.0)),
    );
    times(
        &[
            [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
            [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
            [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
        ],
        cones.map(f64::cbrt),
    )
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let light = |[red, green, blue]: [f64; 3]| 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
    let (one, other) = (light(one), light(other));
    one.max(other) / one.min(other)
}

#[test]
fn percentiles_are_told_apart_also_by_the_colour_blind() {
    for theme in 0..2 {
        let lines = PERCENTILES.map(|name| (name, colours(name)[theme]));
        let paper = colours("paper")[theme];
        for (at, (name, colour)) in lines.iter().enumerate() {
            assert!(contrast(*colour, paper) >= LEAST_CONTRAST, "{name}: {}", contrast(*colour, paper));
            for (other, second) in &lines[at + 1..] {
                for (eyes, matrix) in &EYES {
                    let (a, b) = (oklab(times(matrix, *colour)), oklab(times(matrix, *second)));
                    let distance = 100.0 * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                    assert!(distance >= LEAST_DISTANCE, "{name} and {other}, {eyes}: {distance}");
                }
            }
        }
    }
}
