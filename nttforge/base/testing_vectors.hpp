#pragma once

// Reads the oracle's vectors, tests/vectors/*.json (python/nttforge/spec). Not installed.

#include <fstream>
#include <iterator>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/json.hpp"

namespace nttforge::testing {

inline Json load_vectors(const std::string& name) {
  const std::string path = std::string(NTTFORGE_VECTORS) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read " + path);
  return Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace nttforge::testing
