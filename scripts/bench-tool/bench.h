/// The measuring program of scripts/bench: the same work in any directory, and one table of what was measured.
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

/// What a piece of work needs in the directory that it runs in, made by `prepare`.
struct plan {
  /// The directory: a mount's root, or a plain directory.
  const char *directory;
  /// How long a loop runs.
  double seconds;
  /// How many files the trees hold, in hundredths of their full size.
  int scale;
};

/// What one run of a piece of work gave.
struct result {
  /// Microseconds or milliseconds for each operation.
  double value;
  /// How many operations that was; requests are shown for one.
  double operations;
};

/// From here on requests count as the work's: what it needs first is done.
void count_from_here(const struct plan *plan);

/// One piece of work.
struct work {
  const char *name;
  const char *unit;
  struct result (*run)(const struct plan *plan);
  /// Whether it only runs when everything is asked for.
  bool thorough;
};

extern const struct work all_works[];

/// Makes the files that the works use. Run in the backing directory, then with `attributes` through the mount.
void prepare(const struct plan *plan, bool attributes);

/// Prints the table of the lines that `measure run` printed, as Markdown.
int report(const char *path);

/// Seconds on a clock that only goes forward.
double now(void);
/// Ends the program with a message about errno.
void fail(const char *what) __attribute__((noreturn));

#endif
