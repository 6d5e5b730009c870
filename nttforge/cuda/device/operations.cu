// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device/convert.hpp"
#include "nttforge/cuda/device/embedding.hpp"
#include "nttforge/cuda/device/inner_product.hpp"
#include "nttforge/cuda/device/map_images.hpp"
#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/cuda/device/samplers.hpp"
#include "nttforge/cuda/elementwise/enqueue.cuh"

namespace nttforge::cuda {

#define NTTF_INSTANTIATE(...) template int enqueue(const __VA_ARGS__&, void*);
NTTF_DEVICE_OPERATIONS(NTTF_INSTANTIATE)
NTTF_INNER_PRODUCTS(NTTF_INSTANTIATE)
NTTF_MAP_IMAGES(NTTF_INSTANTIATE)
NTTF_EMBEDDINGS(NTTF_INSTANTIATE)

}  // namespace nttforge::cuda
