// flags: --clock fast;slow
module derived(input fast, slow, d, output reg q);
  reg half = 0;
  always @(posedge fast) half <= ~half;
  always @(posedge half) q <= d;
endmodule
