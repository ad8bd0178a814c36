// A receiver of pulse-coded symbols: a state machine given as a case table, whose outputs depend on state and input.
// A one is `110`, a zero is `10`, a frame ends with `0`; anything else is an error until the reset.
module handshake (
    input  wire       clk,
    input  wire       rst,
    input  wire       valid,
    input  wire       line,
    output reg        symbol,
    output reg        strobe,
    output reg        frame_end,
    output wire       error,
    output reg  [3:0] symbols
);
    localparam IDLE = 3'd0, FIRST = 3'd1, SECOND = 3'd2, ERROR = 3'd7;
    reg [2:0] state, next;

    always @* begin
        next = state;
        symbol = 1'b0;
        strobe = 1'b0;
        frame_end = 1'b0;
        casez ({valid, state, line})
            {1'b0, 3'b???, 1'b?}: ;
            {1'b1, IDLE, 1'b0}: frame_end = 1'b1;
            {1'b1, IDLE, 1'b1}: next = FIRST;
            {1'b1, FIRST, 1'b0}: begin
                strobe = 1'b1;
                next = IDLE;
            end
            {1'b1, FIRST, 1'b1}: next = SECOND;
            {1'b1, SECOND, 1'b0}: begin
                strobe = 1'b1;
                symbol = 1'b1;
                next = IDLE;
            end
            default: next = ERROR;
        endcase
    end

    assign error = state == ERROR;

    always @(posedge clk)
        if (rst) begin
            state <= IDLE;
            symbols <= 4'd0;
        end else begin
            state <= next;
            if (frame_end) symbols <= 4'd0;
            else if (strobe && symbols != 4'hf) symbols <= symbols + 4'd1;
        end
endmodule
