// Eight registers of 16 bits as a memory with a write port and two read ports: one asynchronous, one registered.
module regfile (
    input  wire        clk,
    input  wire        rst,
    input  wire        write,
    input  wire [2:0]  write_address,
    input  wire [15:0] write_data,
    input  wire [2:0]  read_address,
    input  wire [2:0]  second_address,
    output wire [15:0] read_data,
    output reg  [15:0] second_data
);
    reg [15:0] memory [0:7];
    integer i;

    initial for (i = 0; i < 8; i = i + 1) memory[i] = 16'h1111 * i;

    assign read_data = memory[read_address];

    always @(posedge clk) begin
        if (write) memory[write_address] <= write_data;
        if (rst) second_data <= 16'h0000;
        else second_data <= memory[second_address];
    end
endmodule
