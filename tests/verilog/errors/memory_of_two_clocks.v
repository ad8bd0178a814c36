// flags: --clock a;b
module two(input a, b, input [1:0] x, y, input [3:0] d, e, output [3:0] q);
  reg [3:0] memory [0:3];
  always @(posedge a) memory[x] <= d;
  always @(posedge b) memory[y] <= e;
  assign q = memory[x];
endmodule
