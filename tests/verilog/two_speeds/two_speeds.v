// A sum that grows at each edge of a fast clock, a slow clock that takes it and says how much it grew, and back to the fast
// one. The reset comes at once and goes with the fast clock, for both.
module two_speeds (
    input  wire       fast,
    input  wire       slow,
    input  wire       rst_n,
    input  wire [7:0] step,
    output reg  [7:0] sum,
    output reg  [7:0] taken,
    output reg  [7:0] growth,
    output reg  [7:0] late
);
    reg [1:0] running;
    wire released = running[1];

    always @(posedge fast or negedge rst_n)
        if (!rst_n) running <= 2'b00;
        else running <= {running[0], 1'b1};

    always @(posedge fast or negedge released)
        if (!released) begin
            sum  <= 8'h05;
            late <= 8'h00;
        end else begin
            sum  <= sum + step;
            late <= taken;
        end

    always @(posedge slow or negedge released)
        if (!released) begin
            taken  <= 8'h00;
            growth <= 8'h00;
        end else begin
            taken  <= sum;
            growth <= sum - taken;
        end
endmodule
