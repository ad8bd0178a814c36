module late(input clk, input d, output reg q);
  initial begin
    q = 0;
    #10 q = 1;
  end
  always #5 q = ~q;
endmodule
