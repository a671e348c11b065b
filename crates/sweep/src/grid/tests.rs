//! Content of a matrix, and errors of one.

use super::*;
use proptest::prelude::*;

fn axis(name: &str, values: &[&str]) -> Axis {
    Axis {
        name: name.to_owned(),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    }
}

fn plain(axes: Vec<Axis>) -> Grid {
    Grid {
        groups: vec![Group { name: None, axes }],
        exclusions: vec![],
    }
}

fn reported(grid: &Grid) -> Vec<String> {
    let problems = grid.cells().unwrap_err();
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn the_last_axis_changes_fastest() {
    let grid = plain(vec![
        axis("block", &["8K", "64K"]),
        axis("depth", &["1", "2"]),
    ]);
    let labels: Vec<String> = grid
        .cells()
        .unwrap()
        .iter()
        .map(|cell| grid.label(cell, &grid.varied()))
        .collect();
    assert_eq!(
        labels,
        [
            "block=8K depth=1",
            "block=8K depth=2",
            "block=64K depth=1",
            "block=64K depth=2"
        ]
    );
}

#[test]
fn the_matrices_of_the_seeds_have_as_many_cells_as_their_scripts_say() {
    let numbers = |count: u32| -> Vec<String> { (0..count).map(|n| n.to_string()).collect() };
    let of = |sizes: &[u32]| {
        let axes = sizes.iter().enumerate().map(|(place, &size)| Axis {
            name: place.to_string(),
            values: numbers(size),
        });
        plain(axes.collect()).cells().unwrap().len()
    };
    assert_eq!(of(&[9, 7, 7]), 441);
    assert_eq!(of(&[4, 2, 4, 4, 4]), 512);
    assert_eq!(of(&[2, 2, 4, 3]), 48);
}

#[test]
fn what_is_excluded_is_left_out_of_the_groups_that_have_it() {
    let mut grid = Grid {
        groups: vec![
            Group {
                name: Some("small".into()),
                axes: vec![axis("block", &["4K"]), axis("depth", &["1", "32"])],
            },
            Group {
                name: Some("large".into()),
                axes: vec![axis("block", &["1M"]), axis("depth", &["1", "32"])],
            },
        ],
        exclusions: vec![Exclusion {
            fields: vec![axis("block", &["1M", "2M"]), axis("depth", &["32"])],
        }],
    };
    let labels = |grid: &Grid| -> Vec<String> {
        let cells = grid.cells().unwrap();
        cells
            .iter()
            .map(|cell| grid.label(cell, &grid.varied()))
            .collect()
    };
    assert_eq!(
        labels(&grid),
        [
            "small: block=4K depth=1",
            "small: block=4K depth=32",
            "large: block=1M depth=1"
        ]
    );
    grid.exclusions.push(Exclusion {
        fields: vec![axis("threads", &["1"])],
    });
    grid.exclusions.push(Exclusion {
        fields: vec![axis("depth", &["64"])],
    });
    assert_eq!(
        reported(&grid),
        [
            "exclude threads=1: no field threads is varied here, so it cannot be compared: name only varied fields"
        ]
    );
    grid.exclusions.remove(1);
    assert_eq!(
        reported(&grid),
        [
            "exclude depth=64: no combination is like this, so it leaves nothing out: compare its values with those of the axes"
        ]
    );
    grid.exclusions = vec![Exclusion {
        fields: vec![axis("depth", &["1", "32"])],
    }];
    assert!(reported(&grid)[0].starts_with("all 4 combinations are excluded"));
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let numbers: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
    let long = |name: &str| Axis {
        name: name.to_owned(),
        values: numbers.clone(),
    };
    let group = |axes| Group {
        name: Some("a".into()),
        axes,
    };
    let grid = Grid {
        groups: vec![
            group(vec![long("x"), long("y")]),
            group(vec![axis("z", &[]), axis("w", &["1", "1"])]),
        ],
        exclusions: vec![],
    };
    assert_eq!(
        reported(&grid),
        [
            "group a: there are two of this name: results are distinguished by it, so give each its own",
            "z: it has no value: give it at least one, or omit it",
            "w: 1 is given twice: give each value once, and specify how often all is repeated with --repeat",
            "1000000 combinations: at most 10000 are accepted: give fewer values, or make several sweeps of it",
        ]
    );
}

proptest! {
    #[test]
    fn every_combination_is_there_once(sizes in proptest::collection::vec(1usize..5, 1..5)) {
        let axes = sizes.iter().enumerate().map(|(place, &size)| Axis {
            name: place.to_string(),
            values: (0..size).map(|n| n.to_string()).collect(),
        });
        let cells = plain(axes.collect()).cells().unwrap();
        prop_assert_eq!(cells.len(), sizes.iter().product::<usize>());
        let mut values: Vec<_> = cells.iter().map(|cell| cell.values.clone()).collect();
        values.sort();
        values.dedup();
        prop_assert_eq!(values.len(), cells.len());
    }
}
