// SPDX-License-Identifier: Apache-2.0
/** Homomorphic encryption in pages and in Node: BFV, BGV and CKKS in WebAssembly. */

/** Loads the module, once for a page or process; every other call needs it. */
export function load(options?: {
  /** Where nttforge.wasm is, or what it holds; by default the file beside this package's index.js. */
  wasm?: string | URL | Response | BufferSource | WebAssembly.Module;
}): Promise<void>;
/** Bytes of memory that the module has taken. Memory of WebAssembly never shrinks: what is freed is used again. */
export function memoryBytes(): number;

export type Scheme = "bfv" | "bgv" | "ckks";
export type Encoding = "slots" | "coefficients";
/** Classical bits that parameters must reach by a published table. */
export type Security = 128 | 192 | 256 | "insecure_by_request";
/** Integers for BFV and BGV, numbers for CKKS. */
export type Values = Int32Array | BigInt64Array | Float64Array | ComplexValues;
export interface ComplexValues {
  real: Float64Array;
  imaginary: Float64Array;
}

/** What holds memory of the module, until free(), the end of a `using` block, or garbage collection. */
declare class Owned {
  free(): void;
  readonly freed: boolean;
  [Symbol.dispose](): void;
}
declare class Stored extends Owned {
  /** Bytes in the format of docs/format.md, the same on CPUs and GPUs. Those of a secret key are plain. */
  toBytes(): Uint8Array;
}

export class Parameters extends Stored {
  private constructor();
  /** A recommended set. Integers: `t`, by default 65537. CKKS: `scaleBits`, and fewer `levels` than there is room for. */
  static preset(
    scheme: Scheme,
    n: number,
    options?: {
      t?: number | bigint;
      scaleBits?: number;
      levels?: number;
      security?: Security;
      table?: "guidelines2024" | "hes2018";
      /** 32, the default, is what WebAssembly is fast with; 64 is what the other languages take by default. */
      wordBits?: 32 | 64;
      /** BFV, BGV: primes of a digit of key switching, and as many special ones; fewer leave more of the modulus. */
      digitPrimes?: number;
    },
  ): Parameters;
  /** An explicit set: primes of ciphertexts, and special ones of keys. */
  static custom(
    scheme: Scheme,
    n: number,
    q: Iterable<number | bigint>,
    options?: {
      t?: number | bigint;
      scale?: number;
      special?: Iterable<number | bigint>;
      security?: Security;
      secret?: "ternary" | "binary" | "sparse";
      weight?: number;
      error?: "sigma_3_2" | "sigma_8_bound_48";
      wordBits?: 32 | 64;
      digitPrimes?: number;
    },
  ): Parameters;
  /** Parameters that somebody else chose; those that claim no security are refused unless `allowInsecure`. */
  static fromBytes(data: Uint8Array | ArrayBuffer, options?: { allowInsecure?: boolean }): Parameters;
  readonly scheme: Scheme;
  readonly n: number;
  readonly t: bigint;
  readonly q: bigint[];
  readonly special: bigint[];
  readonly levels: number;
  readonly wordBits: number;
  readonly qBits: number;
  readonly modulusBits: number;
  readonly securityBits: number;
  toString(): string;
}

export interface EncodeOptions {
  encoding?: Encoding;
  /** CKKS: every number is at most this in absolute value; public. 1 by default. */
  bound?: number;
  /** CKKS: numbers of the message, a power of two up to n/2. */
  slots?: number;
  level?: number;
  scale?: number;
}
export interface EncryptOptions extends EncodeOptions {
  /** 32 bytes that make the result reproducible, for tests only; no (seed, index) may be used twice. */
  seed?: Uint8Array;
  index?: number;
}
export interface DecryptOptions {
  /** 20 ... 128: noise that hides what an answer would tell of the key to whoever chose the computation. */
  sharedBits?: number;
  bound?: "proved" | "heuristic";
}

export class Context extends Owned {
  constructor(parameters: Parameters);
  readonly parameters: Parameters;
  readonly n: number;
  readonly scheme: Scheme;
  keys(options?: {
    /** By default where the parameters have a special prime. */
    relinearization?: boolean;
    rotations?: Iterable<number>;
    columnSwap?: boolean;
    level?: number;
    /** More keys for a secret key that exists. */
    secret?: SecretKey;
    seed?: Uint8Array;
  }): Keys;
  encode(values: Values, options?: EncodeOptions): Plaintext;
  secretKey(data: Uint8Array | ArrayBuffer): SecretKey;
  publicKey(data: Uint8Array | ArrayBuffer): PublicKey;
  relinearizationKey(data: Uint8Array | ArrayBuffer): RelinearizationKey;
  rotationKeys(data: Uint8Array | ArrayBuffer): RotationKeys;
  evaluationKeys(data: Uint8Array | ArrayBuffer): EvaluationKeys;
  plaintext(data: Uint8Array | ArrayBuffer): Plaintext;
  ciphertext(data: Uint8Array | ArrayBuffer): Ciphertext;
}

declare class Member extends Stored {
  private constructor();
  readonly context: Context;
}
declare class EncryptionKey extends Member {
  encrypt(values: Values | Plaintext, options?: EncryptOptions): Ciphertext;
}
export class PublicKey extends EncryptionKey {}
export class SecretKey extends EncryptionKey {
  /** Int32Array of integers where t < 2^32, else BigInt64Array; Float64Array of real numbers; pairs of complex ones. */
  decrypt(ciphertext: Ciphertext, options?: DecryptOptions): Int32Array | BigInt64Array | Float64Array | ComplexValues;
  /** Exact bits of noise that BFV and BGV have left. It depends on the secret: tell nobody. */
  noiseBudget(ciphertext: Ciphertext): number;
}
export class RelinearizationKey extends Member {}
export class RotationKeys extends Member {}
/** What whoever computes needs, as one object. */
export class EvaluationKeys extends Member {
  static of(context: Context, parts: { relinearization?: RelinearizationKey; rotations?: RotationKeys }): EvaluationKeys;
  readonly relinearization: RelinearizationKey | undefined;
  readonly rotations: RotationKeys | undefined;
}

/** All keys of one owner. */
export class Keys {
  private constructor();
  readonly context: Context;
  readonly secret: SecretKey;
  readonly public: PublicKey;
  readonly relinearization: RelinearizationKey | undefined;
  readonly rotations: RotationKeys | undefined;
  encrypt(values: Values | Plaintext, options?: EncryptOptions): Ciphertext;
  decrypt(ciphertext: Ciphertext, options?: DecryptOptions): ReturnType<SecretKey["decrypt"]>;
  evaluation(): EvaluationKeys;
  free(): void;
  [Symbol.dispose](): void;
}

export class Plaintext extends Member {
  /** The integers of BFV and BGV. */
  decode(): Int32Array | BigInt64Array;
}

/** Operations return new ciphertexts. */
export class Ciphertext extends Member {
  readonly level: number;
  /** 2, or 3 after a product without a key. */
  readonly parts: number;
  readonly batch: number;
  readonly encoding: Encoding;
  readonly real: boolean;
  readonly slots: number;
  /** CKKS: bits behind the point that can be relied on. */
  readonly precisionBits: number;
  /** BFV, BGV: bits of noise that are predicted to be left; NaN where nothing is known. */
  readonly predictedBudget: number;
  add(other: Ciphertext | Plaintext): Ciphertext;
  subtract(other: Ciphertext | Plaintext): Ciphertext;
  negate(): Ciphertext;
  /** With the key the result has two parts, and of CKKS is rescaled; a number is for CKKS. */
  multiply(other: Ciphertext | Plaintext | number, relinearization?: RelinearizationKey): Ciphertext;
  relinearize(key: RelinearizationKey): Ciphertext;
  rotateRows(step: number, keys: RotationKeys): Ciphertext;
  swapColumns(keys: RotationKeys): Ciphertext;
  innerSum(span: number, keys: RotationKeys): Ciphertext;
  modSwitch(): Ciphertext;
  rescale(): Ciphertext;
  residues(): BigUint64Array;
}

/** Root of what this package throws on purpose; names and texts are those of the library in Python. */
export class NttforgeError extends Error {}
export class ParameterError extends NttforgeError {}
export class SizeError extends NttforgeError {}
export class UnsupportedError extends NttforgeError {}
export class ContextError extends NttforgeError {}
export class MissingKeyError extends NttforgeError {}
export class FormatError extends NttforgeError {}
export class NoiseError extends NttforgeError {}
export class PrecisionError extends NttforgeError {}
export class OutOfMemoryError extends NttforgeError {}
export class ArgumentTypeError extends NttforgeError {}
