module both(input clk, input d, output reg q, r);
  always @(posedge clk)
    fork
      q <= d;
      r <= ~d;
    join
endmodule
