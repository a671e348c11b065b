//! Forty series with the round in which the rule is kept first, found by exact fractions and the normal equations in another
//! program.

use super::*;
use proptest::prelude::*;

/// What it shows, its values, and in which round steady state is reached.
struct Case {
    name: &'static str,
    series: &'static [u32],
    reached: Option<usize>,
}

#[rustfmt::skip]
const CASES: [Case; 40] = [
    Case { name: "level", series: &[1000, 1000, 1000, 1000, 1000], reached: Some(5) },
    Case { name: "four rounds", series: &[1000, 1000, 1000, 1000], reached: None },
    Case { name: "no round", series: &[], reached: None },
    Case { name: "zeros", series: &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], reached: None },
    Case { name: "range on its bound", series: &[900, 1100, 1000, 1000, 1000], reached: Some(5) },
    Case { name: "range just inside", series: &[901, 1100, 1000, 1000, 999], reached: Some(5) },
    Case { name: "range just outside", series: &[899, 1100, 1000, 1000, 1001], reached: None },
    Case { name: "range outside by one in a million", series: &[899999, 1100000, 1000000, 1000000, 1000001], reached: None },
    Case { name: "slope on its bound, up", series: &[950, 975, 1000, 1025, 1050], reached: Some(5) },
    Case { name: "slope on its bound, down", series: &[1050, 1025, 1000, 975, 950], reached: Some(5) },
    Case { name: "slope just inside, up", series: &[951, 975, 1000, 1025, 1050], reached: Some(5) },
    Case { name: "slope just outside, up", series: &[949, 975, 1000, 1025, 1051], reached: None },
    Case { name: "slope just outside, down", series: &[1051, 1025, 1000, 975, 949], reached: None },
    Case { name: "slope outside by one in a million", series: &[949999, 975000, 1000000, 1025000, 1050001], reached: None },
    Case { name: "a spike in the middle", series: &[1000, 1000, 1300, 1000, 1000], reached: None },
    Case { name: "a spike that leaves the window", series: &[1000, 1000, 1300, 1000, 1000, 1000, 1000, 1000], reached: Some(8) },
    Case { name: "a spike at the first round", series: &[2000, 1000, 1000, 1000, 1000, 1000], reached: Some(6) },
    Case { name: "a drop after three rounds", series: &[1000, 1000, 1000, 500, 500, 500, 500, 500, 500, 500], reached: Some(8) },
    Case { name: "a drop in the window's last round", series: &[1000, 1000, 1000, 1000, 700, 700, 700, 700, 700, 700], reached: Some(9) },
    Case { name: "two drops", series: &[1000, 1000, 1000, 600, 600, 600, 400, 400, 400, 400, 400, 400, 400, 400], reached: Some(11) },
    Case { name: "fresh drive", series: &[80000, 60000, 45000, 33000, 26000, 22000, 20500, 20000, 19800, 19900, 19850, 19900], reached: Some(10) },
    Case { name: "slow decay", series: &[5000, 4385, 3866, 3426, 3053, 2738, 2471, 2245, 2054, 1892, 1755, 1639, 1541, 1458, 1387, 1328, 1277, 1235, 1199, 1168, 1142, 1120, 1102, 1086, 1073], reached: Some(22) },
    Case { name: "fast decay", series: &[5000, 3053, 2054, 1541, 1277, 1142, 1073, 1037, 1019, 1009, 1005, 1002, 1001, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000], reached: Some(11) },
    Case { name: "drift by 3% of the first", series: &[1000, 970, 940, 910, 880, 850, 820, 790, 760, 730, 700, 670, 640, 610, 580, 550, 520, 490, 460, 430, 400, 370, 340, 310, 280], reached: None },
    Case { name: "drift by 2.5%, which is the bound", series: &[100000, 97500, 95000, 92500, 90000, 87500], reached: None },
    Case { name: "drift of 1%", series: &[1000, 990, 980, 970, 960, 950, 940, 930, 920, 910, 900, 890, 880, 870, 860, 850, 840, 830, 820, 810, 800, 790, 780, 770, 760], reached: Some(5) },
    Case { name: "compound growth of 3%", series: &[1000, 1030, 1060, 1092, 1125, 1159, 1194, 1229, 1266, 1304, 1343, 1384, 1425, 1468, 1512, 1557, 1604, 1652, 1702, 1753, 1806, 1860, 1916, 1973, 2032], reached: None },
    Case { name: "compound growth of 2.4%", series: &[100000, 102400, 104857, 107374, 109951, 112589, 115292, 118059, 120892, 123794, 126765, 129807, 132922, 136112, 139379, 142724, 146150, 149657, 153249, 156927, 160693, 164550, 168499, 172543, 176684], reached: Some(5) },
    Case { name: "compound fall of 2.6%", series: &[100000, 97400, 94867, 92401, 89998, 87658, 85379, 83159, 80997, 78891, 76840, 74842, 72896, 71001, 69155, 67357, 65605, 63900, 62238, 60620, 59044, 57509, 56014, 54557, 53139], reached: None },
    Case { name: "slower by a fixed time per round", series: &[1000000, 952380, 909090, 869565, 833333, 800000, 769230, 740740, 714285, 689655, 666666, 645161, 625000, 606060, 588235, 571428, 555555, 540540, 526315, 512820, 500000, 487804, 476190, 465116, 454545], reached: Some(24) },
    Case { name: "slower by a larger fixed time per round", series: &[1000000, 833333, 714285, 625000, 555555, 500000, 454545, 416666, 384615, 357142, 333333, 312500, 294117, 277777, 263157, 250000, 238095, 227272, 217391, 208333, 200000, 192307, 185185, 178571, 172413], reached: None },
    Case { name: "saw of 18%", series: &[1000, 1090, 910, 1000, 1000, 1090, 910, 1000, 1000, 1090, 910, 1000, 1000, 1090, 910, 1000, 1000, 1090, 910, 1000], reached: Some(5) },
    Case { name: "saw of 22%", series: &[1110, 890, 1110, 890, 1110, 890, 1110, 890, 1110, 890, 1110, 890, 1110, 890, 1110, 890, 1110, 890, 1110, 890, 1110, 890, 1110, 890], reached: None },
    Case { name: "saw that calms down", series: &[1200, 800, 1150, 850, 1100, 900, 1050, 950, 1020, 980, 1010], reached: Some(9) },
    Case { name: "ripple on a slope", series: &[1000, 960, 990, 950, 980, 940, 970, 930, 960, 920], reached: Some(5) },
    Case { name: "latencies, growing", series: &[100, 180, 240, 290, 320, 340, 350, 355, 358, 359, 360], reached: Some(10) },
    Case { name: "latencies, level from the third on", series: &[900, 400, 201, 200, 202, 199, 200], reached: Some(7) },
    Case { name: "an outage of a round", series: &[1000, 1000, 1000, 0, 1000, 1000, 1000, 1000, 1000, 1000], reached: Some(9) },
    Case { name: "a first steady window that ends again", series: &[1000, 1000, 1000, 1000, 1000, 2000, 2000, 2000, 2000, 2000], reached: Some(5) },
    Case { name: "level for twenty-five rounds after twenty of drift", series: &[2000, 1950, 1900, 1850, 1800, 1750, 1700, 1650, 1600, 1550, 1500, 1450, 1400, 1350, 1300, 1250, 1200, 1150, 1100, 1050, 1050, 1050, 1050, 1050, 1050], reached: Some(22) },
];

#[test]
fn forty_series_reach_steady_state_in_the_round_that_exact_arithmetic_gives() {
    for case in CASES {
        let series: Vec<f64> = case.series.iter().map(|&value| f64::from(value)).collect();
        assert_eq!(first_steady(&[&series]), case.reached, "{}", case.name);
    }
}

#[test]
fn of_several_series_all_have_to_be_steady() {
    let (level, falling) = (
        [1000.0; 8],
        [
            3000.0, 2000.0, 1000.0, 1000.0, 1000.0, 1000.0, 1000.0, 990.0,
        ],
    );
    assert_eq!(first_steady(&[&level]), Some(5));
    assert_eq!(first_steady(&[&level, &falling]), Some(7));
    assert_eq!(first_steady(&[&level, &falling[..6]]), None);
    assert_eq!(first_steady(&[]), None);
}

#[test]
fn what_is_no_number_is_not_steady() {
    assert_eq!(SteadyWindow::of(&[f64::NAN; 5]), None);
    assert_eq!(SteadyWindow::of(&[f64::INFINITY; 5]), None);
    assert_eq!(SteadyWindow::of(&[1.0; 4]), None);
    assert_eq!(SteadyWindow::of(&[0.0; 5]), None);
}

proptest! {
    #[test]
    fn the_unit_and_the_direction_of_time_change_nothing(values in proptest::collection::vec(1u32..2000, 5), factor in 1u32..1000) {
        let plain: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        let scaled: Vec<f64> = plain.iter().map(|value| value * f64::from(factor)).collect();
        let reversed: Vec<f64> = plain.iter().rev().copied().collect();
        let steady = |values: &[f64]| SteadyWindow::of(values).unwrap().steady;
        prop_assert_eq!(steady(&plain), steady(&scaled));
        prop_assert_eq!(steady(&plain), steady(&reversed));
        let window = SteadyWindow::of(&plain).unwrap();
        prop_assert!((window.line_last - window.line_first - window.slope_share * window.mean).abs() < 1e-6);
    }
}
