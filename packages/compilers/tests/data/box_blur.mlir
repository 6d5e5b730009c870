// SPDX-License-Identifier: Apache-2.0
func.func @box_blur(%image: tensor<64xi16> {secret.secret}) -> tensor<64xi16> {
  %c64 = arith.constant 64 : index
  %c8 = arith.constant 8 : index
  %all = affine.for %x = 0 to 8 iter_args(%rows = %image) -> (tensor<64xi16>) {
    %row = affine.for %y = 0 to 8 iter_args(%pixels = %rows) -> (tensor<64xi16>) {
      %none = arith.constant 0 : i16
      %sum = affine.for %j = -1 to 2 iter_args(%outer = %none) -> (i16) {
        %part = affine.for %i = -1 to 2 iter_args(%inner = %outer) -> (i16) {
          %p = arith.addi %x, %i : index
          %q = arith.muli %p, %c8 : index
          %r = arith.addi %y, %j : index
          %s = arith.addi %q, %r : index
          %t = arith.remui %s, %c64 : index
          %pixel = tensor.extract %image[%t] : tensor<64xi16>
          %more = arith.addi %inner, %pixel : i16
          affine.yield %more : i16
        }
        affine.yield %part : i16
      }
      %u = arith.muli %c8, %x : index
      %v = arith.addi %u, %y : index
      %next = tensor.insert %sum into %pixels[%v] : tensor<64xi16>
      affine.yield %next : tensor<64xi16>
    }
    affine.yield %row : tensor<64xi16>
  }
  return %all : tensor<64xi16>
}
