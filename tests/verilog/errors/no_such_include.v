`include "parameters.vh"
module m(input a, output y);
  assign y = ~a;
endmodule
