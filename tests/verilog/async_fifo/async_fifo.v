// A queue of four bytes between two clocks: a memory that one writes and the other reads, and pointers in Gray code that cross.
module async_fifo (
    input  wire       write_clk,
    input  wire       read_clk,
    input  wire       rst_n,
    input  wire       write,
    input  wire [7:0] write_data,
    input  wire       read,
    output reg  [7:0] read_data,
    output wire       full,
    output wire       empty
);
    reg [7:0] memory [0:3];
    reg [2:0] head, head_gray, head_seen, head_there;
    reg [2:0] tail, tail_gray, tail_seen, tail_there;
    wire [2:0] next_head = head + 3'd1;
    wire [2:0] next_tail = tail + 3'd1;
    integer i;

    initial for (i = 0; i < 4; i = i + 1) memory[i] = 8'h00;

    assign full = head_gray == {~tail_there[2:1], tail_there[0]};
    assign empty = tail_gray == head_there;

    always @(posedge write_clk)
        if (write && !full) memory[head[1:0]] <= write_data;

    always @(posedge write_clk or negedge rst_n)
        if (!rst_n) begin
            {head, head_gray, tail_seen, tail_there} <= 12'd0;
        end else begin
            {tail_there, tail_seen} <= {tail_seen, tail_gray};
            if (write && !full) begin
                head      <= next_head;
                head_gray <= next_head ^ next_head >> 1;
            end
        end

    always @(posedge read_clk or negedge rst_n)
        if (!rst_n) begin
            {tail, tail_gray, head_seen, head_there} <= 12'd0;
            read_data <= 8'h00;
        end else begin
            {head_there, head_seen} <= {head_seen, head_gray};
            if (read && !empty) begin
                read_data <= memory[tail[1:0]];
                tail      <= next_tail;
                tail_gray <= next_tail ^ next_tail >> 1;
            end
        end
endmodule
