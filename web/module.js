// SPDX-License-Identifier: Apache-2.0
// The module of WebAssembly and its memory: loading, arguments, results, and handles that are freed.

import {ArgumentTypeError, ERRORS, NttforgeError} from "./errors.js";

let exports;

/// What the C library asks of a system. There are no files, no environment and no other threads; a module that
/// ends itself has met a fault of its own.
const system = {
  fd_close: () => 8,
  fd_seek: () => 8,
  fd_write: () => 8,
  environ_get: () => 0,
  environ_sizes_get: (count, bytes) => {
    new Uint32Array(exports.memory.buffer)[count >> 2] = 0;
    new Uint32Array(exports.memory.buffer)[bytes >> 2] = 0;
    return 0;
  },
  clock_time_get: (_clock, _precision, out) => {
    new BigUint64Array(exports.memory.buffer, out, 1)[0] = BigInt(Math.round(performance.now() * 1e6));
    return 0;
  },
  poll_oneoff: () => 52,
  sched_yield: () => 0,
  proc_exit: (code) => {
    throw new NttforgeError(`the module ended itself with code ${code}: load the page again`);
  },
};

/// crypto.getRandomValues fills at most 65536 bytes at once.
function random(out, bytes) {
  try {
    for (let at = 0; at < bytes; at += 65536)
      globalThis.crypto.getRandomValues(new Uint8Array(exports.memory.buffer, out + at, Math.min(65536, bytes - at)));
    return 1;
  } catch {
    return 0;
  }
}

async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  const address = source ?? new URL("./nttforge.wasm", import.meta.url);
  if (ArrayBuffer.isView(address) || address instanceof ArrayBuffer) return WebAssembly.compile(address);
  if (address instanceof URL && address.protocol === "file:") {
    const {readFile} = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(address));
  }
  const response = address instanceof Response ? address : await fetch(address);
  if (!response.ok) throw new NttforgeError(`nttforge.wasm is not at ${response.url}: status ${response.status}`);
  // A server that sends another type than application/wasm cannot be compiled from while it arrives.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

let loading;
export function load(options = {}) {
  loading ??= (async () => {
    const module = await compiled(options.wasm);
    const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: system, nttforge: {random}});
    exports = instance.exports;
    exports._initialize();
  })().catch((error) => {
    loading = undefined;  // another call may succeed
    throw error;
  });
  return loading;
}

function text(at) {
  const bytes = new Uint8Array(exports.memory.buffer);
  return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
}

/// Calls an exported function that returns a handle; arguments that are arrays are copied into memory, which is
/// wiped after the call. throws what the library throws.
export function call(name, ...given) {
  if (exports === undefined) throw new NttforgeError("nttforge is not loaded: 'await nttforge.load()' first");
  const places = [];
  try {
    const handles = given.map((argument) => {
      if (argument instanceof Owned) return argument._handle();
      if (!ArrayBuffer.isView(argument)) return argument ?? 0;
      const bytes = Math.max(8, argument.byteLength);
      const place = exports.allocate(bytes);
      if (place === 0) throw new ERRORS[9](`${bytes} bytes for an argument of ${name} are not there: free objects`);
      places.push([place, bytes]);
      new Uint8Array(exports.memory.buffer, place, argument.byteLength)
        .set(new Uint8Array(argument.buffer, argument.byteOffset, argument.byteLength));
      return place;
    });
    const handle = exports[name](...handles);
    if (handle !== 0) return handle;
    const message = text(exports.error_text());
    throw new ERRORS[exports.error_kind()](message);
  } finally {
    for (const [place, bytes] of places) exports.release(place, bytes);
  }
}

/// The bytes that a call returns, copied out and wiped there.
export function bytesOf(name, ...given) {
  const handle = call(name, ...given);
  try {
    const at = exports.bytes_data(handle);
    return exports.memory.buffer.slice(at, at + exports.bytes_size(handle));
  } finally {
    exports.drop(handle);
  }
}

/// A handle, or 0 where there is nothing of that kind, which is no error.
export function optional(name, owner, which) {
  return exports[name](owner._handle(), which);
}

const forgotten = new FinalizationRegistry((handle) => exports.drop(handle));

/// An object of the library: its memory goes back by free(), at the end of a block with `using`, or some time
/// after nothing refers to it any more.
export class Owned {
  #handle;
  constructor(handle) {
    this.#handle = handle;
    forgotten.register(this, handle, this);
  }
  free() {
    if (this.#handle === 0) return;
    forgotten.unregister(this);
    exports.drop(this.#handle);
    this.#handle = 0;
  }
  get freed() {
    return this.#handle === 0;
  }
  _handle() {
    if (this.#handle === 0) throw new NttforgeError(`this ${this.constructor.name} was freed: make it again`);
    return this.#handle;
  }
}
if (Symbol.dispose) Owned.prototype[Symbol.dispose] = Owned.prototype.free;

export function require(value, type, name) {
  if (value instanceof type) return value;
  const is = value === null || typeof value !== "object" ? typeof value : value.constructor?.name;
  throw new ArgumentTypeError(`${name} is of type ${is}, and must be a ${type.name}`);
}

/// Bytes of memory that the module has; it never shrinks.
export function memoryBytes() {
  return exports === undefined ? 0 : exports.memory.buffer.byteLength;
}
