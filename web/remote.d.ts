// SPDX-License-Identifier: Apache-2.0
/** The client of `nttforge serve`: keys are made here, and the secret one stays here. */

import type * as nttforge from "./index.js";

/** A server that cannot be reached, or what it refused: its status and its own words. */
export class RemoteError extends Error {
  readonly status: number;
  readonly code: string;
}

/** A number, or rows of them: entries of an input of the circuit, in its shape. */
export type Numbers = ArrayLike<number> | readonly ArrayLike<number>[];
export interface Result {
  shape: number[];
  values: number[];
  /** Bits of noise that are left, of integers. */
  budget?: number;
}

export class Session {
  private constructor();
  readonly keys: nttforge.Keys;
  readonly context: nttforge.Context;
  /** Encrypts, asks and decrypts: the numbers of each result. */
  compute(values: Record<string, Numbers>): Promise<number[][]>;
  /** The three steps of compute apart. */
  encrypt(values: Record<string, Numbers>): Uint8Array;
  send(body: Uint8Array): Promise<Uint8Array>;
  decrypt(answer: Uint8Array): Result[];
  /** Ends the session: the server deletes its keys, and the secret one is wiped here. */
  close(): Promise<void>;
}

/** A session for a circuit of the server at `url`, "" for the page's own; `module` is the loaded package. */
export function open(
  module: typeof nttforge,
  url: string,
  circuit: string,
  told?: (step: "keys" | "upload", milliseconds: number, body?: Uint8Array) => void,
): Promise<Session>;
