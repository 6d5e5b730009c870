// SPDX-License-Identifier: Apache-2.0
// The same job in this package and in node-seal, one after the other in one process:
//   npm install --prefix build/peers node-seal@7.0.0
//   node --no-liftoff web/bench/seal.js build/peers/node_modules/node-seal
// Rows are means of CPU time in microseconds, so that other programs of the machine matter less; results are
// checked first. --no-liftoff: both modules are optimized before anything is measured.
import {pathToFileURL} from "node:url";
import {resolve} from "node:path";
import * as nttforge from "../index.js";

const seal = await (await import(pathToFileURL(resolve(process.argv[2], "dist/index_throws.js")))).default();
const seconds = Number(process.argv[3] ?? 2);
await nttforge.load();

function mean(body) {
  body();
  const cpu = process.cpuUsage(), begun = performance.now();
  let count = 0;
  do {
    body();
    ++count;
  } while (performance.now() - begun < 1000 * seconds || count < 3);
  const {user, system} = process.cpuUsage(cpu);
  return (user + system) / count;
}

function ours(n, values) {
  const parameters = nttforge.Parameters.preset("bfv", n, {digitPrimes: n === 16384 ? 2 : 1});
  const context = new nttforge.Context(parameters), keys = context.keys();
  const plain = context.encode(values), x = keys.encrypt(plain), y = x.multiply(x, keys.relinearization);
  const check = [keys.decrypt(x), keys.decrypt(y)];
  const drop = (make) => () => make().free();
  // keys() makes a public key too, whose time is not that of the relinearization key.
  const less = {relinearization: drop(() => context.keys({secret: keys.secret, relinearization: false}))};
  return {q: parameters.qBits, check, less, rows: {
    context: drop(() => new nttforge.Context(parameters)),
    keys: drop(() => context.keys({relinearization: false})),
    relinearization: drop(() => context.keys({secret: keys.secret})),
    encode: drop(() => context.encode(values)),
    encrypt: drop(() => keys.encrypt(plain)),
    decrypt: () => keys.decrypt(x),
    product: drop(() => x.multiply(x)),
    "product, relinearized": drop(() => x.multiply(x, keys.relinearization)),
  }};
}

function theirs(n, values) {
  const parameters = new seal.EncryptionParameters(seal.SchemeType.bfv);
  parameters.setPolyModulusDegree(n);
  parameters.setCoeffModulus(seal.CoeffModulus.BFVDefault(n, seal.SecLevelType.tc128));
  parameters.setPlainModulus(new seal.Modulus(65537n));
  const make = () => new seal.SEALContext(parameters, true, seal.SecLevelType.tc128);
  const context = make(), generator = new seal.KeyGenerator(context);
  const secret = generator.secretKey(), publicKey = generator.createPublicKey(), relin = generator.createRelinKeys();
  const encoder = new seal.BatchEncoder(context), evaluator = new seal.Evaluator(context);
  const encryptor = new seal.Encryptor(context, publicKey), decryptor = new seal.Decryptor(context, secret);
  const wide = BigInt64Array.from(values, BigInt);
  const plain = new seal.Plaintext(), x = new seal.Ciphertext(), y = new seal.Ciphertext(), out = new seal.Plaintext();
  encoder.encode(wide, plain);
  encryptor.encrypt(plain, x);
  const multiplied = () => {
    evaluator.multiply(x, x, y);
    evaluator.relinearize(y, relin, y);
  };
  const decrypted = (z) => {
    decryptor.decrypt(z, out);
    return encoder.decodeBigInt64(out);
  };
  multiplied();
  const check = [decrypted(x), decrypted(y)].map((v) => Int32Array.from(v, Number));
  const drop = (create) => () => create().delete();
  return {q: context.firstContextData().totalCoeffModulusBitCount(), check, rows: {
    context: drop(make),
    keys: () => {
      const fresh = new seal.KeyGenerator(context);
      fresh.createPublicKey().delete();
      fresh.delete();
    },
    relinearization: drop(() => generator.createRelinKeys()),
    encode: () => encoder.encode(wide, plain),
    encrypt: () => encryptor.encrypt(plain, y),
    decrypt: () => decrypted(x),
    product: () => evaluator.multiply(x, x, y),
    "product, relinearized": multiplied,
  }};
}

console.log(`Node ${process.version}, CPU time in us: nttforge, node-seal, ratio`);
for (const n of [4096, 8192, 16384]) {
  const values = Int32Array.from({length: n}, (_, i) => (i * 37) % 65537 - 32768);
  const [a, b] = [ours(n, values), theirs(n, values)];
  a.check.forEach((found, k) => found.forEach((value, i) => {
    if (value !== b.check[k][i]) throw new Error(`n = ${n}: value ${i} is ${value} here and ${b.check[k][i]} there`);
  }));
  console.log(`n = ${n}, log2 Q = ${a.q} and ${b.q}`);
  for (const name of Object.keys(a.rows)) {
    const here = mean(a.rows[name]) - (a.less[name] ? mean(a.less[name]) : 0), there = mean(b.rows[name]);
    console.log(`  ${name.padEnd(22)} ${here.toFixed(0).padStart(8)} ${there.toFixed(0).padStart(8)} ${(there / here).toFixed(2)}`);
  }
}
