module reset_or_clear(input clk, input arst, input flush, d, output reg q);
  always @(posedge clk, posedge arst)
  begin
    if (arst | flush)
      q <= 1'b0;
    else
      q <= d;
  end
endmodule
