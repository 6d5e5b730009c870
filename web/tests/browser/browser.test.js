// SPDX-License-Identifier: Apache-2.0
// The package in Chromium, by the page beside this file. NTTFORGE_CHROMIUM names the program.
import assert from "node:assert/strict";
import {mkdtemp, rm} from "node:fs/promises";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {evaluated, launch, serve} from "./browser.js";

const program = process.env.NTTFORGE_CHROMIUM;
const web = new URL("../../", import.meta.url), golden = new URL("../tests/golden/v1/", web);

test("the page in Chromium", {skip: !program && "NTTFORGE_CHROMIUM names no browser"}, async () => {
  const server = await serve((path) => {
    if (path === "/") return new URL("page.html", import.meta.url);
    return path.startsWith("/golden/") ? new URL(path.slice(8), golden) : new URL(path.slice(1), web);
  });
  const profile = await mkdtemp(join(tmpdir(), "nttforge-browser-"));
  const browser = launch(program, profile);
  try {
    const text = await evaluated(browser, server.address,
      "(document.getElementById('told')?.textContent ?? 'running') === 'running' ? undefined : document.getElementById('told').textContent");
    const told = JSON.parse(text);
    assert.equal(told.failed, undefined);
    assert.deepEqual(told.golden, [true, true, true, true, true, true]);
    assert.deepEqual([told.bfv, told.bgv], [[1, 4, 9, 0], [1, 4, 9, 0]]);
    assert.ok(Math.abs(told.ckks + 0.25) < 1e-6);
    assert.equal(told.error, "FormatError");
    console.log(`loaded in ${told.loadMs.toFixed(0)} ms`);
  } finally {
    browser.close();
    server.close();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await rm(profile, {recursive: true, force: true, maxRetries: 5});
  }
});
