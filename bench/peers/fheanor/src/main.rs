// SPDX-License-Identifier: Apache-2.0
//! A thin bootstrap of fheanor's BFV over X^n + 1 by digit extraction, with a sparse secret for the low modulus. Every
//! slot of random integers is checked before the time of a bootstrap counts. `bootstrap_fheanor --help` lists the options;
//! exact_bootstrap.py runs this beside the others.

use std::fmt::Write as _;
use std::time::Instant;

use feanor_math::homomorphism::Homomorphism;
use feanor_math::integer::{BigIntRing, IntegerRingStore, int_cast};
use feanor_math::primitive_int::StaticRing;
use feanor_math::ring::{RingExtensionStore, RingStore};
use feanor_math::rings::zn::ZnRingStore;
use feanor_math::seq::VectorView;
use fheanor::bfv::bootstrap::{SparseKeyEncapsulationKey, ThinBootstrapper};
use fheanor::bfv::*;
use fheanor::gadget_product::digits::RNSGadgetVectorDigitIndices;
use fheanor::number_ring::NumberRingQuotientStore;
use fheanor::number_ring::hypercube::isomorphism::HypercubeIsomorphism;
use fheanor::number_ring::hypercube::structure::HypercubeStructure;
use rand::Rng;

const HELP: &str = "\
bootstrap_fheanor: a thin bootstrap of fheanor's BFV
  --log-n N          n = 2^N, 7 ... 15 (15)
  --t T              plaintext modulus, a prime (65537)
  --digits V         digits in base t that are removed (1)
  --bound B          with one digit: the largest |I| that is removed (13); 0: any below t/2
  --log-q B          bits of the modulus, or up to 14 more (805)
  --weight W         of the secret; 0: uniform ternary (0)
  --ephemeral W      of the sparse secret (32)
  --matrices L       linear maps one after the other, at most (4)
  --runs R           bootstraps that are timed, each of other integers (1)
  --json FILE        for the results";

struct Options {
    log_n: u32,
    t: i64,
    digits: usize,
    bound: i64,
    log_q: usize,
    weight: usize,
    ephemeral: usize,
    matrices: usize,
    runs: usize,
    json: Option<String>,
}

fn parse() -> Result<Options, String> {
    let mut options = Options {
        log_n: 15,
        t: 65537,
        digits: 1,
        bound: 13,
        log_q: 805,
        weight: 0,
        ephemeral: 32,
        matrices: 4,
        runs: 1,
        json: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        if name == "--help" {
            println!("{HELP}");
            std::process::exit(0);
        }
        let value = arguments.next().ok_or(format!("{name} needs a value"))?;
        let number = |least: i64, most: i64| {
            value
                .parse::<i64>()
                .ok()
                .filter(|found| (least..=most).contains(found))
                .ok_or(format!("{name} = '{value}' must be an integer in [{least}, {most}]"))
        };
        match name.as_str() {
            "--log-n" => options.log_n = number(7, 15)? as u32,
            "--t" => options.t = number(3, 1 << 30)?,
            "--digits" => options.digits = number(1, 8)? as usize,
            "--bound" => options.bound = number(0, 1 << 20)?,
            "--log-q" => options.log_q = number(60, 2000)? as usize,
            "--weight" => options.weight = number(0, 1 << 14)? as usize,
            "--ephemeral" => options.ephemeral = number(1, 1 << 12)? as usize,
            "--matrices" => options.matrices = number(1, 16)? as usize,
            "--runs" => options.runs = number(1, 100)? as usize,
            "--json" => options.json = Some(value),
            _ => return Err(format!("unknown option {name}; --help lists them")),
        }
    }
    Ok(options)
}

struct Found {
    slots: usize,
    log2_q: usize,
    keys: usize,
    setup: f64,
    seconds: Vec<f64>,
    budget_before: usize,
    budget_after: usize,
}

fn bootstraps(options: &Options) -> Result<Found, String> {
    let start = Instant::now();
    let instance = Pow2BFV::new(1 << (options.log_n + 1));
    let plain = instance.create_plaintext_ring(int_cast(options.t, BigIntRing::RING, StaticRing::<i64>::RING));
    let (ring, product_ring) = instance.create_ciphertext_rings(options.log_q..options.log_q + 15);
    let limbs = ring.base_ring().len();
    let rotation_digits = RNSGadgetVectorDigitIndices::select_digits(limbs.div_ceil(2), limbs);
    let product_digits = RNSGadgetVectorDigitIndices::select_digits(limbs.min(5), limbs);
    let bound = (options.digits == 1 && options.bound > 0).then_some(options.bound);
    let machine = ThinBootstrapper::build_pow2(
        &instance, &plain, &ring, options.digits, bound, options.matrices, &rotation_digits, None,
    );
    let mut random = rand::rng();
    let distribution = match options.weight {
        0 => SecretKeyDistribution::UniformTernary,
        weight => SecretKeyDistribution::SparseWithHwt(weight),
    };
    let secret = Pow2BFV::gen_sk(&ring, &mut random, distribution);
    let elements = machine.required_galois_keys(&plain);
    let keys = elements.len();
    let rotation = Pow2BFV::gen_gks(&ring, &mut random, &secret, elements, &rotation_digits, 3.2);
    let relinearization = Pow2BFV::gen_rk(&ring, &mut random, &secret, &product_digits, 3.2);
    let sparse = SparseKeyEncapsulationKey::new(
        machine.intermediate_plaintext_ring(), &ring, &secret, 2, options.ephemeral, &mut random, 3.2,
    );
    let cube = HypercubeStructure::default_pow2_hypercube(
        plain.acting_galois_group(),
        int_cast(options.t, BigIntRing::RING, StaticRing::<i64>::RING),
    );
    let encoding = HypercubeIsomorphism::new(&plain, &cube, None);
    let setup = start.elapsed().as_secs_f64();

    let mut found = Found {
        slots: encoding.slot_count(),
        log2_q: BigIntRing::RING.abs_log2_ceil(ring.base_ring().modulus()).unwrap(),
        keys,
        setup,
        seconds: Vec::new(),
        budget_before: 0,
        budget_after: usize::MAX,
    };
    for _ in 0..options.runs {
        let values: Vec<i32> = (0..found.slots).map(|_| random.random_range(0..options.t) as i32).collect();
        let numbers = encoding.slot_ring().int_hom();
        let message = encoding.from_slot_values(values.iter().map(|&value| numbers.map(value)));
        let text = Pow2BFV::enc_sym(&plain, &ring, &mut random, &message, &secret, 3.2);
        found.budget_before = Pow2BFV::noise_budget(&plain, &ring, &text, &secret);
        let begin = Instant::now();
        let result =
            machine.bootstrap_thin(&ring, &product_ring, text, &relinearization, &rotation, Some(&sparse), None);
        found.seconds.push(begin.elapsed().as_secs_f64());
        found.budget_after = found.budget_after.min(Pow2BFV::noise_budget(&plain, &ring, &result, &secret));
        let decrypted = Pow2BFV::dec(&plain, &ring, result, &secret);
        let slots = encoding.slot_ring();
        let wrong = encoding
            .get_slot_values(&decrypted)
            .zip(&values)
            .filter(|(slot, value)| !slots.eq_el(slot, &numbers.map(**value)))
            .count();
        if wrong != 0 {
            return Err(format!(
                "{wrong} of {} slots are wrong after a bootstrap, with {} bits of budget: no time counts; take a larger \
                 --bound or --log-q",
                found.slots, found.budget_after
            ));
        }
    }
    Ok(found)
}

fn document(options: &Options, found: &Found) -> String {
    let mut seconds = found.seconds.clone();
    seconds.sort_by(f64::total_cmp);
    let mut text = String::from(
        "{\n \"schema\": \"nttforge-bench-1\",\n \"program\": \"fheanor\",\n \"version\": \"0.11.9\",\n \
         \"build\": \"opt-level 3, fat LTO\",\n \"results\": [\n",
    );
    let _ = writeln!(
        text,
        "  {{\"kind\": \"exact_bootstrap\", \"scheme\": \"BFV\", \"method\": \"digit extraction, thin\", \"n\": {}, \
         \"t\": {}, \"slots\": {}, \"integers\": {}, \"log2_q\": {}, \"secret_weight\": {}, \"ephemeral_weight\": {}, \
         \"digits\": {}, \"largest_i\": {}, \"keys\": {}, \"budget_before\": {}, \"budget_after\": {}, \
         \"setup_seconds\": {:.3}, \"min_ns\": {:.0}, \"median_ns\": {:.0}, \"runs\": {}}}",
        1u64 << options.log_n, options.t, found.slots, found.slots, found.log2_q, options.weight,
        options.ephemeral, options.digits, options.bound, found.keys, found.budget_before, found.budget_after,
        found.setup, seconds[0] * 1e9, seconds[seconds.len() / 2] * 1e9, seconds.len()
    );
    text + " ]\n}\n"
}

fn run() -> Result<(), String> {
    let options = parse()?;
    let found = bootstraps(&options)?;
    let text = document(&options, &found);
    print!("{text}");
    if let Some(path) = &options.json {
        std::fs::write(path, text).map_err(|error| format!("cannot write {path}: {error}"))?;
    }
    Ok(())
}

fn main() {
    if cfg!(debug_assertions) {
        eprintln!("bootstrap_fheanor: an unoptimised build measures nothing: build with cargo build --release");
        std::process::exit(2);
    }
    if let Err(message) = run() {
        eprintln!("bootstrap_fheanor: {message}");
        std::process::exit(1);
    }
}
