// Two bits a cycle on one line: one is sent when the clock rises, the other when it falls, and both are received.
module double_rate (
    input  wire       clk,
    input  wire       rst,
    input  wire [1:0] send,
    output wire       line,
    output reg  [1:0] received
);
    // The line changes at both edges, and no gate sees the clock.
    reg rise, fall, low;
    assign line = rise ^ fall;

    always @(posedge clk) begin
        rise <= rst ? 1'b0 : fall ^ send[0];
        received <= {line, low};
    end

    always @(negedge clk) begin
        fall <= rst ? 1'b0 : rise ^ send[1];
        low <= line;
    end
endmodule
