module waits_for(input clk, input go, output reg q);
  always @(posedge clk) begin
    wait (go);
    q <= ~q;
  end
endmodule
