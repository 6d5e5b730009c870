// Words with one write and one read port; out_data shows the word at read_address one cycle later,
// as it was before a write of the same cycle.
module nttf_memory #(
  parameter int WIDTH        = 32,
  parameter int DEPTH        = 16,
  parameter int ADDRESS_BITS = 4
) (
  input  logic                    clk,
  input  logic                    enable,
  input  logic                    write,
  input  logic [ADDRESS_BITS-1:0] write_address,
  input  logic [WIDTH-1:0]        in_data,
  input  logic [ADDRESS_BITS-1:0] read_address,
  output logic [WIDTH-1:0]        out_data
);
  logic [WIDTH-1:0] words[DEPTH];
  always_ff @(posedge clk) begin
    if (enable) begin
      if (write) words[write_address] <= in_data;
      out_data <= words[read_address];
    end
  end
endmodule
