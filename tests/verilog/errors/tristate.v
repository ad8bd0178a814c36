module bus(input a_drives, input b_drives, input a, input b, output q);
  wire line;
  assign line = a_drives ? a : 1'bz;
  assign line = b_drives ? b : 1'bz;
  assign q = line;
endmodule
