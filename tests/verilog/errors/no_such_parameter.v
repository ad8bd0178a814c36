// flags: --param DEPHT=4
module buffer #(parameter DEPTH = 2, WIDTH = 8)(input [WIDTH-1:0] d, output [WIDTH-1:0] q);
  localparam SPARE = 1;
  assign q = d << DEPTH;
endmodule
