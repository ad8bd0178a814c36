//! What `nakiri explain` says about each error code of runs.

/// Each code with a paragraph on its cause and the way out.
pub const CODES: &[(&str, &str)] = &[
    (
        "E0530",
        "The schedule of a run can't be read. It has phases, one after another, in which inputs are what they are set to, in \
         every lane the same; what is not set again stays as it is:

    --run 'start=1; start=0 until done'

A phase is one tick, or `for 12` ticks, or lasts `until` the first tick in which an output is all ones. Numbers are like \
         10, 0xa or 0b1010. Inputs that no phase sets are data, held all the time and other ones in each lane; an input \
         that has other data in each phase is set to names:

    --run 'load=1, in=left; in=right; load=0 until done -> out; for 1 -> out=second'

`->` takes outputs in the last tick of a phase, under their own or another name. Without one the results are the outputs \
         of the last tick that depend on data. `const key;` before the phases says that `key` is the same in all lanes.",
    ),
    (
        "E0531",
        "A schedule names something that is no port of the program, sets an input twice in one phase, gives two things one \
         name, or sets an input only from a later phase on. `nakiri check` lists the inputs and outputs. With `--reset rst` \
         the reset is no input: a run begins after it.",
    ),
    (
        "E0532",
        "A schedule sets an input to a number that it has not enough bits for.",
    ),
    (
        "E0533",
        "The end of a run has to be known when it is compiled, because all lanes do the same number of ticks. Here the output \
         that it waits for is computed from data; the message says through which registers. An input that is the same in all \
         lanes (a mode, a length) is no data if the schedule sets it:

    --run 'rounds=12, start=1; start=0 until done'

If lanes really end at different ticks, give the number of ticks of the longest, `for 100`, or step the program and \
         look at its output in each lane.",
    ),
    (
        "E0534",
        "A run that doesn't end: all that is known at compile time is what it was some ticks before, and the output that is \
         waited for was not all ones in between; or there are more than 16,384 ticks. Mostly the design waits for an input \
         that the schedule does not give it, or was never started.",
    ),
    (
        "E0535",
        "There is nothing to run: a program without registers, with a word size that is not fixed, or of whose outputs none \
         depends on data in the last tick.",
    ),
    (
        "E0536",
        "`--shared` names inputs that are the same in all lanes, separated by commas, and this is none of the program's. \
         `nakiri check` lists the inputs and outputs. With `--reset rst` the reset is no input: NAME_reset does what it does.",
    ),
    (
        "E0537",
        "There is nothing to share: whatever the inputs that `--shared` names decide, other inputs decide too. A register is \
         the same in all lanes if its next value is computed from inputs that are, and from such registers, alone. So a \
         counter that starts with `load` is data as long as `load` is; name all inputs that are control,

    --shared load,rst

and leave `--shared` out if none is.",
    ),
];
