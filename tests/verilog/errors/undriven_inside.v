// flags: --top board
module board(input clk, input d, output q);
  part one(.clk(clk), .d(d), .q(q));
endmodule
module part(input clk, input d, output reg q);
  wire never, other;
  wire [1:0] half;
  assign half[0] = d;
  always @(posedge clk) q <= d ^ never ^ (other & half[1]);
endmodule
