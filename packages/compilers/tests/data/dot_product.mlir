// SPDX-License-Identifier: Apache-2.0
func.func @dot_product(%a: tensor<8xi16> {secret.secret}, %b: tensor<8xi16> {secret.secret}) -> i16 {
  %zero = arith.constant dense<0> : tensor<i16>
  %sum = linalg.dot ins(%a, %b : tensor<8xi16>, tensor<8xi16>) outs(%zero : tensor<i16>) -> tensor<i16>
  %result = tensor.extract %sum[] : tensor<i16>
  return %result : i16
}
