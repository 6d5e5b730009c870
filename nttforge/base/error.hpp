// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace nttforge {

/// Root of everything the library throws but std::bad_alloc. The library never prints, aborts or exits; after
/// an error every argument is as it was before the call. Messages name the field, its value, what is allowed
/// and what to do:
///   "q = 97 does not support n = 64: need q = 1 (mod 128), and 97 = 97 (mod 128); use ntt_primes(64, ...)".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value is mathematically invalid or outside its range.
class ParameterError : public Error {
 public:
  using Error::Error;
};

/// An array has the wrong size, shape or overlap.
class SizeError : public Error {
 public:
  using Error::Error;
};

/// The request makes sense but this build or machine cannot do it.
class UnsupportedError : public Error {
 public:
  using Error::Error;
};

/// Objects of different contexts (or devices) were mixed.
class ContextError : public Error {
 public:
  using Error::Error;
};

/// An evaluation key that the operation needs is not there; the message names it.
class MissingKeyError : public Error {
 public:
  using Error::Error;
};

/// Bytes or text that do not parse: truncated, altered, of another kind or version.
class FormatError : public Error {
 public:
  using Error::Error;
};

}  // namespace nttforge
