use super::*;

fn weights(first: f64, second: f64) -> Weights {
    let mut weights = [0.0; WIDTH];
    weights[0] = first;
    weights[1] = second;
    weights
}

#[test]
fn newton_finds_where_the_penalised_likelihood_has_no_slope() {
    let values: Vec<Weights> = (0..40).map(|at| weights(1.0, f64::from(at) / 10.0 - 2.0)).collect();
    let right: Vec<f64> = (0..40).map(|at| if at % 7 == 0 { 0.5 } else { f64::from(u8::from(at > 15)) }).collect();
    let rows = || values.iter().zip(right.iter().copied());
    let found = newton(rows(), 2.0, &[0.0; WIDTH]).unwrap();
    for (at, strength) in [(0, INTERCEPT_STRENGTH), (1, 2.0)] {
        let slope: f64 = rows().map(|(values, right)| (right - chance(&found, values)) * values[at]).sum();
        assert!((slope - strength * found[at]).abs() < 1e-4, "{slope} {found:?}");
    }
    assert!(found[1] > 0.5 && found[2..].iter().all(|weight| weight.abs() < 1e-12), "{found:?}");
}

#[test]
fn weights_stay_finite_where_all_answers_are_right_and_where_a_feature_separates() {
    let values: Vec<Weights> = (0..20).map(|at| weights(1.0, f64::from(at) - 9.5)).collect();
    let all = newton(values.iter().map(|values| (values, 1.0)), 1.0, &[0.0; WIDTH]).unwrap();
    assert!(all[0] > 2.0 && all[0] < 100.0, "{all:?}");
    let split = values.iter().map(|values| (values, f64::from(u8::from(values[1] > 0.0))));
    let split = newton(split, 1.0, &[0.0; WIDTH]).unwrap();
    assert!(split[1] > 0.3 && split[1] < 100.0, "{split:?}");
}

#[test]
fn elimination_solves_a_positive_system_and_no_other() {
    let mut equations = [[0.0; WIDTH + 1]; WIDTH];
    for (at, equation) in equations.iter_mut().enumerate() {
        equation[at] = 4.0;
        equation[WIDTH] = 4.0 * at as f64;
    }
    (equations[0][1], equations[1][0]) = (1.0, 1.0);
    (equations[0][WIDTH], equations[1][WIDTH]) = (4.0 * 2.0 + 3.0, 2.0 + 4.0 * 3.0);
    let solved = solve(equations).unwrap();
    assert!((solved[0] - 2.0).abs() < 1e-12 && (solved[1] - 3.0).abs() < 1e-12 && (solved[5] - 5.0).abs() < 1e-12);
    equations[3][3] = 0.0;
    assert_eq!(solve(equations), None);
}
