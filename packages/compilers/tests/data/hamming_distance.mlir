// SPDX-License-Identifier: Apache-2.0
func.func @hamming_distance(%a: tensor<16xi16> {secret.secret}, %b: tensor<16xi16> {secret.secret}) -> i16 {
  %c0 = arith.constant 0 : i16
  %d = arith.subi %a, %b : tensor<16xi16>
  %count = affine.for %i = 0 to 16 iter_args(%sum = %c0) -> i16 {
    %x = tensor.extract %d[%i] : tensor<16xi16>
    %square = arith.muli %x, %x : i16
    %next = arith.addi %sum, %square : i16
    affine.yield %next : i16
  }
  return %count : i16
}
