// SPDX-License-Identifier: Apache-2.0
// The golden files, which CPUs and cards write, are read, written again byte for byte, and made from their seeds.
import assert from "node:assert/strict";
import {readdirSync} from "node:fs";
import {test} from "node:test";
import * as nttforge from "../index.js";
import {exactJson, file} from "./helpers.js";

await nttforge.load();
const folder = "tests/golden/v1";
const kinds = [["secret", "secretKey"], ["public", "publicKey"], ["relinearization", "relinearizationKey"],
  ["rotations", "rotationKeys"], ["evaluation", "evaluationKeys"], ["plaintext", "plaintext"], ["ciphertext", "ciphertext"]];
const seed = Uint8Array.from({length: 32}, (_, i) => 100 + i);
const keySeed = Uint8Array.from({length: 32}, (_, i) => i);
const X = Int32Array.of(1, -2, 3, 48, -48, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), Y = Int32Array.of(10, 20, -30);
const U = {real: Float64Array.from({length: 8}, (_, k) => (k - 3) / 8), imaginary: Float64Array.from({length: 8}, (_, k) => (2 - k) / 8)};
const V = Float64Array.of(0.5, -0.25, 1, 0, -1, 0.125, 0.75, -0.0625);

function contextOf(set) {
  const data = file(`${folder}/${set}/parameters.bin`);
  const parameters = nttforge.Parameters.fromBytes(data, {allowInsecure: true});
  assert.deepEqual(parameters.toBytes(), data);
  return new nttforge.Context(parameters);
}

const sets = ["bfv", "bfv_digits", "bfv_without_special", "bgv", "bgv_digits", "ckks", "ckks_windows"];
for (const set of sets) {
  const names = readdirSync(new URL(`../../${folder}/${set}`, import.meta.url)).filter((name) => name.endsWith(".bin"));

  test(`${set}: every object is read and written again, the same bytes`, () => {
    const context = contextOf(set);
    const values = exactJson(`${folder}/${context.real ? "values_ckks" : "values"}.json`);
    const secret = context.secretKey(file(`${folder}/${set}/secret.bin`));
    let seen = 0;
    for (const name of names) {
      const kind = kinds.find(([begin]) => name.startsWith(begin));
      if (kind === undefined) continue;
      const data = file(`${folder}/${set}/${name}`);
      const object = context[kind[1]](data);
      // A file without the bound on its noise is written with the bound that follows from reading it.
      if (!name.includes("silent")) assert.deepEqual(object.toBytes(), data, name);
      ++seen;
      const expected = values[name]?.flat(2);
      if (expected === undefined) continue;
      if (!context.real) {
        const decoded = kind[0] === "plaintext" ? object.decode() : secret.decrypt(object);
        assert.deepEqual([...decoded].map(Number), expected, name);
      } else {
        const decrypted = secret.decrypt(object);
        const flat = decrypted.real ? [...decrypted.real].flatMap((re, i) => [re, decrypted.imaginary[i]]) : [...decrypted];
        flat.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-3, `${name}: ${value}, ${expected[i]}`));
      }
    }
    assert.ok(seen > 15);
  });

  test(`${set}: keys, encryptions and products from the seeds of the files are the same bytes`, () => {
    const context = contextOf(set);
    const special = context.parameters.special.length > 0;
    const keys = context.keys({seed: keySeed, ...(special ? {rotations: [1], columnSwap: true} : {})});
    const x = context.real ? keys.public.encrypt(U, {bound: 2, seed, index: 1}) : keys.public.encrypt(X, {seed, index: 1});
    const y = context.real ? keys.secret.encrypt(V, {bound: 2, seed, index: 2}) : keys.secret.encrypt(Y, {seed, index: 2});
    const made = {secret: keys.secret, public: keys.public, ciphertext_public: x, ciphertext_seeded: y,
      ciphertext_product: x.multiply(y)};
    if (special) {
      const product = made.ciphertext_product;
      Object.assign(made, {relinearization: keys.relinearization, rotations: keys.rotations, evaluation: keys.evaluation(),
        ciphertext_relinearized: context.real ? x.multiply(y, keys.relinearization) : product.relinearize(keys.relinearization),
        ciphertext_rotated: x.rotateRows(1, keys.rotations)});
    }
    for (const [name, object] of Object.entries(made))
      assert.deepEqual(object.toBytes(), file(`${folder}/${set}/${name}.bin`), name);
  });
}

test("bytes that were altered are refused with an error of the library, and nothing else happens", () => {
  const context = contextOf("bfv");
  let state = 1;
  const random = (below) => (state = (state * 48271) % 2147483647) % below;
  for (const [kind, reader] of kinds) {
    const name = {plaintext: "plaintext_slots", ciphertext: "ciphertext_public"}[kind] ?? kind;
    const data = file(`${folder}/bfv/${name}.bin`);
    for (let i = 0; i < 300; ++i) {
      const altered = i % 3 === 0 ? data.slice(0, random(data.length)) : data.slice();
      if (i % 3 !== 0) altered[random(i % 3 === 1 ? Math.min(64, data.length) : data.length)] ^= 1 + random(255);
      assert.throws(() => context[reader](altered), nttforge.NttforgeError);
    }
    context[reader](data).free();
  }
});
