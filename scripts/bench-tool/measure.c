#define _GNU_SOURCE
#include "bench.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void fail(const char *what) {
  fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
  exit(1);
}

/// The requests that the daemon of a mount has answered so far, from its status; negative where there is none.
static double requests(const char *directory) {
  static char text[1 << 16];
  ssize_t length = getxattr(directory, "user.bucketfs.status", text, sizeof text - 1);
  if (length < 0) return -1;
  text[length] = 0;
  const char *at = strstr(text, "\"requests\":");
  if (at == NULL) return -1;
  at += strlen("\"requests\":");
  at += strspn(at, " ");
  if (*at != '{') return strtod(at, NULL);
  double sum = 0;
  for (; *at != 0 && *at != '}'; at++)
    if (*at == ':') sum += strtod(at + 1 + strspn(at + 1, " \""), NULL);
  return sum;
}

static double before;

void count_from_here(const struct plan *plan) { before = requests(plan->directory); }

static int run(const char *name, const char *system, const struct plan *plan) {
  for (const struct work *work = all_works; work->name != NULL; work++) {
    if (strcmp(work->name, name) != 0) continue;
    count_from_here(plan);
    struct result result = work->run(plan);
    double after = requests(plan->directory);
    // Reading the status is a request too.
    double each = before < 0 || after < 0 ? -1 : (after - before - 1) / result.operations;
    printf("%s\t%s\t%s\t%.4f\t%.3f\n", work->name, work->unit, system, result.value, each < 0 && before >= 0 ? 0 : each);
    return 0;
  }
  fprintf(stderr, "measure: no work is called %s\n", name);
  return 2;
}

static void look(const char *object) {
  char value[4096];
  struct statx status;
  if (getxattr(object, "user.bucketfs", value, sizeof value) < 0 ||
      statx(AT_FDCWD, object, 0, STATX_BASIC_STATS | STATX_BTIME, &status) != 0)
    fail(object);
}

/// What the library's operations are compared with: the calls of the system that they cannot do without, on `one.html`,
/// on 4,096 objects in turn, or on a file that is given a record each time altered as an update does: ext4 has nothing to
/// do where the value stays.
static int baseline(const char *bucket, const char *kind, double seconds) {
  enum { objects = 4096 };
  static char one[256], beside[256], turn[objects][256];
  char value[4096];
  snprintf(one, sizeof one, "%s/one.html", bucket);
  snprintf(beside, sizeof beside, "%s/beside", bucket);
  for (int i = 0; i < objects; i++) snprintf(turn[i], sizeof turn[i], "%s/turn/%d.html", bucket, i);
  ssize_t length = getxattr(one, "user.bucketfs", value, sizeof value);
  if (length < 1) fail(one);
  bool update = strcmp(kind, "update") == 0, in_turn = strcmp(kind, "turn") == 0;
  int made = update ? open(beside, O_CREAT | O_WRONLY, 0644) : -1;
  if (update && made < 0) fail(beside);
  long steps = 0;
  double start = now(), end = start + seconds, at;
  do {
    for (int i = 0; i < 16; i++, steps++) {
      if (!update) {
        look(in_turn ? turn[steps % objects] : one);
      } else {
        value[0] ^= 1;
        if (setxattr(beside, "user.bucketfs", value, (size_t)length, 0) != 0) fail(beside);
      }
    }
    at = now();
  } while (at < end);
  printf("%.3f\n", (at - start) * 1e6 / (double)steps);
  if (update) close(made), unlink(beside);
  return 0;
}

int main(int count, char **arguments) {
  if (count >= 2 && strcmp(arguments[1], "list") == 0) {
    bool thorough = count > 2 && strcmp(arguments[2], "thorough") == 0;
    for (const struct work *work = all_works; work->name != NULL; work++)
      if (thorough || !work->thorough) puts(work->name);
    return 0;
  }
  if (count == 3 && strcmp(arguments[1], "report") == 0) return report(arguments[2]);
  if (count == 4 && strncmp(arguments[1], "prepare", 7) == 0) {
    struct plan plan = {.directory = arguments[2], .scale = atoi(arguments[3])};
    prepare(&plan, strcmp(arguments[1], "prepare-attributes") == 0);
    return 0;
  }
  if (count == 5 && strcmp(arguments[1], "baseline") == 0) return baseline(arguments[2], arguments[3], atof(arguments[4]));
  if (count == 7 && strcmp(arguments[1], "run") == 0) {
    struct plan plan = {.directory = arguments[4], .seconds = atof(arguments[5]), .scale = atoi(arguments[6])};
    return run(arguments[2], arguments[3], &plan);
  }
  fprintf(stderr, "usage: measure list [thorough]\n"
                  "       measure prepare DIRECTORY SCALE\n"
                  "       measure prepare-attributes DIRECTORY SCALE\n"
                  "       measure run WORK SYSTEM DIRECTORY SECONDS SCALE\n"
                  "       measure baseline BUCKET get|turn|update SECONDS\n"
                  "       measure report FILE\n");
  return 2;
}
