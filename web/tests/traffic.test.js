// SPDX-License-Identifier: Apache-2.0
// Nothing that leaves the client has a byte of the secret key: all that goes over the wire is kept and searched.
import assert from "node:assert/strict";
import {test} from "node:test";
import * as nttforge from "../index.js";
import {open} from "../../packages/serve/nttforge_serve/page/remote.js";
import {formsOf, foundIn, recorded} from "./traffic.js";

await nttforge.load();

test("no byte of the secret key travels", async () => {
  const server = await recorded();
  try {
    const session = await open(nttforge, server.address, "square");
    assert.deepEqual(await session.compute({x: [1, -2, 30, 4]}), [[-1, 34, 904, 17]]);
    const forms = formsOf(session.keys.secret.toBytes(), 4096);
    await session.close();
    const seen = server.seen();
    assert.ok(seen.length > 300_000, "the relay saw nothing");
    assert.deepEqual(foundIn(seen, forms), []);
    for (const [name, form] of Object.entries(forms))  // the search finds what it looks for
      assert.deepEqual(foundIn(Buffer.concat([seen.subarray(0, 1000), form]), {[name]: form}), [name]);
    const plain = Buffer.from(Int32Array.of(1, -2, 30, 4).buffer);
    assert.ok(!seen.includes(plain) && !seen.includes(Buffer.from(BigInt64Array.of(1n, -2n, 30n, 4n).buffer)));
  } finally {
    server.close();
  }
});

test("a server that is gone, or answers nonsense, is an error of the client", async () => {
  const server = await recorded();
  const session = await open(nttforge, server.address, "square");
  await assert.rejects(session.send(new Uint8Array(9)), {name: "RemoteError", status: 500});
  assert.throws(() => session.decrypt(new Uint8Array(100)), {name: "RemoteError"});
  server.close();
  await assert.rejects(session.compute({x: [1, 2, 3, 4]}), {name: "RemoteError", message: /cannot be reached/});
});
