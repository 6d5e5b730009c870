// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/testing_vectors.hpp"

#include <fstream>
#include <iterator>

#include "nttforge/base/error.hpp"

namespace nttforge::testing {

Json load_vectors(const std::string& name) {
  for (const std::string folder : {NTTFORGE_VECTORS, NTTFORGE_MADE_VECTORS}) {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    if (file) return Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  throw Error(name + " is neither in " NTTFORGE_VECTORS " nor in " NTTFORGE_MADE_VECTORS);
}

}  // namespace nttforge::testing
