// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/cuda/table/row.hpp"

namespace nttforge::cuda {

template <class List, Where kWhere>
void fill_transforms(CudaKernelRow<typename List::Word>* rows) {
  List::each([&]<class Row>(Row) {
    using Launch = CudaLaunch<typename Row::Word>;
    if constexpr (kWhere == Where::device) {
      rows->forward = [](const Launch& l, void* stream) {
        return Row::template run<kWhere, false>(l, stream);
      };
      rows->inverse = [](const Launch& l, void* stream) {
        return Row::template run<kWhere, true>(l, stream);
      };
    } else {
      rows->forward_on_host = [](const Launch& l) { Row::template run<kWhere, false>(l, nullptr); };
      rows->inverse_on_host = [](const Launch& l) { Row::template run<kWhere, true>(l, nullptr); };
    }
    ++rows;
  });
}

}  // namespace nttforge::cuda
