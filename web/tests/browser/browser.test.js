// SPDX-License-Identifier: Apache-2.0
// The package in Chromium, by the page beside this file. NTTFORGE_CHROMIUM names the program.
import assert from "node:assert/strict";
import {mkdtemp, rm} from "node:fs/promises";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {formsOf, foundIn, recorded} from "../traffic.js";
import * as nttforge from "../../index.js";
import {evaluated, launch, serve} from "./browser.js";

const program = process.env.NTTFORGE_CHROMIUM;
const web = new URL("../../", import.meta.url), golden = new URL("../tests/golden/v1/", web);

const skip = !program && "NTTFORGE_CHROMIUM names no browser";

/// body(browser) with a headless Chromium of its own.
async function withBrowser(body) {
  const profile = await mkdtemp(join(tmpdir(), "nttforge-browser-"));
  const browser = launch(program, profile);
  try {
    await body(browser);
  } finally {
    browser.close();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await rm(profile, {recursive: true, force: true, maxRetries: 5});
  }
}

const said = (id) => `(document.getElementById('${id}')?.textContent ?? 'running') === 'running'
  ? undefined : document.getElementById('${id}').textContent`;

test("the page in Chromium", {skip}, async () => {
  const server = await serve((path) => {
    if (path === "/") return new URL("page.html", import.meta.url);
    return path.startsWith("/golden/") ? new URL(path.slice(8), golden) : new URL(path.slice(1), web);
  });
  try {
    await withBrowser(async (browser) => {
      const told = JSON.parse(await evaluated(browser, server.address, said("told")));
      assert.equal(told.failed, undefined);
      assert.deepEqual(told.golden, [true, true, true, true, true, true]);
      assert.deepEqual([told.bfv, told.bgv], [[1, 4, 9, 0], [1, 4, 9, 0]]);
      assert.ok(Math.abs(told.ckks + 0.25) < 1e-6);
      assert.equal(told.error, "FormatError");
      console.log(`loaded in ${told.loadMs.toFixed(0)} ms`);
    });
  } finally {
    server.close();
  }
});

test("no byte of a page's secret key leaves it", {skip}, async () => {
  await nttforge.load();
  const page = new URL("../packages/serve/nttforge_serve/page/", web);
  const server = await recorded((path) => {
    if (path === "/") return new URL("client.html", import.meta.url);
    return path === "/remote.js" ? new URL("remote.js", page) : new URL(path.slice(1), web);
  });
  try {
    await withBrowser(async (browser) => {
      const told = JSON.parse(await evaluated(browser, server.address, said("told")));
      assert.equal(told.failed, undefined);
      assert.deepEqual(told.squares, [[-1, 34, 904, 17]]);
      const forms = formsOf(Buffer.from(told.secret, "hex"), 4096), seen = server.seen();
      assert.ok(seen.length > 300_000, "the relay saw nothing");
      assert.deepEqual(foundIn(seen, forms), []);
      assert.deepEqual(foundIn(Buffer.concat([seen, forms.packed]), forms), ["packed"]);
      assert.ok(!seen.includes(told.secret.slice(64, 128)));
    });
  } finally {
    server.close();
  }
});
