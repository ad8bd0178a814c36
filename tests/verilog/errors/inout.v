module bus(input drive, input d, inout line, output q);
  assign line = drive ? d : 1'bz;
  assign q = line;
endmodule
