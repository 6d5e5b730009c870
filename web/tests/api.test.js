// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {test} from "node:test";
import * as nttforge from "../index.js";

await nttforge.load();
const bfv = new nttforge.Context(nttforge.Parameters.preset("bfv", 4096));

test("integers of BFV and BGV come back, of either width", () => {
  for (const scheme of ["bfv", "bgv"]) {
    const context = new nttforge.Context(nttforge.Parameters.preset(scheme, 4096));
    const keys = context.keys();
    const values = Int32Array.from({length: 4096}, (_, i) => (i * 37) % 65537 - 32768);
    assert.deepEqual(keys.decrypt(keys.encrypt(values)), values);
    const wide = BigInt64Array.of(5n, -7n);
    assert.deepEqual([...keys.decrypt(keys.encrypt(wide))].slice(0, 3), [5, -7, 0]);
  }
  const large = new nttforge.Context(nttforge.Parameters.preset("bfv", 8192, {t: 2n ** 40n + 1n, wordBits: 64}));
  const keys = large.keys();
  const values = BigInt64Array.of(-(2n ** 39n), 2n ** 39n, 12345678901n);
  assert.deepEqual(keys.decrypt(keys.encrypt(values, {encoding: "coefficients"})).slice(0, 3), values);
});

test("numbers of CKKS come back within the error that the ciphertext tells", () => {
  const context = new nttforge.Context(nttforge.Parameters.preset("ckks", 8192, {scaleBits: 36, wordBits: 64}));
  const keys = context.keys({rotations: [1]});
  const values = Float64Array.from({length: 4096}, (_, i) => Math.sin(i));
  const x = keys.encrypt(values);
  const product = x.multiply(x, keys.relinearization), rotated = x.rotateRows(1, keys.rotations);
  const close = (found, expected, of) => expected.forEach((v, i) =>
    assert.ok(Math.abs(found[i] - v) <= 2 ** -of.precisionBits, `${found[i]} ${v}`));
  close(keys.decrypt(x), values, x);
  close(keys.decrypt(product), values.map((v) => v * v), product);
  close(keys.decrypt(rotated), values.map((_, i) => values[(i + 1) % 4096]), rotated);
  const complex = {real: Float64Array.of(0.5, -0.25), imaginary: Float64Array.of(0.25, 1)};
  const {real, imaginary} = keys.decrypt(keys.encrypt(complex));
  assert.ok(Math.abs(real[1] + 0.25) < 1e-6 && Math.abs(imaginary[1] - 1) < 1e-6);
  assert.ok(Math.abs(keys.decrypt(x.multiply(2.5))[1] - 2.5 * values[1]) < 1e-6);
});

test("computing beside the owner: keys and ciphertexts travel as bytes, the secret key does not", () => {
  const keys = bfv.keys({rotations: [1]});
  const server = new nttforge.Context(nttforge.Parameters.fromBytes(bfv.parameters.toBytes()));
  const evaluation = server.evaluationKeys(keys.evaluation().toBytes());
  const x = server.ciphertext(keys.encrypt(Int32Array.of(1, 2, 3)).toBytes());
  const sum = x.rotateRows(1, evaluation.rotations).add(x.multiply(server.encode(Int32Array.of(10, 10, 10))));
  const answer = bfv.ciphertext(sum.toBytes());
  assert.deepEqual([...keys.decrypt(answer)].slice(0, 3), [12, 23, 30]);
  assert.ok(keys.secret.noiseBudget(answer) > 5);
  assert.ok(answer.predictedBudget <= keys.secret.noiseBudget(answer));
});

test("errors say what the library in C++ and Python says", () => {
  assert.throws(() => nttforge.Parameters.preset("bfv", 1000), {name: "ParameterError", message: /^n = 1000/});
  assert.throws(() => nttforge.Parameters.preset("bfw", 4096), {name: "ParameterError", message: /use one of bfv, bgv, ckks/});
  assert.throws(() => nttforge.Parameters.preset("bfv", 4096, {t: -1}), {name: "ParameterError", message: /^t = -1/});
  assert.throws(() => bfv.ciphertext(new Uint8Array(10)), {name: "FormatError"});
  assert.throws(() => bfv.ciphertext("text"), {name: "ArgumentTypeError"});
  assert.throws(() => bfv.encode([1, 2]), {name: "ArgumentTypeError"});
  assert.throws(() => bfv.encode(Int32Array.of(40000)), {name: "ParameterError", message: /40000/});
  assert.throws(() => bfv.encode(new Int32Array(4097)), {name: "SizeError"});
  const keys = bfv.keys({rotations: [1]}), x = keys.encrypt(Int32Array.of(1));
  assert.throws(() => x.rotateRows(2, keys.rotations), {name: "MissingKeyError"});
  assert.throws(() => x.add(5), {name: "ArgumentTypeError"});
  assert.throws(() => x.rescale(), {name: "UnsupportedError"});
  const other = new nttforge.Context(nttforge.Parameters.preset("bfv", 4096, {t: 12289 * 2 + 1 === 0 ? 1 : 40961}));
  assert.throws(() => x.add(other.keys().encrypt(Int32Array.of(1))), {name: "ContextError"});
  assert.throws(() => other.ciphertext(x.toBytes()), {name: "ContextError"});
  assert.throws(() => keys.encrypt(Int32Array.of(1), {seed: new Uint8Array(5)}), {name: "ParameterError"});
  const wrong = bfv.keys();
  assert.throws(() => wrong.decrypt(x), {name: "NoiseError"});
});

test("objects that are freed are refused, and their memory is used again", () => {
  const keys = bfv.keys(), values = new Int32Array(4096).fill(7);
  const gone = keys.encrypt(values);
  gone.free();
  gone.free();
  assert.ok(gone.freed);
  assert.throws(() => gone.toBytes(), {message: /this Ciphertext was freed/});
  const bytes = () => nttforge.memoryBytes();
  for (let i = 0; i < 20; ++i) keys.encrypt(values).free();
  const before = bytes();
  for (let i = 0; i < 300; ++i) keys.encrypt(values).free();
  assert.equal(bytes(), before);
});

test("what nothing refers to is freed by and by", {skip: globalThis.gc === undefined && "needs --expose-gc"}, async () => {
  const keys = bfv.keys(), values = new Int32Array(4096).fill(7);
  const round = async () => {
    for (let i = 0; i < 100; ++i) keys.encrypt(values);
    for (let i = 0; i < 3; ++i) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  for (let i = 0; i < 3; ++i) await round();
  const before = nttforge.memoryBytes();
  for (let i = 0; i < 5; ++i) await round();
  assert.equal(nttforge.memoryBytes(), before);
});

test("two encryptions of one message differ, and without random bytes there is none", () => {
  const keys = bfv.keys(), x = Int32Array.of(1);
  assert.notDeepEqual(keys.encrypt(x).toBytes(), keys.encrypt(x).toBytes());
  const {getRandomValues} = globalThis.crypto;
  globalThis.crypto.getRandomValues = () => { throw new Error("none"); };
  try {
    assert.throws(() => keys.encrypt(x), {name: "UnsupportedError", message: /crypto.getRandomValues/});
  } finally {
    globalThis.crypto.getRandomValues = getRandomValues;
  }
});
