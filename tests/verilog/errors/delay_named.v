// A delay that is a parameter, and a macro before it.
`define TICK 5
module late #(parameter WAIT = `TICK) (input clk, input d, output reg q);
  always @(posedge clk) begin : body
    q <= #WAIT d;
  end
  always @(d)
    if (d) #(2 * WAIT) q = 1;
endmodule
