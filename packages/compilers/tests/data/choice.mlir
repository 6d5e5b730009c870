// SPDX-License-Identifier: Apache-2.0
func.func @choice(%a: i16 {secret.secret}, %b: i16 {secret.secret}, %scale: i16) -> i16 {
  %d = arith.subi %a, %b : i16
  %m = arith.muli %d, %scale : i16
  %r = arith.addi %m, %b : i16
  return %r : i16
}
