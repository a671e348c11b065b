//! Points of Student's t distribution for any level and any, also broken, number of degrees of freedom.
//!
//! Source: G. W. Hill, Algorithm 396, Communications of the ACM 13 (1970), page 619; the normal deviate that it asks for
//! is M. J. Wichura's PPND7, algorithm AS 241, Applied Statistics 37 (1988), page 477. Deliberately absent: what the
//! points are used for.

/// How far from 0, on either side, so that this share of chances lies further out on both sides together.
/// `outside` in (0, 1), else it is taken as its nearest; `freedom` below 1 is taken as 1.
pub(crate) fn t_point(outside: f64, freedom: f64) -> f64 {
    let p = outside.clamp(1e-15, 1.0 - 1e-15);
    let n = if freedom.is_nan() {
        1.0
    } else {
        freedom.max(1.0)
    };
    if n < 1.0 + 1e-9 {
        return 1.0 / (p * std::f64::consts::FRAC_PI_2).tan();
    }
    if (n - 2.0).abs() < 1e-9 {
        return (2.0 / (p * (2.0 - p)) - 2.0).max(0.0).sqrt();
    }
    if n > 1e6 {
        return -normal_point(p / 2.0);
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * std::f64::consts::FRAC_PI_2).sqrt() * n;
    let mut y = (d * p).powf(2.0 / n);
    if y > 0.05 + a {
        let x = normal_point(0.5 * p);
        y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        let head = (n + 6.0) / (n * y) - 0.089 * d - 0.822;
        y = ((1.0 / (head * (n + 2.0) * 3.0) + 0.5 / (n + 4.0)) * y - 1.0) * (n + 1.0) / (n + 2.0)
            + 1.0 / y;
    }
    (n * y).max(0.0).sqrt()
}

/// The normal deviate below which this share of chances lies. // share in (0, 1)
pub(crate) fn normal_point(share: f64) -> f64 {
    let q = share - 0.5;
    let polynomial = |factors: &[f64], x: f64| factors.iter().rfold(0.0, |sum, f| sum * x + f);
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        let above = polynomial(
            &[
                3.387_132_717_9,
                50.434_271_938,
                159.291_132_02,
                59.109_374_72,
            ],
            r,
        );
        let below = polynomial(&[1.0, 17.895_169_469, 78.757_757_664, 67.187_563_6], r);
        return q * above / below;
    }
    let r = (-share.min(1.0 - share).ln()).sqrt();
    let (above, below) = if r <= 5.0 {
        let r = r - 1.6;
        (
            polynomial(
                &[
                    1.423_437_277_7,
                    2.756_815_39,
                    1.306_728_481_6,
                    0.170_238_211_03,
                ],
                r,
            ),
            polynomial(&[1.0, 0.737_001_642_5, 0.120_211_325_8], r),
        )
    } else {
        let r = r - 5.0;
        (
            polynomial(
                &[
                    6.657_905_115,
                    3.081_226_386,
                    0.428_682_943_37,
                    0.017_337_203_997,
                ],
                r,
            ),
            polynomial(&[1.0, 0.241_978_942_25, 0.012_258_202_635], r),
        )
    };
    (above / below).copysign(q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_table() {
        for (outside, freedom, point) in [
            (0.05, 1.0, 12.706),
            (0.05, 2.0, 4.303),
            (0.05, 3.0, 3.182),
            (0.05, 9.0, 2.262),
            (0.05, 30.0, 2.042),
            (0.05, 1e9, 1.960),
            (0.40, 9.0, 0.883),
            (0.01, 10.0, 3.169),
            (0.001, 5.0, 6.869),
        ] {
            let read = t_point(outside, freedom);
            assert!(
                (read - point).abs() < 2e-3 * point,
                "{outside} {freedom}: {read}"
            );
        }
    }

    #[test]
    fn points_fall_with_the_degrees_of_freedom_and_broken_ones_lie_between() {
        let points: Vec<f64> = (10..200)
            .map(|n| t_point(0.05, f64::from(n) / 10.0))
            .collect();
        assert!(points.is_sorted_by(|a, b| a >= b), "{points:?}");
        assert!(t_point(0.05, f64::NAN).is_finite());
    }

    #[test]
    fn deviates_are_symmetric() {
        assert!((normal_point(0.975) - 1.959_964).abs() < 1e-5);
        assert!((normal_point(0.8) - 0.841_621).abs() < 1e-5);
        assert!((normal_point(1e-9) + 5.997_807).abs() < 1e-4);
    }
}
