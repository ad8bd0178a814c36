// flags: --top alu
module adder(input a, input b, output y);
  assign y = a + b;
endmodule
module multiplier(input a, input b, output y);
  assign y = a & b;
endmodule
