// A transmitter of eight data bits, no parity, one stop bit. It has no reset: its registers have initial values.
module uart #(parameter DIVIDER = 4) (
    input  wire       clk,
    input  wire       valid,
    input  wire [7:0] data,
    output wire       ready,
    output wire       tx
);
    reg [9:0] frame = 10'h3ff;
    reg [3:0] left = 4'd0;
    reg [1:0] phase = 2'd0;
    wire tick = phase == DIVIDER - 1;

    assign ready = left == 4'd0;
    assign tx = frame[0];

    always @(posedge clk)
        if (ready) begin
            if (valid) begin
                frame <= {1'b1, data, 1'b0};
                left <= 4'd10;
                phase <= 2'd0;
            end
        end else begin
            phase <= tick ? 2'd0 : phase + 2'd1;
            if (tick) begin
                frame <= {1'b1, frame[9:1]};
                left <= left - 4'd1;
            end
        end
endmodule
