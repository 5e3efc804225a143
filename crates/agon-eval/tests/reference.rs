//! Statistics against values that other programs computed: `reference/make.py` says how.
#![expect(clippy::unwrap_used, reason = "a table that cannot be read fails its test")]
use agon_eval::stats::{
    Forecast, PairedCounts, brier, calibration_error, holm, krippendorff, mcnemar_exact, mcnemar_mid_p, mcnemar_power,
    tango, wealth, wilson,
};

/// The rows of a table, its head left out.
fn rows(table: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<Vec<String>> = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert!(rows.len() >= 5, "a table is empty");
    rows
}
fn real(text: &str) -> f64 {
    text.parse().unwrap()
}
fn whole(text: &str) -> u64 {
    text.parse().unwrap()
}
#[track_caller]
fn equal(seen: f64, wanted: &str, row: &[String]) {
    let wanted = real(wanted);
    assert!((seen - wanted).abs() <= 1e-9 * wanted.abs().max(1.0), "{seen} instead of {wanted}: {row:?}");
}

#[test]
fn wilsons_interval() {
    for row in rows(include_str!("reference/wilson.csv")) {
        let seen = wilson(whole(&row[0]), whole(&row[1]), real(&row[2])).unwrap();
        equal(seen.low, &row[3], &row);
        equal(seen.high, &row[4], &row);
    }
}

#[test]
fn tangos_interval() {
    for row in rows(include_str!("reference/tango.csv")) {
        let counts = PairedCounts { arm_only: whole(&row[0]), rival_only: whole(&row[1]), n: whole(&row[2]) };
        let seen = tango(counts, real(&row[3])).unwrap();
        equal(seen.low, &row[4], &row);
        equal(seen.high, &row[5], &row);
    }
}

#[test]
fn mcnemars_tests() {
    for row in rows(include_str!("reference/mcnemar.csv")) {
        equal(mcnemar_exact(whole(&row[0]), whole(&row[1])), &row[2], &row);
        equal(mcnemar_mid_p(whole(&row[0]), whole(&row[1])), &row[3], &row);
    }
}

#[test]
fn holms_adjustment() {
    let all = rows(include_str!("reference/holm.csv"));
    for case in all.chunk_by(|a, b| a[0] == b[0]) {
        let p: Vec<f64> = case.iter().map(|row| real(&row[1])).collect();
        for (seen, row) in holm(&p).into_iter().zip(case) {
            equal(seen, &row[2], row);
        }
    }
}

#[test]
fn krippendorffs_alpha() {
    for row in rows(include_str!("reference/krippendorff.csv")) {
        let grades = |unit: &str| unit.chars().filter(|grade| *grade != '.').collect::<Vec<char>>();
        let units: Vec<Vec<char>> = row[0].split(' ').map(grades).collect();
        equal(krippendorff(&units).unwrap(), &row[1], &row);
    }
}

#[test]
fn briers_score_with_its_parts_and_the_calibration_error() {
    for row in rows(include_str!("reference/calibration.csv")) {
        let forecast = |(cluster, item): (usize, &str)| {
            let (chance, right) = item.split_once(':').unwrap();
            Forecast { chance: real(chance), right: f64::from(u8::from(right == "1")), cluster }
        };
        let forecasts: Vec<Forecast> = row[0].split(' ').enumerate().map(forecast).collect();
        let parts = brier(&forecasts).unwrap();
        equal(parts.score, &row[1], &row);
        equal(parts.reliability, &row[2], &row);
        equal(parts.resolution, &row[3], &row);
        equal(parts.uncertainty, &row[4], &row);
        if !row[5].is_empty() {
            equal(calibration_error(&forecasts, 0.95, 99, 1).unwrap().error, &row[5], &row);
        }
    }
}

#[test]
fn power_of_the_exact_test() {
    for row in rows(include_str!("reference/power.csv")) {
        let power = mcnemar_power(whole(&row[0]), real(&row[1]), real(&row[2]), 0.05).unwrap();
        equal(power, &row[3], &row);
    }
}

#[test]
fn wealth_of_bets() {
    for row in rows(include_str!("reference/bets.csv")) {
        let differences: Vec<f64> = row[0].split(' ').filter(|text| !text.is_empty()).map(real).collect();
        equal(wealth(&differences, real(&row[1])), &row[2], &row);
    }
}
