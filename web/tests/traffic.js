// SPDX-License-Identifier: Apache-2.0
// A server of circuits in this process, a relay before it that keeps every byte, and the search for a secret key in them.
import {readFile} from "node:fs/promises";
import {createServer} from "node:http";
import {connect, createServer as createRelay} from "node:net";
import * as nttforge from "../index.js";
import {joined, parted} from "../../packages/serve/nttforge_serve/page/remote.js";

const TYPES = {html: "text/html", js: "text/javascript", wasm: "application/wasm"};
const N = 4096, BLOCK = 4, STEP = N / 2 / BLOCK;  // from one entry to the next

/// What `nttforge serve` says of a circuit: of four integers, the square of each and the next one.
function described(parameters) {
  return {
    parameters: Buffer.from(parameters.toBytes()).toString("base64"), results: 1,
    keys: {relinearization: true, rotations: [STEP], swap_columns: false},
    inputs: [{name: "x", shape: [BLOCK], low: -100, high: 100, scale: 1, block: BLOCK}],
  };
}

function framed(ciphertext) {
  const header = new TextEncoder().encode(JSON.stringify({rows: null, length: BLOCK, block: BLOCK, scale: 1}));
  const bytes = ciphertext.toBytes(), out = new Uint8Array(20 + header.length + bytes.length);
  out.set(new TextEncoder().encode("NTTFARR1"));
  new DataView(out.buffer).setUint32(8, header.length, true);
  out.set(header, 12);
  out.set(bytes, 20 + header.length);
  return out;
}

/// Answers as `nttforge serve` does; files: from the path in an address to a file's URL.
async function circuits(files) {
  const parameters = nttforge.Parameters.preset("bfv", N), context = new nttforge.Context(parameters);
  let keys;
  const answer = async (method, path, body) => {
    if (path === "/v1/circuits/square") return JSON.stringify(described(parameters));
    if (path === "/v1/sessions") return JSON.stringify({session: "1", token: "t", state: "new"});
    if (path.endsWith("/keys")) keys = context.evaluationKeys(body);
    if (path.endsWith("/evaluate")) {
      const x = context.ciphertext(parted(body, 1)[0].slice());
      return joined([framed(x.multiply(x, keys.relinearization).add(x.rotateRows(STEP, keys.rotations)))]);
    }
    if (method === "GET") return readFile(files(path));
    return "";
  };
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const path = new URL(request.url, "http://localhost").pathname;
    try {
      response.setHeader("content-type", TYPES[files(path)?.pathname.split(".").pop()] ?? "application/json");
      response.setHeader("content-security-policy", "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
      response.end(await answer(request.method, path, new Uint8Array(Buffer.concat(parts))));
    } catch (error) {
      response.writeHead(path.startsWith("/v1/") ? 500 : 404).end(JSON.stringify({error: {message: String(error)}}));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/// The address of a server of circuits, and seen(): all bytes between it and its clients, both ways.
export async function recorded(files = () => undefined) {
  const server = await circuits(files), parts = [];
  const relay = createRelay((client) => {
    const behind = connect(server.address().port, "127.0.0.1");
    for (const [from, to] of [[client, behind], [behind, client]]) {
      from.on("data", (part) => parts.push(part));
      from.on("error", () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise((resolve) => relay.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${relay.address().port}`,
    seen: () => Buffer.concat(parts),
    close: () => {
      relay.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/// The secret's coefficients as the format packs them, two bits each, and as integers of 1, 4 and 8 bytes.
export function formsOf(secretBytes, n) {
  const packed = Buffer.from(secretBytes).subarray(32, 32 + n / 4);
  const values = Array.from({length: n}, (_, i) => ((packed[i >> 2] >> (2 * (i % 4))) & 3) << 30 >> 30);
  return {
    packed,
    int8: Buffer.from(Int8Array.from(values).buffer),
    int32: Buffer.from(Int32Array.from(values).buffer),
    int64: Buffer.from(BigInt64Array.from(values, BigInt).buffer),
  };
}

/// The forms of which a part lies in the data: 96 coefficients, which nothing random has by chance.
export function foundIn(data, forms) {
  const width = {packed: 24, int8: 96, int32: 384, int64: 768};
  return Object.entries(forms).filter(([name, form]) => {
    const size = width[name] ?? form.length;
    for (let at = 0; at + size <= form.length; at += Math.max(size, form.length >> 6))
      if (data.includes(form.subarray(at, at + size))) return true;
    return false;
  }).map(([name]) => name);
}
