module recursive(input clk, input [3:0] n, output reg [3:0] y);
  function automatic [3:0] halve(input [3:0] left);
    if (left == 0) halve = 0;
    else halve = 1 + half_again(left >> 1);
  endfunction
  function automatic [3:0] half_again(input [3:0] left);
    half_again = halve(left);
  endfunction
  always @(posedge clk) y <= halve(n);
endmodule
