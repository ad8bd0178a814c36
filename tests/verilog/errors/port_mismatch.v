module inner(input a, output y);
  assign y = ~a;
endmodule
module outer(input a, output y);
  inner i(.a(a), .z(y));
endmodule
