// SPDX-License-Identifier: Apache-2.0
func.func @matrix_vector(%x: tensor<8xi16> {secret.secret}) -> tensor<8xi16> {
  %w = arith.constant dense<[[0, 2, -3, 1, 0, 3, -3, -3], [0, 1, -3, 3, 1, 0, -3, -1], [1, 1, 2, 2, 2, -3, 3, -3], [-1, 1, -2, -3, 0, -3, 2, -1], [1, -2, -2, 2, -2, 2, -3, -2], [2, -3, 0, -1, 0, 0, 0, 0], [3, -1, 2, 0, 2, -1, 2, -2], [-3, 1, -1, -2, 2, -1, 3, 0]]> : tensor<8x8xi16>
  %b = arith.constant dense<[0, 2, -3, 1, 0, 3, -3, -3]> : tensor<8xi16>
  %y = linalg.matvec ins(%w, %x : tensor<8x8xi16>, tensor<8xi16>) outs(%b : tensor<8xi16>) -> tensor<8xi16>
  return %y : tensor<8xi16>
}
