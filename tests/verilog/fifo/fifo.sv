// A queue of eight bytes with valid and ready on both sides, in SystemVerilog; the memory is not reset.
module fifo #(
    parameter int WIDTH = 8,
    parameter int LOG_DEPTH = 3
) (
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 in_valid,
    output logic                 in_ready,
    input  logic [WIDTH-1:0]     in_data,
    output logic                 out_valid,
    input  logic                 out_ready,
    output logic [WIDTH-1:0]     out_data,
    output logic [LOG_DEPTH:0]   level
);
    logic [WIDTH-1:0] memory [1 << LOG_DEPTH];
    logic [LOG_DEPTH:0] head, tail;
    logic push, pop;
    wire [LOG_DEPTH-1:0] first = head[LOG_DEPTH-1:0];

    assign in_ready = !level[LOG_DEPTH];

    always_comb begin
        level = tail - head;
        out_valid = level != '0;
        push = in_valid && in_ready;
        pop = out_valid && out_ready;
        out_data = out_valid ? memory[first] : '0;
    end

    always_ff @(posedge clk) begin
        if (push) memory[tail[LOG_DEPTH-1:0]] <= in_data;
        if (rst) begin
            head <= '0;
            tail <= '0;
        end else begin
            head <= head + {{LOG_DEPTH{1'b0}}, pop};
            tail <= tail + {{LOG_DEPTH{1'b0}}, push};
        end
    end
endmodule
