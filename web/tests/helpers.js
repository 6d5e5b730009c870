// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from "node:fs";

const root = new URL("../../", import.meta.url);
export const file = (name) => new Uint8Array(readFileSync(new URL(name, root)));
/// JSON whose integers past 2^53 become BigInts.
export function exactJson(name) {
  const text = readFileSync(new URL(name, root), "utf8").replace(/(?<=[[,:\s])-?\d{16,}(?=\s*[,\]}])/g, '"int $&"');
  return JSON.parse(text, (_, value) => typeof value === "string" && value.startsWith("int ") ? BigInt(value.slice(4)) : value);
}
export const hex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
export function fnv1a(words) {
  let h = 0xcbf29ce484222325n;
  for (const word of words) h = ((h ^ word) * 0x100000001b3n) & 0xffffffffffffffffn;
  return h;
}
