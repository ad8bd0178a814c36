// flags: --clock fast;!slow;!none;none
module two_speeds(input fast, slow, d, output reg q);
  reg r;
  always @(posedge fast) r <= d;
  always @(posedge slow) q <= r;
endmodule
