// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/testing_vectors.hpp"

#include <fstream>
#include <iterator>

#include "nttforge/base/error.hpp"

namespace nttforge::testing {

Json load_vectors(const std::string& name) {
  const std::string path = std::string(NTTFORGE_VECTORS) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read " + path);
  return Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace nttforge::testing
