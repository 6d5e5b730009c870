// SPDX-License-Identifier: Apache-2.0
func.func @polynomial(%x: tensor<8xi16> {secret.secret}) -> tensor<8xi16> {
  %three = arith.constant dense<3> : tensor<8xi16>
  %steps = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi16>
  %square = arith.muli %x, %x : tensor<8xi16>
  %cube = arith.muli %square, %x : tensor<8xi16>
  %triple = arith.muli %square, %three : tensor<8xi16>
  %difference = arith.subi %cube, %triple : tensor<8xi16>
  %result = arith.subi %difference, %steps : tensor<8xi16>
  return %result : tensor<8xi16>
}
