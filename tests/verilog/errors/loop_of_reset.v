module loop(input clk, input d, output reg q);
  wire clear = q & d;
  always @(posedge clk or posedge clear)
    if (clear) q <= 0;
    else q <= d;
endmodule
