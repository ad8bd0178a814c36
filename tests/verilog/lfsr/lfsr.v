// A Fibonacci shift register of 16 bits (taps 16, 14, 13, 11: period 65535) with asynchronous reset, active low.
module lfsr (
    input  wire        clk,
    input  wire        rst_n,
    input  wire        enable,
    output reg  [15:0] state
);
    wire tap = state[0] ^ state[2] ^ state[3] ^ state[5];

    always @(posedge clk or negedge rst_n)
        if (!rst_n) state <= 16'hace1;
        else if (enable) state <= {tap, state[15:1]};
endmodule
