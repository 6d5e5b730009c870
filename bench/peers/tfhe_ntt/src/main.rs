// SPDX-License-Identifier: Apache-2.0
//! tfhe-ntt's negacyclic transforms, in place, measured as bench/measure.hpp does; options and JSON as the other
//! peer programs (bench/peers/README.md). Built without the feature `avx512` it measures the AVX2 code.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

struct Options {
    min_log_n: u32,
    max_log_n: u32,
    runs: usize,
    run_us: f64,
    json: Option<String>,
}

fn parse() -> Result<Options, String> {
    let mut options = Options { min_log_n: 10, max_log_n: 17, runs: 60, run_us: 300.0, json: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        let number = || value.parse::<u32>().map_err(|_| format!("{name} = '{value}' is not a number"));
        match name.as_str() {
            "--min-log-n" => options.min_log_n = number()?,
            "--max-log-n" => options.max_log_n = number()?,
            "--runs" => options.runs = number()?.max(3) as usize,
            "--run-us" => options.run_us = f64::from(number()?),
            "--json" => options.json = Some(value),
            // Accepted by every peer program; this one has no BFV.
            "--kind" if value == "transform" || value == "all" => {}
            _ => return Err(format!("unknown option {name} {value}; bench/peers/README.md lists them")),
        }
    }
    if options.min_log_n < 5 || options.max_log_n > 24 || options.min_log_n > options.max_log_n {
        return Err("5 <= --min-log-n <= --max-log-n <= 24 is needed".into());
    }
    Ok(options)
}

struct Timing {
    min_ns: f64,
    median_ns: f64,
    runs: usize,
    calls: usize,
}

fn measure(options: &Options, mut body: impl FnMut()) -> Timing {
    let mut seconds = |calls: usize| {
        let begin = Instant::now();
        for _ in 0..calls {
            body();
        }
        begin.elapsed().as_secs_f64()
    };
    let mut calls = 1;
    while seconds(calls) * 1e6 < options.run_us {
        calls *= 2;
    }
    let mut samples: Vec<f64> = (0..options.runs).map(|_| seconds(calls) * 1e9 / calls as f64).collect();
    samples.sort_by(f64::total_cmp);
    Timing { min_ns: samples[0], median_ns: samples[samples.len() / 2], runs: options.runs, calls }
}

/// Coefficient k of a * b mod X^n + 1.
fn product_coefficient(a: &[u64], b: &[u64], k: usize, q: u64) -> u64 {
    let (n, q) = (a.len(), u128::from(q));
    (0..n).fold(0u128, |sum, i| {
        let term = u128::from(a[i]) * u128::from(b[(n + k - i) % n]) % q;
        (sum + if i <= k { term } else { q - term }) % q
    }) as u64
}

struct Row {
    bits: u32,
    word_bits: u32,
    q: u64,
    n: usize,
    target: &'static str,
    direction: &'static str,
    timing: Timing,
}

fn random(n: usize, q: u64, mut state: u64) -> Vec<u64> {
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 1) % q
        })
        .collect()
}

/// Bytes.
const LINE: usize = 64;

macro_rules! transform_rows {
    ($plan:ty, $word:ty, $options:expr, $bits:expr, $target:expr, $rows:expr) => {
        for log_n in $options.min_log_n..=$options.max_log_n {
            let n = 1usize << log_n;
            // The largest prime below 2^bits with q = 1 mod 2n.
            let step = 2 * n as u64;
            let mut q = ((1u64 << $bits) - 2) / step * step + 1;
            let plan = loop {
                match <$plan>::try_new(n, q as $word) {
                    Some(plan) => break plan,
                    None => q -= step,
                }
            };
            let (a, b) = (random(n, q, 1), random(n, q, 2));
            let mut storage = vec![0 as $word; 2 * n + LINE];
            // On a cache line, as every array that is measured.
            let at = storage.as_ptr().align_offset(LINE);
            let (x, y) = storage[at..at + 2 * n].split_at_mut(n);
            for i in 0..n {
                x[i] = a[i] as $word;
                y[i] = b[i] as $word;
            }
            plan.fwd(x);
            plan.fwd(y);
            plan.mul_assign_normalize(x, y);
            plan.inv(x);
            for k in [0, 1, n / 3, n - 1] {
                if u64::from(x[k]) != product_coefficient(&a, &b, k, q) {
                    return Err(format!("wrong product at n = {n}, q = {q}: not timed"));
                }
            }
            let mut row = |direction, timing: Timing| {
                println!(
                    "{:>2}-bit {:<12} 2^{:<2} {:<18} {:>11.1} ns min {:>11.1} median",
                    $bits, $target, log_n, direction, timing.min_ns, timing.median_ns
                );
                $rows.push(Row {
                    bits: $bits, word_bits: <$word>::BITS, q, n, target: $target, direction, timing,
                });
            };
            row("forward", measure($options, || plan.fwd(black_box(&mut *x))));
            row("inverse", measure($options, || {
                plan.inv(black_box(&mut *x));
                plan.normalize(black_box(&mut *x));
            }));
            row("inverse unscaled", measure($options, || plan.inv(black_box(&mut *x))));
        }
    };
}

fn target(bits: u32) -> &'static str {
    let avx512 = cfg!(feature = "avx512") && std::is_x86_feature_detected!("avx512f");
    if !avx512 {
        return if std::is_x86_feature_detected!("avx2") { "avx2" } else { "scalar" };
    }
    if bits == 50 && std::is_x86_feature_detected!("avx512ifma") { "avx512_ifma" } else { "avx512" }
}

fn document(rows: &[Row]) -> String {
    let build = if cfg!(feature = "avx512") { "avx512" } else { "avx2" };
    let mut text = format!(
        "{{\n \"schema\": \"nttforge-bench-1\",\n \"program\": \"tfhe-ntt\",\n \"version\": \"0.7.1\",\n \
         \"build\": \"{build}, opt-level 3, fat LTO\",\n \"results\": [\n"
    );
    for (i, row) in rows.iter().enumerate() {
        let _ = writeln!(
            text,
            "  {{\"kind\": \"transform\", \"bits\": {}, \"word_bits\": {}, \"q\": {}, \"n\": {}, \
             \"ring\": \"negacyclic\", \"target\": \"{}\", \"direction\": \"{}\", \"min_ns\": {:.2}, \
             \"median_ns\": {:.2}, \"runs\": {}, \"calls_per_run\": {}}}{}",
            row.bits, row.word_bits, row.q, row.n, row.target, row.direction, row.timing.min_ns,
            row.timing.median_ns, row.timing.runs, row.timing.calls,
            if i + 1 < rows.len() { "," } else { "" }
        );
    }
    text + " ]\n}\n"
}

fn run() -> Result<(), String> {
    let options = parse()?;
    let mut rows = Vec::new();
    transform_rows!(tfhe_ntt::prime64::Plan, u64, &options, 50, target(50), rows);
    transform_rows!(tfhe_ntt::prime64::Plan, u64, &options, 60, target(60), rows);
    transform_rows!(tfhe_ntt::prime32::Plan, u32, &options, 30, target(30), rows);
    if let Some(path) = &options.json {
        std::fs::write(path, document(&rows)).map_err(|error| format!("cannot write {path}: {error}"))?;
    }
    Ok(())
}

fn main() {
    if cfg!(debug_assertions) {
        eprintln!("peer_tfhe_ntt: an unoptimised build measures nothing: build with cargo build --release");
        std::process::exit(2);
    }
    if let Err(message) = run() {
        eprintln!("peer_tfhe_ntt: {message}");
        std::process::exit(1);
    }
}
