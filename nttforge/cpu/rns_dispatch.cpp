#include "nttforge/cpu/conversion_tables.hpp"

namespace nttforge {

const ConversionKernels& conversion_kernels(Target target, bool narrow) {
  require_target(target);
  (void)narrow;
  return cpu::kConversionScalar;
}

}  // namespace nttforge
