// SPDX-License-Identifier: Apache-2.0
// The client of `nttforge serve` in a browser or in Node: keys are made here, and the secret one stays here.
//
//   import * as nttforge from "./nttforge/index.js";
//   await nttforge.load();
//   const session = await open(nttforge, "", "risk");
//   const [score] = await session.compute({x: [1, 2, 3]});
//
// Requests and answers are ../wire.py's: objects behind their lengths. An encrypted array is a header of JSON
// before a ciphertext (docs/format.md); entries lie in slots as ../../../../python/nttforge/encrypted/layout.py says.

const LENGTH_BYTES = 8;
const ARRAY_MAGIC = "NTTFARR1";
const MOST_TRIES = 8;

export class RemoteError extends Error {
  constructor(message, status = 0, code = "unreachable") {
    super(message);
    this.name = "RemoteError";
    this.status = status;
    this.code = code;
  }
}

/// A session for a circuit of a server: asks what it needs, makes keys, sends the evaluation keys among them.
export async function open(nttforge, url, name, told = () => {}) {
  const described = await (await asked(`${url}/v1/circuits/${encodeURIComponent(name)}`)).json();
  const bytes = Uint8Array.from(atob(described.parameters), (c) => c.charCodeAt(0));
  const parameters = nttforge.Parameters.fromBytes(bytes);  // refuses what has no security level
  const context = new nttforge.Context(parameters);
  const began = performance.now();
  const keys = context.keys({
    relinearization: described.keys.relinearization,
    rotations: described.keys.rotations,
    columnSwap: described.keys.swap_columns,
  });
  told("keys", performance.now() - began);
  try {
    const answer = await asked(`${url}/v1/sessions`, {
      method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify({circuit: name}),
    });
    const session = new Session(url, described, context, keys, await answer.json());
    await session.sendKeys(told);
    return session;
  } catch (error) {
    keys.free();
    throw error;
  }
}

export class Session {
  #token;
  constructor(url, described, context, keys, opened) {
    Object.assign(this, {url, described, context, keys, number: opened.session, state: opened.state});
    this.#token = opened.token;
  }

  #path(ending) {
    return `${this.url}/v1/sessions/${encodeURIComponent(this.number)}${ending}`;
  }

  #headers() {
    return {authorization: `Bearer ${this.#token}`, "content-type": "application/octet-stream"};
  }

  async sendKeys(told) {
    if (this.state === "ready") return;
    const evaluation = this.keys.evaluation();
    const body = evaluation.toBytes();
    evaluation.free();
    const began = performance.now();
    await asked(this.#path("/keys"), {method: "PUT", headers: this.#headers(), body});
    told("upload", performance.now() - began, body);
    this.state = "ready";
  }

  /// Plain numbers as the bytes of a request, by the secret key: `values` has an array for each input.
  encrypt(values) {
    const parts = this.described.inputs.map((input) => {
      const slots = toSlots(values[input.name], input, this.context);
      const ciphertext = this.keys.secret.encrypt(slots, this.context.real ? {bound: boundOf(input)} : {});
      const bytes = ciphertext.toBytes();
      ciphertext.free();
      slots.fill(this.context.real ? 0 : typeof slots[0] === "bigint" ? 0n : 0);
      return bytes;
    });
    return joined(parts);
  }

  /// The server's answer to the bytes of a request.
  async send(body) {
    const answer = await asked(this.#path("/evaluate"), {method: "POST", headers: this.#headers(), body});
    return new Uint8Array(await answer.arrayBuffer());
  }

  /// The numbers of an answer: for each result {shape, values, budget}.
  decrypt(answer) {
    return parted(answer, this.described.results).map((part) => {
      const {header, rest} = frame(part);
      const ciphertext = this.context.ciphertext(rest);
      const slots = this.keys.decrypt(ciphertext);
      const budget = this.context.real ? undefined : this.keys.secret.noiseBudget(ciphertext);
      const found = fromSlots(slots, header, this.context);
      slots.fill(typeof slots[0] === "bigint" ? 0n : 0);
      ciphertext.free();
      return {...found, budget};
    });
  }

  async compute(values) {
    return this.decrypt(await this.send(this.encrypt(values))).map((result) => result.values);
  }

  /// Ends the session: the server deletes its keys, and the secret one is wiped here.
  async close() {
    await asked(this.#path(""), {method: "DELETE", headers: this.#headers()});
    this.keys.free();
  }
}

/// fetch, tried again while the server is busy; a RemoteError with the server's own words otherwise.
async function asked(url, options = {}) {
  for (let tries = 1; ; ++tries) {
    let answer;
    try {
      answer = await fetch(url, {redirect: "error", credentials: "omit", cache: "no-store", ...options});
    } catch (error) {
      throw new RemoteError(`the server cannot be reached: ${error.message}`);
    }
    if (answer.ok) return answer;
    const said = (await answer.json().catch(() => ({}))).error ?? {};
    const after = Number(answer.headers.get("retry-after"));
    if (tries === MOST_TRIES || !(answer.status === 429 || answer.status === 503))
      throw new RemoteError(said.message ?? `status ${answer.status}`, answer.status, said.code ?? "refused");
    await new Promise((done) => setTimeout(done, 1000 * Math.max(after || 0, 0.2 * 2 ** tries)));
  }
}

/// Objects behind their lengths, one behind the other.
export function joined(parts) {
  const body = new Uint8Array(parts.reduce((size, part) => size + LENGTH_BYTES + part.length, 0));
  let at = 0;
  for (const part of parts) {
    new DataView(body.buffer).setBigUint64(at, BigInt(part.length), true);
    body.set(part, at + LENGTH_BYTES);
    at += LENGTH_BYTES + part.length;
  }
  return body;
}

/// The objects of a body; an error where lengths and bytes do not fit.
export function parted(body, count) {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength), parts = [];
  let at = 0;
  for (let i = 0; i < count; ++i) {
    const left = body.length - at - LENGTH_BYTES;
    const length = left < 0 ? 0n : view.getBigUint64(at, true);
    if (left < 0 || length > BigInt(left)) throw new RemoteError("the answer is cut short");
    at += LENGTH_BYTES;
    parts.push(body.subarray(at, at + Number(length)));
    at += Number(length);
  }
  if (at !== body.length) throw new RemoteError("the answer has more than its results");
  return parts;
}

/// Header and ciphertext of an encrypted array.
export function frame(bytes) {
  const head = ARRAY_MAGIC.length + 4;
  const length = bytes.length < head ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(head - 4, true);
  const text = new TextDecoder();
  if (text.decode(bytes.subarray(0, head - 4)) !== ARRAY_MAGIC || head + length + 8 > bytes.length)
    throw new RemoteError("the answer is no encrypted array of version 1");
  const header = JSON.parse(text.decode(bytes.subarray(head, head + length)));
  return {header, rest: bytes.slice(head + length + 8)};
}

const boundOf = (input) => Math.max(Math.abs(input.low), Math.abs(input.high)) || 1;

/// Where entry (row, position) lies: row halves of `block` positions with a lane for each vector.
function places(n, block, real) {
  const row = n / 2, stride = row / block, lanes = real ? stride : 2 * stride;
  const slot = (lane, position) => Math.floor(lane / stride) * row + position * stride + (lane % stride);
  return {lanes, slot, slots: real ? row : n};
}

function toSlots(values, input, context) {
  const [rows, length] = input.shape.length === 1 ? [null, input.shape[0]] : input.shape;
  const flat = Array.from(values).flat();
  if (flat.length !== (rows ?? 1) * length)
    throw new RangeError(`${input.name} has ${flat.length} numbers: need ${input.shape.join(" × ")}`);
  const wrong = flat.find((value) => !(value >= input.low && value <= input.high));
  if (wrong !== undefined)
    throw new RangeError(`${input.name}: ${wrong} is not in ${input.low} … ${input.high}`);
  const {lanes, slot, slots} = places(context.n, input.block, context.real);
  if ((rows ?? 1) > lanes) throw new RangeError(`${input.name}: at most ${lanes} rows fit one ciphertext here`);
  const filled = context.real ? new Float64Array(slots) : new BigInt64Array(slots);
  for (let lane = 0; lane < (rows ?? lanes); ++lane)
    for (let position = 0; position < length; ++position) {
      const value = flat[(rows === null ? 0 : lane * length) + position];
      filled[slot(lane, position)] = context.real ? value : BigInt(Math.round(value * input.scale));
    }
  return filled;
}

function fromSlots(slots, header, context) {
  const {lanes, slot} = places(context.n, header.block, context.real);
  const rows = header.rows ?? 1, length = header.length ?? 1, values = [];
  if (rows > lanes) throw new RemoteError(`the answer has ${rows} rows, and one ciphertext holds ${lanes}`);
  if (typeof header.scale !== "number") throw new RemoteError("the answer has a scale for each column");
  for (let row = 0; row < rows; ++row)
    for (let position = 0; position < length; ++position)
      values.push(Number(slots[slot(row, position)]) / header.scale);
  const shape = [header.rows, header.length].filter((size) => size !== null);
  return {shape, values};
}
