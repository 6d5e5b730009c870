// SPDX-License-Identifier: Apache-2.0
// nttforge for JavaScript. index.d.ts describes every name; the library is C++ in nttforge.wasm (module.js).

import {ArgumentTypeError, ParameterError} from "./errors.js";
import {Owned, bytesOf, call, load as loadModule, memoryBytes, optional, require} from "./module.js";

export * from "./errors.js";
export {loadModule as load, memoryBytes};

// Numbers of the byte format and of nttforge/wasm/*.cpp.
const SCHEMES = {bfv: 1, bgv: 2, ckks: 3};
const SECURITY = {insecure_by_request: 0, 128: 1, 192: 2, 256: 3};
const TABLES = {hes2018: 1, guidelines2024: 2};
const SECRETS = {ternary: 0, binary: 1, sparse: 2};
const ERROR_SIZES = {sigma_3_2: 0, sigma_8_bound_48: 1};
const KINDS = {secret: 2, public: 3, relinearization: 4, rotations: 5, plaintext: 6, ciphertext: 7, evaluation: 8};
const OPERATIONS = ["add", "subtract", "negate", "multiply", "relinearize", "multiplyRelinearize", "rotateRows",
  "swapColumns", "innerSum", "modSwitch", "rescale", "addPlain", "subtractPlain", "multiplyPlain", "multiplyConstant"];

function choice(names, value, name) {
  const number = Object.hasOwn(names, value) ? names[value] : undefined;
  if (number !== undefined) return number;
  throw new ParameterError(`${name} = '${value}' is unknown: use one of ${Object.keys(names).join(", ")}`);
}

function whole(value, low, high, name) {
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high) return value;
  throw new ParameterError(`${name} = ${value} is out of range: use an integer in ${low} ... ${high}`);
}

function finite(value, low, high, name) {
  if (typeof value === "number" && value >= low && value <= high) return value;
  throw new ParameterError(`${name} = ${value} is out of range: use a number in ${low} ... ${high}`);
}

function big(value, name) {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) {
    if (value >= 0 && BigInt(value) < 1n << 64n) return BigInt(value);
  }
  throw new ParameterError(`${name} = ${value} is out of range: use an integer, a BigInt past 2^53, in 0 ... 2^64 - 1`);
}

function bytes(value, name) {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new ArgumentTypeError(`${name} must be a Uint8Array or an ArrayBuffer`);
}

function seedOf(seed) {
  if (seed === undefined) return 0;
  if (bytes(seed, "seed").length === 32) return seed;
  throw new ParameterError(`seed has ${seed.length} bytes: use 32, for tests only`);
}

const primes = (list) => BigUint64Array.from(list ?? [], (prime) => big(prime, "prime"));

/// to_bytes of an object that has any.
class Stored extends Owned {
  toBytes() {
    return new Uint8Array(bytesOf("to_bytes", this));
  }
}

export class Parameters extends Stored {
  #facts;
  static preset(scheme, n, options = {}) {
    const number = choice(SCHEMES, scheme, "scheme");
    const {t = 0, scaleBits = 40, security = 128, table = "guidelines2024", wordBits = 32, levels = 0, digitPrimes = 0} = options;
    const plain = number === SCHEMES.ckks ? whole(scaleBits, 1, 100, "scaleBits") : t;
    return new Parameters(call("parameters_preset", number, whole(n, 1, 2 ** 17, "n"), big(plain, "t"),
      choice(SECURITY, security, "security"), choice(TABLES, table, "table"), whole(wordBits, 32, 64, "wordBits"),
      number === SCHEMES.ckks ? whole(levels, 0, 100, "levels") : whole(digitPrimes, 0, 24, "digitPrimes")));
  }
  static custom(scheme, n, q, options = {}) {
    const {t = 0, scale = 0, special = [], security = 128, secret = "ternary", weight = 0, error = "sigma_3_2",
      wordBits = 64, digitPrimes = 0} = options;
    const [chain, keyPrimes] = [primes(q), primes(special)];
    return new Parameters(call("parameters_custom", choice(SCHEMES, scheme, "scheme"), whole(n, 1, 2 ** 17, "n"),
      big(t, "t"), scale, chain, chain.length, keyPrimes, keyPrimes.length, choice(SECURITY, security, "security"),
      choice(SECRETS, secret, "secret"), weight, choice(ERROR_SIZES, error, "error"), wordBits, digitPrimes));
  }
  static fromBytes(data, options = {}) {
    const given = bytes(data, "data");
    return new Parameters(call("parameters_from_bytes", given, given.length, options.allowInsecure ? 1 : 0));
  }
  get #said() {
    this.#facts ??= JSON.parse(new TextDecoder().decode(bytesOf("parameters_json", this)));
    return this.#facts;
  }
  get scheme() {
    return Object.keys(SCHEMES)[this.#said.scheme - 1];
  }
  get n() {
    return this.#said.n;
  }
  get t() {
    return BigInt(this.#said.t);
  }
  get q() {
    return this.#said.q.map(BigInt);
  }
  get special() {
    return this.#said.special.map(BigInt);
  }
  get levels() {
    return this.#said.levels;
  }
  get wordBits() {
    return this.#said.wordBits;
  }
  get qBits() {
    return this.#said.qBits;
  }
  get modulusBits() {
    return this.#said.modulusBits;
  }
  get securityBits() {
    return this.#said.securityBits;
  }
  toString() {
    return this.#said.description;
  }
}

export class Context extends Owned {
  constructor(parameters) {
    super(call("context_create", require(parameters, Parameters, "parameters")));
    this.parameters = parameters;
    this.n = parameters.n;
    this.scheme = parameters.scheme;
    this.real = this.scheme === "ckks";
    this.narrow = parameters.t < 1n << 32n;
  }
  /// Fresh keys; `secret` in place of a new secret key makes more keys for it.
  keys(options = {}) {
    const {relinearization = this.parameters.special.length > 0, rotations = [], columnSwap = false, level = 0,
      secret, seed} = options;
    using_(secret, this);
    const generator = new Generator(secret === undefined
      ? call("generator_create", this, seedOf(seed)) : call("generator_of_secret", require(secret, SecretKey, "secret")));
    try {
      const steps = BigInt64Array.from(rotations, (step) => BigInt(whole(step, -this.n, this.n, "rotation")));
      const part = (type, name, ...more) => new type(call(name, generator, ...more), this);
      return new Keys(this, {
        secret: part(SecretKey, "secret_key"),
        public: part(PublicKey, "public_key"),
        relinearization: relinearization ? part(RelinearizationKey, "relinearization_key", level) : undefined,
        rotations: steps.length > 0 || columnSwap
          ? part(RotationKeys, "rotation_keys", steps, steps.length, columnSwap ? 1 : 0, level) : undefined,
      });
    } finally {
      generator.free();
    }
  }
  /// Int32Array or BigInt64Array for BFV and BGV; Float64Array, or {real, imaginary}, for CKKS.
  encode(values, options = {}) {
    const {encoding = "slots", bound = 1, slots = 0, level = 0, scale = 0} = options;
    const inSlots = choice({coefficients: 0, slots: 1}, encoding, "encoding");
    if (!this.real) {
      if (!(values instanceof Int32Array || values instanceof BigInt64Array))
        throw new ArgumentTypeError("values must be an Int32Array or a BigInt64Array: BFV and BGV compute on integers");
      return new Plaintext(call("encode_integers", this, values, values.length, values.BYTES_PER_ELEMENT, inSlots), this);
    }
    const complex = values?.real instanceof Float64Array && values.imaginary instanceof Float64Array;
    if (!complex && !(values instanceof Float64Array))
      throw new ArgumentTypeError("values must be a Float64Array, or {real, imaginary} of two: CKKS computes on real numbers");
    const numbers = complex ? paired(values) : values;
    const count = complex ? numbers.length / 2 : numbers.length;
    return new Plaintext(call("encode_numbers", this, numbers, count, complex ? 1 : 0,
      finite(bound, 0, 2 ** 900, "bound"), whole(slots, 0, this.n, "slots"), whole(level, 0, 10000, "level"),
      finite(scale, 0, 2 ** 100, "scale"), inSlots), this);
  }
  #read(type, kind, data) {
    const given = bytes(data, "data");
    return new type(call("from_bytes", this, KINDS[kind], given, given.length), this);
  }
  secretKey(data) {
    return this.#read(SecretKey, "secret", data);
  }
  publicKey(data) {
    return this.#read(PublicKey, "public", data);
  }
  relinearizationKey(data) {
    return this.#read(RelinearizationKey, "relinearization", data);
  }
  rotationKeys(data) {
    return this.#read(RotationKeys, "rotations", data);
  }
  evaluationKeys(data) {
    return this.#read(EvaluationKeys, "evaluation", data);
  }
  plaintext(data) {
    return this.#read(Plaintext, "plaintext", data);
  }
  ciphertext(data) {
    return this.#read(Ciphertext, "ciphertext", data);
  }
}

function using_(key, context) {
  if (key !== undefined) require(key.context, Context, "secret.context");
  return context;
}

function paired({real, imaginary}) {
  if (real.length !== imaginary.length)
    throw new ParameterError(`real has ${real.length} numbers and imaginary ${imaginary.length}: give as many of both`);
  const pairs = new Float64Array(2 * real.length);
  real.forEach((value, i) => {
    pairs[2 * i] = value;
    pairs[2 * i + 1] = imaginary[i];
  });
  return pairs;
}

class Generator extends Owned {}

/// An object of a context.
class Member extends Stored {
  constructor(handle, context) {
    super(handle);
    this.context = context;
  }
}

/// A key that encrypts.
class EncryptionKey extends Member {
  /// A fresh encryption of values, or of a plaintext. `seed` and `index` make it reproducible, for tests only.
  encrypt(values, options = {}) {
    const given = values instanceof Plaintext;
    const plaintext = given ? values : this.context.encode(values, options);
    try {
      return new Ciphertext(call("encrypt", this, plaintext, seedOf(options.seed), options.index ?? 0), this.context);
    } finally {
      if (!given) plaintext.free();
    }
  }
}

export class PublicKey extends EncryptionKey {}

export class SecretKey extends EncryptionKey {
  /// sharedBits: for answers that others see who may have chosen the computation.
  decrypt(ciphertext, options = {}) {
    const {sharedBits = 0, bound = "proved"} = options;
    const x = require(ciphertext, Ciphertext, "ciphertext");
    const words = bytesOf("decrypt", this, x, sharedBits === 0 ? 0 : whole(sharedBits, 20, 128, "sharedBits"),
      choice({proved: 0, heuristic: 1}, bound, "bound"));
    if (!this.context.real) return integersOf(words, this.context);
    const numbers = new Float64Array(words);
    if (x.encoding === "coefficients") return numbers;
    const real = new Float64Array(numbers.length / 2).map((_, i) => numbers[2 * i]);
    const imaginary = x.real ? undefined : real.map((_, i) => numbers[2 * i + 1]);
    numbers.fill(0);
    return imaginary === undefined ? real : {real, imaginary};
  }
  /// Exact bits of noise that are left, of BFV and BGV; it depends on the secret: keep it.
  noiseBudget(ciphertext) {
    return new Float64Array(bytesOf("noise_budget", this, require(ciphertext, Ciphertext, "ciphertext")))[0];
  }
}

/// Int32Array where every value modulo t fits one, else BigInt64Array.
function integersOf(words, context) {
  return context.narrow ? new Int32Array(words) : new BigInt64Array(words);
}

export class RelinearizationKey extends Member {}
export class RotationKeys extends Member {}

export class EvaluationKeys extends Member {
  static of(context, {relinearization, rotations}) {
    return new EvaluationKeys(call("evaluation_keys", relinearization, rotations), context);
  }
  #part(type, which) {
    const handle = optional("evaluation_part", this, which);
    return handle === 0 ? undefined : new type(handle, this.context);
  }
  get relinearization() {
    return this.#part(RelinearizationKey, 0);
  }
  get rotations() {
    return this.#part(RotationKeys, 1);
  }
}

/// What Context.keys() makes; the secret key stays with its owner.
export class Keys {
  constructor(context, parts) {
    this.context = context;
    Object.assign(this, parts);
  }
  encrypt(values, options) {
    return this.public.encrypt(values, options);
  }
  decrypt(ciphertext, options) {
    return this.secret.decrypt(ciphertext, options);
  }
  /// For whoever computes, without the secret key.
  evaluation() {
    return EvaluationKeys.of(this.context, this);
  }
  free() {
    for (const key of [this.secret, this.public, this.relinearization, this.rotations]) key?.free();
  }
}
if (Symbol.dispose) Keys.prototype[Symbol.dispose] = Keys.prototype.free;

export class Plaintext extends Member {
  decode() {
    return integersOf(bytesOf("decode", this), this.context);
  }
}

export class Ciphertext extends Member {
  #numbers;
  #number(which) {
    this.#numbers ??= new Float64Array(bytesOf("ciphertext_numbers", this));
    return this.#numbers[which];
  }
  get level() {
    return this.#number(0);
  }
  get parts() {
    return this.#number(1);
  }
  get batch() {
    return this.#number(2);
  }
  get encoding() {
    return this.#number(3) === 1 ? "slots" : "coefficients";
  }
  get real() {
    return this.#number(4) === 1;
  }
  get slots() {
    return this.#number(5);
  }
  /// Bits of noise budget that are predicted, or of CKKS the bits behind the point.
  get precisionBits() {
    return this.#number(6);
  }
  get predictedBudget() {
    return this.#number(6);
  }
  #computed(name, b, key, number = 0) {
    return new Ciphertext(call("compute", OPERATIONS.indexOf(name), this, b, key, number), this.context);
  }
  #either(name, b) {
    if (b instanceof Plaintext) return this.#computed(`${name}Plain`, b);
    return this.#computed(name, require(b, Ciphertext, "the other operand"));
  }
  add(b) {
    return this.#either("add", b);
  }
  subtract(b) {
    return this.#either("subtract", b);
  }
  negate() {
    return this.#computed("negate");
  }
  /// By a ciphertext, without a key into three parts; by a plaintext; of CKKS by a number.
  multiply(b, relinearization) {
    if (typeof b === "number") return this.#computed("multiplyConstant", 0, 0, b);
    if (relinearization === undefined || b instanceof Plaintext) return this.#either("multiply", b);
    return this.#computed("multiplyRelinearize", require(b, Ciphertext, "the other operand"),
      require(relinearization, RelinearizationKey, "relinearization"));
  }
  relinearize(key) {
    return this.#computed("relinearize", 0, require(key, RelinearizationKey, "key"));
  }
  rotateRows(step, keys) {
    return this.#computed("rotateRows", 0, require(keys, RotationKeys, "keys"), whole(step, -(2 ** 17), 2 ** 17, "step"));
  }
  swapColumns(keys) {
    return this.#computed("swapColumns", 0, require(keys, RotationKeys, "keys"));
  }
  innerSum(span, keys) {
    return this.#computed("innerSum", 0, require(keys, RotationKeys, "keys"), whole(span, 1, 2 ** 17, "span"));
  }
  modSwitch() {
    return this.#computed("modSwitch");
  }
  rescale() {
    return this.#computed("rescale");
  }
  /// Residues of the coefficients, [batch][parts][level][n].
  residues() {
    return new BigUint64Array(bytesOf("residues", this));
  }
}
