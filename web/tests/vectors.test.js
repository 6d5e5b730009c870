// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts of BFV and BGV word for word from the seeds of the oracle's vectors.
import assert from "node:assert/strict";
import {test} from "node:test";
import * as nttforge from "../index.js";
import {exactJson, fnv1a, hex} from "./helpers.js";

await nttforge.load();

function parametersOf(scheme, c) {
  const options = {t: c.t, security: "insecure_by_request", special: c.special_primes ?? (c.p ? [c.p] : []),
    secret: c.secret_distribution ?? "ternary", weight: c.secret_weight ?? 0, error: c.error ?? "sigma_3_2",
    digitPrimes: c.digit_primes ?? 0};
  return nttforge.Parameters.custom(scheme, c.n, c.q, options);
}

function same(ciphertext, expected, what) {
  const words = ciphertext.residues();
  if (expected.parts === undefined) return assert.equal(fnv1a(words), BigInt(expected.parts_fnv1a), what);
  assert.deepEqual([...words], expected.parts.flat(3).map(BigInt), what);
}

// Values modulo 2 stay 0 and 1.
const centred = (values, t) =>
  BigInt64Array.from(values, (v) => t > 2n && BigInt(v) > (t - 1n) / 2n ? BigInt(v) - t : BigInt(v));

for (const scheme of ["bfv", "bgv"]) {
  const vectors = exactJson(`tests/vectors/${scheme}_seeded.json`);
  const keySeed = hex(vectors.key_seed), seed = hex(vectors.encryption_seed);
  vectors.cases.forEach((c, i) => test(`${scheme} case ${i}: n = ${c.n}, ${c.q.length} primes`, () => {
    const t = BigInt(c.t);
    const context = new nttforge.Context(parametersOf(scheme, c));
    const keys = context.keys({seed: keySeed});
    const encoded = (values) => context.encode(centred(values, t), {encoding: "coefficients"});
    const named = (name) => c.ciphertexts.find((entry) => entry.name === name);
    const x = keys.public.encrypt(encoded(c.plain_x), {seed, index: 0});
    const y = keys.secret.encrypt(encoded(c.plain_y), {seed, index: 1});
    same(x, named("x"), "x");
    same(y, named("y"), "y");
    same(x.add(y), named("x + y"), "x + y");
    same(x.multiply(encoded(c.plain_y)), named("x times plain y"), "x times plain y");
    same(x.multiply(y), named("x y"), "x y");
    if (named("relinearized")) same(x.multiply(y, keys.relinearization), named("relinearized"), "relinearized");
    assert.deepEqual([...keys.decrypt(x)].map(BigInt), [...centred(c.plain_x, t)]);
  }));
}
