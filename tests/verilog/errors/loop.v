module loop(input a, input b, output y);
  wire p, q;
  assign p = q & a;
  assign q = p | b;
  assign y = p;
endmodule
