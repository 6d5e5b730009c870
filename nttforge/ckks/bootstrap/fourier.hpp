// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nttforge/ckks/linear_transform.hpp"

namespace nttforge::ckks {

/// The transform of messages of so many slots as matrices, decimated in time: slot i of the first operand
/// holds coefficient j and, times i, j + slots of the polynomial (embedding/embedding.hpp), j the
/// bit-reversed i. Each of log2(slots) layers has three diagonals or two; `layers` says how many layers are
/// one matrix, in order of their application, and adds up to log2(slots) [CHKKS18], [CCS19]. throws
/// ParameterError.
std::vector<Diagonals> coefficients_to_slots(std::size_t slots, std::span<const std::size_t> layers);
std::vector<Diagonals> slots_to_coefficients(std::size_t slots, std::span<const std::size_t> layers);

/// `count` layers as even as possible that add up to `total`.
std::vector<std::size_t> split_layers(std::size_t total, std::size_t count);

}  // namespace nttforge::ckks
