// SPDX-License-Identifier: Apache-2.0
// How an NTT core is built, as one parameter: CORE, a vector of BITS bits that every module of a core
// takes and hands on. The constants below are the lowest bits of its fields: a module reads
//   localparam int TILE_A = CORE[nttf_core_pkg::TILE_A+:32];
// Every field but SOURCES has 32 bits. A core reads the fields that its reduction needs, and the others
// are 0. The generator reads the places from this file. CORE is not a struct, because Icarus Verilog 11
// does not take a struct as a parameter.
package nttf_core_pkg;
  // verilator lint_off UNUSEDPARAM
  // A design reads only the fields of its own core.
  localparam int KIND            = 0 * 32;    // 0: Montgomery, 1: Barrett, 2: Solinas
  localparam int DATA_BITS       = 1 * 32;    // of a residue
  localparam int PRODUCT_LATENCY = 2 * 32;    // cycles of nttf_product
  localparam int INPUT_REGS      = 3 * 32;    // in front of the tiles of the full product
  localparam int SUM_REGS        = 4 * 32;    // in the adder tree of a full product
  localparam int ADD_REGS        = 5 * 32;    // between the sum and the correction of modular additions
  localparam int REDUCTION_REGS  = 6 * 32;    // in front of the products of a reduction
  localparam int TILE_A          = 7 * 32;    // bits of a multiplier block's factors
  localparam int TILE_B          = 8 * 32;
  localparam int LUT_BITS        = 9 * 32;    // left-over bits of a factor that go to LUTs, at most
  localparam int DIGIT_BITS      = 10 * 32;   // Montgomery: of a digit
  localparam int STEPS           = 11 * 32;   // Montgomery: digits
  localparam int TWO_ADICITY     = 12 * 32;   // Montgomery: 2^TWO_ADICITY divides q - 1
  localparam int I               = 13 * 32;   // Solinas: q = 2^I + SIGN_J 2^J + SIGN_0
  localparam int J               = 14 * 32;
  localparam int SIGN_J          = 15 * 32;
  localparam int SIGN_0          = 16 * 32;
  localparam int TREE_REGS       = 17 * 32;   // Solinas: in the adder tree of the operands
  localparam int OPERANDS        = 18 * 32;   // Solinas: rows of the weight matrix
  localparam int SIGNS           = 19 * 32;   // Solinas: bit k is 1 where operand k is subtracted
  localparam int MOVING          = 20 * 32;   // 1: q, its constant and the direction come with each word
  localparam int PRODUCT_REGS    = 21 * 32;   // behind the product of each tile
  localparam int CARRY_BITS      = 22 * 32;   // longest sum that is not cut into parts (nttf_sum); 0: none is
  localparam int SOURCES         = 23 * 32;   // Solinas: 7 bits for each bit of each operand
  localparam int BITS            = 464 * 32;  // so that SOURCES has room for 32 operands of 63 bits
  // A Montgomery core of 30 bits, for tools that read a module by itself. Fields from the highest down.
  localparam logic [BITS-1:0] DEFAULT = BITS'({
    32'd0, 32'd0, 32'd0, 32'd0, 32'd1, 32'd2, 32'd1, -32'd1, 32'd18, 32'd30, 32'd13, 32'd2, 32'd15, 32'd2,
    32'd17, 32'd26, 32'd0, 32'd0, 32'd1, 32'd1, 32'd10, 32'd30, 32'd0
  });
  // verilator lint_on UNUSEDPARAM
endpackage
