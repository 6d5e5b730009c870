// SPDX-License-Identifier: Apache-2.0
// The page: reads numbers, encrypts them, sends, decrypts, and shows what went where.

import {RemoteError, open} from "./remote.js";

const CIRCUIT = "patient_risk";
const SHOWN_BYTES = 24;
const find = (id) => document.getElementById(id);
const count = (number) => number.toLocaleString("en");

let nttforge, model, session, setup;

function said(text) {
  find("state").textContent = text;
}

function missing(text) {
  find("missing").hidden = false;
  find("missing").textContent = text;
}

/// Standardised numbers as the integers that the circuit takes.
function quantised(features) {
  return features.map((value, i) => {
    const z = ((value - model.mean[i]) / model.deviation[i]) * (model.limit / model.clip);
    return Math.max(-model.limit, Math.min(model.limit, Math.round(z))) || 0;
  });
}

function fields() {
  return [...find("fields").querySelectorAll("input")];
}

function fill(values) {
  fields().forEach((field, i) => {
    field.value = values[i];
  });
}

/// A row of thirty numbers, or a header of names and one row below it; an Error that says what is wrong.
export function readCsv(text, names) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean)
    .map((line) => line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")));
  if (lines.length === 0) throw new Error("the file is empty: need thirty numbers");
  const header = lines[0].some((cell) => cell !== "" && Number.isNaN(Number(cell)));
  if (header && lines.length < 2) throw new Error("the file has names and no numbers below them");
  const plain = (name) => name.toLowerCase().replaceAll(" ", "_");
  const columns = header ? lines[0].map(plain) : names;
  const cells = lines[header ? 1 : 0];
  const values = names.map((name) => {
    const at = columns.indexOf(name);
    const cell = at < 0 ? undefined : cells[at];
    if (cell === undefined || cell === "") throw new Error(`the file has no number for ${name.replaceAll("_", " ")}`);
    const value = Number(cell);
    if (!Number.isFinite(value)) throw new Error(`${name.replaceAll("_", " ")} is '${cell}', which is no number`);
    return value;
  });
  if (!header && cells.length !== names.length)
    throw new Error(`the file has ${cells.length} numbers: need ${names.length}`);
  return values;
}

async function take(file) {
  try {
    fill(readCsv(await file.text(), model.names));
    said(`${file.name} was read here; nothing was sent`);
  } catch (error) {
    said(error.message);
  }
}

/// A row of what left: name, bytes, time, some bytes.
function row(name, bytes, milliseconds) {
  const cells = [name, count(bytes.length), milliseconds === undefined ? "" : milliseconds.toFixed(1)];
  const line = document.createElement("tr");
  cells.forEach((text, i) => {
    const cell = document.createElement("td");
    cell.className = i > 0 ? "number" : "";
    cell.textContent = text;
    line.append(cell);
  });
  const hex = document.createElement("code");
  const middle = bytes.subarray(bytes.length >> 1, (bytes.length >> 1) + SHOWN_BYTES);
  hex.textContent = `… ${[...middle].map((byte) => byte.toString(16).padStart(2, "0")).join(" ")} …`;
  const last = document.createElement("td");
  last.append(hex);
  line.append(last);
  return line;
}

function bar(name, bits, most) {
  const line = document.createElement("li");
  const text = document.createElement("span");
  text.textContent = `${name}: ${bits.toFixed(0)} bits`;
  const track = document.createElement("span");
  track.className = "track";
  track.innerHTML = '<svg aria-hidden="true" preserveAspectRatio="none"><rect height="16" fill="#2563a8"></rect></svg>';
  track.querySelector("rect").setAttribute("width", `${Math.max(0.5, (100 * bits) / most)}%`);
  line.append(text, track);
  return line;
}

async function score(event) {
  event.preventDefault();
  find("go").disabled = true;
  try {
    const x = quantised(fields().map((field) => Number(field.value)));
    const began = performance.now();
    if (session === undefined) {
      said("making keys in this page");
      await new Promise((done) => setTimeout(done));  // so that the words are seen
      setup = {};
      session = await open(nttforge, "", CIRCUIT, (what, ms, bytes) => {
        setup[what] = {ms, bytes};
      });
    }
    said("encrypting in this page");
    const start = performance.now();
    const request = session.encrypt({x});
    const sending = performance.now();
    said("the server computes on what it cannot read");
    const answer = await session.send(request);
    const back = performance.now();
    const [s, refined] = session.decrypt(answer);
    const end = performance.now();
    show({x, request, s, refined, answer, total: end - began, encrypt: sending - start, wait: back - sending,
      decrypt: end - back});
    said(`done in ${(end - began).toFixed(0)} ms`);
  } catch (error) {
    if (error instanceof RemoteError && error.code === "unknown_session") session = undefined;
    said(`${error.message}. Press the button to try again.`);
  } finally {
    find("go").disabled = false;
  }
}

function show(run) {
  const probability = Math.max(0, Math.min(1, run.refined.values[0] / model.refined_scale));
  find("probability").textContent = `${(100 * probability).toFixed(0)} %`;
  find("words").textContent = run.s.values[0] > 0
    ? "estimated probability of a malignant sample: the model says malignant"
    : "estimated probability of a malignant sample: the model says benign";
  find("compared").textContent = `Score s = ${count(run.s.values[0])}, an integer, exact. Encrypted in ` +
    `${run.encrypt.toFixed(1)} ms, ${run.wait.toFixed(1)} ms until the server's answer was here, decrypted in ` +
    `${run.decrypt.toFixed(1)} ms; all in all ${run.total.toFixed(0)} ms. It demonstrates a computation, not medicine.`;
  const rows = [row("encrypted numbers", run.request, run.encrypt)];
  if (setup.upload !== undefined) rows.unshift(row("evaluation keys, once", setup.upload.bytes, setup.keys.ms));
  rows.push(row("came back: encrypted scores", run.answer, run.decrypt));
  find("sent").replaceChildren(...rows);
  const fresh = freshBudget(run.x);
  const steps = [["encrypted here", fresh], ["score s, after the server", run.s.budget],
    ["probability, after the server", run.refined.budget]];
  find("bars").replaceChildren(...steps.map(([name, bits]) => bar(name, bits, fresh)));
  for (const id of ["result", "left", "noisy"]) find(id).hidden = false;
  find("score").focus();
}

/// What a ciphertext has before anything is computed with it.
function freshBudget(x) {
  const ciphertext = session.keys.secret.encrypt(Int32Array.from(x));
  const bits = session.keys.secret.noiseBudget(ciphertext);
  ciphertext.free();
  return bits;
}

function build() {
  find("fields").replaceChildren(...model.names.map((name, i) => {
    const label = document.createElement("label");
    label.textContent = name.replaceAll("_", " ");
    const field = document.createElement("input");
    Object.assign(field, {type: "number", step: "any", required: true, name, value: model.examples[0].values[i]});
    label.append(field);
    return label;
  }));
  for (const example of model.examples) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = example.name;
    button.addEventListener("click", () => fill(example.values));
    find("examples").append(button);
  }
  find("file").addEventListener("change", () => find("file").files[0] && take(find("file").files[0]));
  for (const kind of ["dragover", "dragleave", "drop"])
    find("drop").addEventListener(kind, (event) => {
      event.preventDefault();
      find("drop").classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length > 0) take(event.dataTransfer.files[0]);
    });
  find("form").addEventListener("submit", score);
}

async function begin() {
  const answer = await fetch("model.json", {cache: "no-store"});
  if (!answer.ok) {
    missing("This page belongs to a demonstration: start it with 'nttforge demo --web'.");
    return;
  }
  model = await answer.json();
  build();
  try {
    nttforge = await import("./nttforge/index.js");
    await nttforge.load();
  } catch (error) {
    missing("The library for WebAssembly is not here, so this page cannot encrypt, and sends nothing. Build it in a " +
      "clone, or give 'nttforge demo --web --npm FOLDER' the folder of the npm package nttforge. " +
      `What happened: ${error.message}`);
    return;
  }
  find("go").disabled = false;
  said("ready: nothing has been sent");
}

if (typeof document !== "undefined") begin();
