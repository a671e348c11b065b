//! Weighted least squares with at most three unknowns, by the normal equations.
//!
//! Source: Draper and Smith, Applied Regression Analysis, chapters 5 and 9. Deliberately absent: any model.

/// The solution, and the variances of its unknowns where there are more points than unknowns.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    pub(super) values: Vec<f64>,
    pub(super) variances: Option<Vec<f64>>,
}

/// Of rows (factors, value, weight). None where the points do not determine the unknowns.
pub(super) fn least_squares(rows: &[(Vec<f64>, f64, f64)]) -> Option<Solved> {
    let unknowns = rows.first()?.0.len();
    let mut matrix = vec![vec![0.0; unknowns]; unknowns];
    let mut right = vec![0.0; unknowns];
    for (factors, value, weight) in rows {
        for (row, one) in factors.iter().enumerate() {
            for (column, other) in factors.iter().enumerate() {
                matrix[row][column] += weight * one * other;
            }
            right[row] += weight * one * value;
        }
    }
    let inverse = inverse(&matrix)?;
    let times = |row: &Vec<f64>| row.iter().zip(&right).map(|(a, b)| a * b).sum::<f64>();
    let values: Vec<f64> = inverse.iter().map(times).collect();
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let off: f64 = rows
        .iter()
        .map(|(factors, value, weight)| {
            let fitted: f64 = factors.iter().zip(&values).map(|(a, b)| a * b).sum();
            weight * (value - fitted).powi(2)
        })
        .sum();
    let free = rows.len().checked_sub(unknowns).filter(|free| *free > 0);
    let variances = free.map(|free| {
        let each = (0..unknowns).map(|at| (inverse[at][at] * off / free as f64).max(0.0));
        each.collect()
    });
    Some(Solved { values, variances })
}

/// Gauss and Jordan, with the rows and columns scaled first: unknowns differ by many powers of ten.
fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let scale: Vec<f64> = (0..size).map(|at| matrix[at][at].sqrt()).collect();
    if scale
        .iter()
        .any(|scale| !scale.is_finite() || *scale <= 0.0)
    {
        return None;
    }
    let mut work: Vec<Vec<f64>> = (0..size)
        .map(|row| {
            let scaled = (0..size).map(|column| matrix[row][column] / scale[row] / scale[column]);
            let unit = (0..size).map(|column| if row == column { 1.0 } else { 0.0 });
            scaled.chain(unit).collect()
        })
        .collect();
    for at in 0..size {
        let pivot = (at..size).max_by(|a, b| work[*a][at].abs().total_cmp(&work[*b][at].abs()))?;
        work.swap(at, pivot);
        let head = work[at][at];
        if head.abs() < 1e-12 {
            return None;
        }
        work[at].iter_mut().for_each(|value| *value /= head);
        let line = work[at].clone();
        for (row, values) in work.iter_mut().enumerate().filter(|(row, _)| *row != at) {
            debug_assert_ne!(row, at);
            let factor = values[at];
            values
                .iter_mut()
                .zip(&line)
                .for_each(|(value, other)| *value -= factor * other);
        }
    }
    let back = |(row, values): (usize, &Vec<f64>)| {
        (0..size)
            .map(|column| values[size + column] / scale[row] / scale[column])
            .collect()
    };
    Some(work.iter().enumerate().map(back).collect())
}
