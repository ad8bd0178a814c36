(* techmap_celltype = "$alu" *)
module _nakiri_alu(A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  (* force_downto *) input [A_WIDTH-1:0] A;
  (* force_downto *) input [B_WIDTH-1:0] B;
  input CI, BI;
  (* force_downto *) output [Y_WIDTH-1:0] X, Y, CO;
  wire [Y_WIDTH-1:0] a, b;
  \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) wide_a (.A(A), .Y(a));
  \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) wide_b (.A(B), .Y(b));
  wire [Y_WIDTH-1:0] c = b ^ {Y_WIDTH{BI}};
  assign X = a ^ c;
  assign Y = X ^ {CO, CI};
  genvar i;
  generate
    for (i = 0; i < Y_WIDTH; i = i + 1) begin : carry
      if (i == 0) assign CO[0] = a[0] & c[0] | X[0] & CI;
      else assign CO[i] = a[i] & c[i] | X[i] & CO[i-1];
    end
  endgenerate
endmodule
