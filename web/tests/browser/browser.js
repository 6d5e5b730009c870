// SPDX-License-Identifier: Apache-2.0
// A headless Chromium by its protocol on two pipes, and a server of this folder's files: no package beside the
// browser itself.
import {spawn} from "node:child_process";
import {readFile} from "node:fs/promises";
import {createServer} from "node:http";

const TYPES = {html: "text/html", js: "text/javascript", wasm: "application/wasm", bin: "application/octet-stream"};

/// Serves `files`, from the path in an address to a file's URL.
export async function serve(files) {
  const server = createServer(async (request, response) => {
    try {
      const url = files(new URL(request.url, "http://localhost").pathname);
      response.setHeader("Content-Type", TYPES[url.pathname.split(".").pop()] ?? "text/plain");
      response.setHeader("Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
      response.end(await readFile(url));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {address: `http://127.0.0.1:${server.address().port}`, close: () => server.close()};
}

/// Calls of the protocol: send(method, parameters, session).
export function launch(program, profile) {
  const words = ["--headless=shell", "--no-sandbox", "--disable-gpu", "--no-zygote", "--remote-debugging-pipe",
    `--user-data-dir=${profile}`, "about:blank"];
  const child = spawn(program, words, {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
  const waiting = new Map();
  let number = 0, rest = "";
  child.stdio[4].setEncoding("utf8");
  child.stdio[4].on("data", (text) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop();
    for (const {id, result, error} of parts.map((part) => JSON.parse(part))) {
      const [resolve, reject] = waiting.get(id) ?? [];
      if (error) reject?.(new Error(error.message));
      else resolve?.(result);
      waiting.delete(id);
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++number, [resolve, reject]);
    child.stdio[3].write(`${JSON.stringify({id: number, method, params, sessionId})}\0`);
  });
  return {send, close: () => child.kill()};
}

/// What `expression` is on the page once it is no longer undefined.
export async function evaluated(browser, address, expression, patienceMs = 60000) {
  const {targetId} = await browser.send("Target.createTarget", {url: address});
  const {sessionId} = await browser.send("Target.attachToTarget", {targetId, flatten: true});
  for (const end = Date.now() + patienceMs; Date.now() < end;) {
    // While a page loads its context may go in the middle of a call.
    const found = await browser.send("Runtime.evaluate", {expression, returnByValue: true}, sessionId).catch(() => undefined);
    if (found?.result?.value !== undefined) return found.result.value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${address} did not answer '${expression}' within ${patienceMs / 1000} s`);
}
