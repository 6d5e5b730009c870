// SPDX-License-Identifier: Apache-2.0
func.func @squarings(%x: tensor<8xf32> {secret.secret}) -> tensor<8xf32> {
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %c = arith.constant dense<0.25> : tensor<8xf32>
  %r = affine.for %i = 0 to 12 iter_args(%y = %x) -> tensor<8xf32> {
    %s = arith.mulf %y, %y : tensor<8xf32>
    %t = arith.mulf %s, %half : tensor<8xf32>
    %u = arith.subf %t, %c : tensor<8xf32>
    affine.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
