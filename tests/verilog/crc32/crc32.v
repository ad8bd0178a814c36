// CRC-32 (IEEE 802.3, reflected polynomial edb88320), a byte a tick: the eight steps are a function with a loop.
module crc32 (
    input  wire        clk,
    input  wire        rst,
    input  wire        valid,
    input  wire [7:0]  data,
    output wire [31:0] crc
);
    reg [31:0] remainder;

    function [31:0] next;
        input [31:0] current;
        input [7:0] value;
        integer i;
        begin
            next = current ^ {24'd0, value};
            for (i = 0; i < 8; i = i + 1)
                next = (next >> 1) ^ (next[0] ? 32'hedb88320 : 32'd0);
        end
    endfunction

    assign crc = ~remainder;

    always @(posedge clk)
        if (rst) remainder <= 32'hffffffff;
        else if (valid) remainder <= next(remainder, data);
endmodule
