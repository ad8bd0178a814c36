module waits(input clk, input d, output reg q);
  always begin
    @(posedge clk);
    q <= d;
  end
endmodule
