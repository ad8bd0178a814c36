// flags: --top pipe
module unused(input d, output q);
  stage first(.d(d), .q(q));
endmodule
module lane #(parameter W = 1)(input [W-1:0] d, output [W-1:0] q);
  genvar k;
  generate for (k = 0; k < W; k = k + 1) begin : bits
    stage second(.d(d[k]), .q(q[k]));
  end endgenerate
endmodule
module pipe(input [2:0] d, output [2:0] q);
  lane #(.W(3)) only(.d(d), .q(q));
endmodule
