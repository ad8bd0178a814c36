//! The program in C that works off random jobs.

use super::alone::Jobs;

/// Its text. A lane is idle at times, waits for words at times, and its registers are taken out, reset and put back; the
/// whole queue moves to another place after some ticks.
pub fn text(name: &str, jobs: &Jobs) -> String {
    let places = |sizes: &[usize]| -> Vec<usize> {
        sizes.iter().scan(0, |end, size| Some(std::mem::replace(end, *end + size))).collect()
    };
    let (ins, outs) = (jobs.input_bytes(), jobs.output_bytes());
    let given = |which: &str| -> String {
        let port = |(at, size): (usize, &usize)| format!(", {which}({at}, {size})");
        places(&ins).into_iter().zip(&ins).map(port).collect()
    };
    let shown: String = places(&outs).iter().map(|at| format!(", out + {at}")).collect();
    let words = WORDS.replace("$given", &given("CHANGED"));
    let words = if jobs.has("valid") { words } else { String::new() };
    let answers = jobs.has("valid") || jobs.has("out-valid");
    let answers = if answers { ANSWERS.replace("$shown", &shown) } else { String::new() };
    TEXT.replace("$words", &words)
        .replace("$answers", &answers)
        .replace("$start", &given("GIVEN"))
        .replace("$shown", &shown)
        .replace("$in", &ins.iter().sum::<usize>().to_string())
        .replace("$out", &outs.iter().sum::<usize>().to_string())
        .replace("$jobs", &jobs.count().to_string())
        .replace("$P", name)
}

const TEXT: &str = r#"#include "$P.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN = $in, OUT = $out, JOBS = $jobs, MOVED = 9 };
#define GIVEN(at, size) of->now + at
#define CHANGED(at, size) memcmp(of->now + at, of->before + at, size) != 0 ? of->now + at : NULL

typedef struct {
    const uint8_t *start, *before, *now;
    unsigned words, given;
} job;

static job jobs[JOBS];

static int chance(uint64_t of) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % of == 0;
}

static void show(size_t number, char kind, const uint8_t *out) {
    printf("%zu %c ", number, kind);
    for (size_t i = 0; i < OUT; i++) printf("%02x", out[i]);
    printf("\n");
}

int main(int count, char **arguments) {
    static uint8_t file[1 << 20];
    $P_queue *queue = malloc(sizeof *queue);
    FILE *from = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!from || !queue || fread(file, 1, sizeof file, from) == sizeof file) return 2;
    fclose(from);
    const uint8_t *at = file;
    for (size_t j = 0; j < JOBS; j++) {
        jobs[j].start = jobs[j].now = at;
        jobs[j].words = at[IN];
        at += IN + 1 + IN * jobs[j].words;
    }
    size_t next = 0, number, lane = 0;
    uint8_t out[OUT], registers[$P_lane_bytes];
    $P_queue_init(queue);
    for (;;) {
        for (const job *of = &jobs[next]; next < JOBS && !chance(4) && $P_queue_start(queue, next$start); of = &jobs[next])
            next++;
$words        lane = (lane + 7) % queue->lanes;
        $P_save_lane(&queue->state, lane, registers);
        $P_reset_lane(&queue->state, lane);
        $P_load_lane(&queue->state, lane, registers);
        if (!$P_queue_tick(queue) && next == JOBS) break;
$answers        while ($P_queue_done(queue, &number$shown)) show(number, 'D', out);
        if (queue->ticks == MOVED) {
            $P_queue *other = malloc(sizeof *other);
            if (!other) return 2;
            *other = *queue;
            $P_queue_wipe(queue);
            free(queue);
            queue = other;
        }
    }
    free(queue);
    return 0;
}
"#;

const WORDS: &str = r#"        for (size_t asked; $P_queue_wants(queue, &number, &asked);) {
            job *of = &jobs[number];
            if (chance(4)) continue;
            of->before = of->now;
            of->now = of->start + IN + 1 + IN * of->given++;
            if (!$P_queue_word(queue, asked, of->given == of->words$given)) return 3;
        }
"#;

const ANSWERS: &str = r#"        while ($P_queue_answer(queue, &number$shown)) show(number, 'A', out);
"#;
