// SPDX-License-Identifier: Apache-2.0
// Errors carry the texts of the library in C++ and Python, and their names.

export class NttforgeError extends Error {
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}
export class ParameterError extends NttforgeError {}
export class SizeError extends NttforgeError {}
export class UnsupportedError extends NttforgeError {}
export class ContextError extends NttforgeError {}
export class MissingKeyError extends NttforgeError {}
export class FormatError extends NttforgeError {}
export class NoiseError extends NttforgeError {}
export class PrecisionError extends NttforgeError {}
export class OutOfMemoryError extends NttforgeError {}
export class ArgumentTypeError extends NttforgeError {}

/// As nttforge/wasm/objects.cpp numbers them.
export const ERRORS = [NttforgeError, ParameterError, SizeError, UnsupportedError, ContextError, MissingKeyError,
  FormatError, NoiseError, PrecisionError, OutOfMemoryError, NttforgeError];
