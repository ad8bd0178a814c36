module testbench;
  reg clk = 0;
  always @(posedge clk) clk <= ~clk;
endmodule
