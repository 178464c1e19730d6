/* Checks of the programs: a failure prints where it is and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <swath.h>

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            fprintf(stderr, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, \
                    #condition, swath_last_error());                                     \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

/* A call that succeeds. */
#define OK(call) CHECK((call) == SWATH_OK)

/* A call that fails with this code, and with a message that contains this text. */
#define FAILS(call, code, text)                            \
    do {                                                   \
        CHECK((call) == (code));                           \
        CHECK(strstr(swath_last_error(), (text)) != NULL); \
    } while (0)

/* Where the program runs: SWATH_LEVEL is the instruction set, SWATH_THREADS the number of threads. */
static inline swath_exec exec_of_environment(void) {
    swath_exec exec;
    const char *threads = getenv("SWATH_THREADS");
    memset(&exec, 0, sizeof exec);
    exec.level = getenv("SWATH_LEVEL");
    exec.threads = threads ? (uint32_t)strtoul(threads, NULL, 10) : 0;
    return exec;
}

/* The generator of bindings/SAME_WORLD.md. */
static inline uint32_t whole(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static inline float positive(uint32_t *state, float parts) {
    return (float)whole(state) / parts;
}

static inline float centered(uint32_t *state, float parts) {
    return ((float)whole(state) - 32768.0f) / parts;
}

#endif
