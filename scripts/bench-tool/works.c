#define _GNU_SOURCE
#include "bench.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char **environ;

/// The path of something in the directory; a few may be in use at a time.
static const char *in(const struct plan *plan, const char *name) {
  static __thread char paths[4][4096];
  static __thread unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", plan->directory, name);
  return path;
}

/// How many of something there are at this scale.
static int scaled(const struct plan *plan, int full) { return full * plan->scale / 100; }

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || write(file, text, strlen(text)) < 0 || close(file) != 0) fail(path);
}

static void make_folder(const char *path) {
  if (mkdir(path, 0755) != 0 && errno != EEXIST) fail(path);
}

/// Runs a program with its output thrown away. Returns the milliseconds that it took.
static double program(const char *const *arguments) {
  double start = now();
  pid_t child = fork();
  if (child == 0) {
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 1);
    execvp(arguments[0], (char *const *)arguments);
    _exit(127);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) fail(arguments[0]);
  if (status != 0) {
    fprintf(stderr, "measure: %s ended with status %d\n", arguments[0], WEXITSTATUS(status));
    exit(1);
  }
  return (now() - start) * 1000;
}
#define PROGRAM(...) program((const char *const[]){__VA_ARGS__, NULL})

/// Keeps a lone client on the CPU where it is: otherwise the scheduler moves it between two idle CPUs, and what is
/// measured is how it does so. The daemons run where they like.
static void stay_here(void) {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET((unsigned)sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);
}

/// Repeats `step` for the time given. Returns the microseconds for each.
#define LOOP(step)                                                                                                     \
  ({                                                                                                                   \
    stay_here();                                                                                                       \
    long count_ = 0;                                                                                                   \
    double start_ = now(), end_ = start_ + plan->seconds, at_;                                                         \
    do {                                                                                                               \
      for (int i_ = 0; i_ < 16; i_++, count_++) { step; }                                                              \
      at_ = now();                                                                                                     \
    } while (at_ < end_);                                                                                              \
    (struct result){(at_ - start_) * 1e6 / (double)count_, (double)count_};                                            \
  })

#define MUST(call)                                                                                                     \
  if ((call) < 0) fail(#call)

// MARK: fixtures

static void tree(const char *top, int files, int per_folder) {
  char path[4096];
  make_folder(top);
  for (int i = 0; i < files; i++) {
    if (i % per_folder == 0) {
      snprintf(path, sizeof path, "%s/%04d", top, i / per_folder);
      make_folder(path);
    }
    snprintf(path, sizeof path, "%s/%04d/file-%06d.txt", top, i / per_folder, i);
    write_file(path, "some small file\n");
  }
}

void prepare(const struct plan *plan, bool attributes) {
  char path[4096], name[64];
  if (attributes) {
    MUST(setxattr(in(plan, "one.html"), "user.contentType", "text/plain", 10, 0));
    for (int i = 0; i < 10; i++) {
      snprintf(name, sizeof name, "user.key-%d", i);
      MUST(setxattr(in(plan, "ten.html"), name, "the value", 9, 0));
    }
    return;
  }
  for (const char *const *file = (const char *const[]){"one.html", "ten.html", "rename-a", NULL}; *file; file++)
    write_file(in(plan, *file), "some small file\n");
  write_file(in(plan, "hundred.html"), "text");
  make_folder(in(plan, "scratch"));
  snprintf(path, sizeof path, "%s", in(plan, "ten-thousand"));
  make_folder(path);
  for (int i = 0; i < scaled(plan, 10000); i++) {
    char file[4200];
    snprintf(file, sizeof file, "%s/file-%06d.txt", path, i);
    write_file(file, "x");
  }
  snprintf(path, sizeof path, "%s", in(plan, "tree"));
  tree(path, scaled(plan, 50000), 100);
  snprintf(path, sizeof path, "%s", in(plan, "small"));
  tree(path, scaled(plan, 20000), 100);
  PROGRAM("tar", "-C", path, "-cf", in(plan, "small.tar"), ".");
  PROGRAM("git", "-C", path, "init", "-q");
  PROGRAM("git", "-C", path, "add", "-A");
  PROGRAM("git", "-C", path, "-c", "user.name=b", "-c", "user.email=b@localhost", "-c", "gc.auto=0", "commit", "-qm", "b");
}

// MARK: one call after the other

static struct result get_attribute(const struct plan *plan) {
  const char *path = in(plan, "one.html");
  char value[256];
  return LOOP(MUST(getxattr(path, "user.contentType", value, sizeof value)));
}

static struct result set_attribute(const struct plan *plan) {
  const char *path = in(plan, "one.html");
  return LOOP(MUST(setxattr(path, "user.contentType", "text/plain", 10, 0)));
}

static struct result list_attributes(const struct plan *plan) {
  const char *path = in(plan, "one.html");
  char names[1024];
  return LOOP(MUST(listxattr(path, names, sizeof names)));
}

/// What getfattr does for ten: the list, then each value with a probe before it.
static void dump(const char *path) {
  char names[4096], value[256];
  MUST(llistxattr(path, NULL, 0));
  ssize_t length = llistxattr(path, names, sizeof names);
  MUST(length);
  for (char *name = names; name < names + length; name += strlen(name) + 1) {
    MUST(lgetxattr(path, name, NULL, 0));
    MUST(lgetxattr(path, name, value, sizeof value));
  }
}

static struct result dump_attributes(const struct plan *plan) {
  const char *path = in(plan, "ten.html");
  return LOOP(dump(path));
}

static struct result status_warm(const struct plan *plan) {
  const char *path = in(plan, "one.html");
  struct stat status;
  return LOOP(MUST(stat(path, &status)));
}

/// The kernel forgets names and attributes first: root only.
static void forget_names(void) {
  int file = open("/proc/sys/vm/drop_caches", O_WRONLY);
  if (file < 0 || write(file, "2", 1) != 1) fail("drop_caches");
  close(file);
}

static struct result status_cold(const struct plan *plan) {
  char path[4096];
  struct stat status;
  int count = scaled(plan, 10000);
  forget_names();
  double start = now();
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/ten-thousand/file-%06d.txt", plan->directory, i);
    MUST(stat(path, &status));
  }
  return (struct result){(now() - start) * 1e6 / count, count};
}

static void read_once(const char *path) {
  char text[4096];
  int file = open(path, O_RDONLY);
  MUST(file);
  MUST(read(file, text, sizeof text));
  MUST(close(file));
}

static struct result open_read_close(const struct plan *plan) {
  const char *path = in(plan, "one.html");
  return LOOP(read_once(path));
}

static void create_once(const char *path) {
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
  MUST(file);
  MUST(write(file, "some small file\n", 16));
  MUST(close(file));
  MUST(unlink(path));
}

static struct result create_write_unlink(const struct plan *plan) {
  const char *path = in(plan, "scratch/new.txt");
  return LOOP(create_once(path));
}

static struct result rename_file(const struct plan *plan) {
  const char *one = in(plan, "rename-a"), *two = in(plan, "rename-b");
  unlink(two);
  write_file(one, "x");
  struct result result = LOOP(MUST(rename(one, two)); MUST(rename(two, one)));
  return (struct result){result.value / 2, result.operations * 2};
}

// MARK: listings and tools

static struct result list_folder(const struct plan *plan) {
  int rounds = 0;
  double start = now(), end = start + plan->seconds;
  do {
    DIR *folder = opendir(in(plan, "ten-thousand"));
    if (folder == NULL) fail("opendir");
    while (readdir(folder) != NULL) continue;
    closedir(folder);
    rounds++;
  } while (now() < end);
  return (struct result){(now() - start) * 1e3 / rounds, rounds};
}

static struct result ls(const struct plan *plan) {
  return (struct result){PROGRAM("ls", "-l", in(plan, "ten-thousand")), 1};
}

static struct result ls_again(const struct plan *plan) {
  PROGRAM("ls", "-l", in(plan, "ten-thousand"));
  count_from_here(plan);
  return (struct result){PROGRAM("ls", "-l", in(plan, "ten-thousand")), 1};
}

static struct result find(const struct plan *plan) {
  return (struct result){PROGRAM("find", in(plan, "tree"), "-name", "nothing"), 1};
}

static struct result find_again(const struct plan *plan) {
  PROGRAM("find", in(plan, "tree"), "-name", "nothing");
  count_from_here(plan);
  return (struct result){PROGRAM("find", in(plan, "tree"), "-name", "nothing"), 1};
}

static struct result find_with_status(const struct plan *plan) {
  return (struct result){PROGRAM("find", in(plan, "tree"), "-size", "+1000"), 1};
}

static struct result untar(const struct plan *plan) {
  const char *target = in(plan, "scratch/untar");
  // What an earlier run left: removing it is no part of the work.
  PROGRAM("rm", "-rf", target);
  make_folder(target);
  count_from_here(plan);
  return (struct result){PROGRAM("tar", "-C", target, "-xf", in(plan, "small.tar")), scaled(plan, 20000)};
}

static struct result rsync_again(const struct plan *plan) {
  char target[4096];
  snprintf(target, sizeof target, "%s", in(plan, "scratch/copy/"));
  PROGRAM("rsync", "-aX", in(plan, "small/"), target);
  count_from_here(plan);
  return (struct result){PROGRAM("rsync", "-aX", in(plan, "small/"), target), 1};
}

static struct result git_status(const struct plan *plan) {
  return (struct result){PROGRAM("git", "-c", "safe.directory=*", "-C", in(plan, "small"), "status", "--porcelain"), 1};
}

// MARK: many clients

enum { clients = 16, samples = 20000 };

struct client {
  const struct plan *plan;
  void (*step)(const char *path);
  int number;
  int count;
  float times[samples];
};

static void get_once(const char *path) {
  char value[256];
  MUST(getxattr(path, "user.contentType", value, sizeof value));
}

static void *client_loop(void *argument) {
  struct client *client = argument;
  char path[4096];
  snprintf(path, sizeof path, "%s", in(client->plan, "one.html"));
  double end = now() + client->plan->seconds;
  for (double before = now(), after; before < end && client->count < samples; before = after) {
    client->step(path);
    after = now();
    client->times[client->count++] = (float)((after - before) * 1e6);
  }
  return NULL;
}

static int compare(const void *left, const void *right) {
  float one = *(const float *)left, two = *(const float *)right;
  return (one > two) - (one < two);
}

/// Has `number` clients repeat a step at the same time. Fills `times`, which holds `samples` for each, with what each
/// took in microseconds, and returns how many there are.
static size_t together(const struct plan *plan, void (*step)(const char *), int number, float *times) {
  struct client *all = calloc((size_t)number, sizeof *all);
  pthread_t threads[clients];
  if (all == NULL) fail("memory");
  for (int i = 0; i < number; i++) {
    all[i] = (struct client){.plan = plan, .step = step, .number = i};
    if (pthread_create(&threads[i], NULL, client_loop, &all[i]) != 0) fail("pthread_create");
  }
  size_t count = 0;
  for (int i = 0; i < number; i++) {
    pthread_join(threads[i], NULL);
    memcpy(times + count, all[i].times, sizeof *times * (size_t)all[i].count);
    count += (size_t)all[i].count;
  }
  free(all);
  return count;
}

static struct result percentile(const struct plan *plan, void (*step)(const char *)) {
  float *times = calloc((size_t)clients * samples, sizeof *times);
  if (times == NULL) fail("memory");
  size_t count = together(plan, step, clients, times);
  qsort(times, count, sizeof *times, compare);
  struct result result = {times[count * 99 / 100], (double)count};
  free(times);
  return result;
}

/// The microseconds that one step takes of the time that four clients have together.
static struct result shared_by_four(const struct plan *plan, void (*step)(const char *)) {
  float *times = calloc(4 * (size_t)samples, sizeof *times);
  if (times == NULL) fail("memory");
  double start = now();
  size_t count = together(plan, step, 4, times);
  free(times);
  return (struct result){(now() - start) * 1e6 / (double)count, (double)count};
}

static struct result get_attribute_p99(const struct plan *plan) { return percentile(plan, get_once); }
static struct result get_attribute_four(const struct plan *plan) { return shared_by_four(plan, get_once); }
static struct result open_read_close_p99(const struct plan *plan) { return percentile(plan, read_once); }

// MARK: growth

/// A file with as many custom entries as asked for.
static struct result get_of_many(const struct plan *plan, int entries) {
  const char *path = in(plan, "hundred.html");
  char name[64], value[64];
  int stored = (int)(listxattr(path, NULL, 0) > 0);
  snprintf(name, sizeof name, "user.entry-%03d", entries - 1);
  if (!stored || getxattr(path, name, value, sizeof value) < 0) {
    for (int i = 0; i < entries; i++) {
      snprintf(name, sizeof name, "user.entry-%03d", i);
      MUST(setxattr(path, name, "v", 1, 0));
    }
  }
  snprintf(name, sizeof name, "user.entry-%03d", entries / 2);
  return LOOP(MUST(getxattr(path, name, value, sizeof value)));
}

static struct result get_of_100(const struct plan *plan) { return get_of_many(plan, 100); }

/// Fills the bucket up to so many files, a thousand in a folder; what is there stays.
static void fill(const struct plan *plan, int files) {
  char path[4200];
  make_folder(in(plan, "million"));
  for (int i = 0; i < files; i += 1000) {
    snprintf(path, sizeof path, "%s/million/%05d", plan->directory, i / 1000);
    if (mkdir(path, 0755) != 0) continue;
    for (int j = 0; j < 1000; j++) {
      snprintf(path, sizeof path, "%s/million/%05d/%03d", plan->directory, i / 1000, j);
      write_file(path, "");
    }
  }
}

/// getxattr of files all over the bucket, as many as there are.
static struct result get_among(const struct plan *plan, int files) {
  fill(plan, files);
  char path[4200], value[64];
  unsigned state = 1;
  return LOOP({
    state = state * 1664525 + 1013904223;
    unsigned file = (state >> 8) % (unsigned)files;
    snprintf(path, sizeof path, "%s/million/%05u/%03u", plan->directory, file / 1000, file % 1000);
    if (getxattr(path, "user.contentType", value, sizeof value) < 0 && errno != ENODATA) fail(path);
  });
}

static struct result create_among(const struct plan *plan, int files) {
  fill(plan, files);
  const char *path = in(plan, "million/00000/new");
  return LOOP(create_once(path));
}

static struct result get_among_thousand(const struct plan *plan) { return get_among(plan, 1000); }
static struct result get_among_million(const struct plan *plan) { return get_among(plan, 1000000); }
static struct result create_among_thousand(const struct plan *plan) { return create_among(plan, 1000); }
static struct result create_among_million(const struct plan *plan) { return create_among(plan, 1000000); }

const struct work all_works[] = {
    {"getxattr", "µs", get_attribute, false},
    {"setxattr", "µs", set_attribute, false},
    {"listxattr", "µs", list_attributes, false},
    {"getfattr -d of ten", "µs", dump_attributes, false},
    {"getxattr of one in 100 entries", "µs", get_of_100, false},
    {"stat, warm", "µs", status_warm, false},
    {"stat, cold", "µs", status_cold, false},
    {"open, read, close", "µs", open_read_close, false},
    {"create, write, unlink", "µs", create_write_unlink, false},
    {"rename", "µs", rename_file, false},
    {"readdir of 10,000", "ms", list_folder, false},
    {"ls -l of 10,000", "ms", ls, false},
    {"ls -l of 10,000 again", "ms", ls_again, false},
    {"find over 50,000", "ms", find, false},
    {"find over 50,000 again", "ms", find_again, false},
    {"find -size over 50,000", "ms", find_with_status, false},
    {"tar x of 20,000", "ms", untar, false},
    {"rsync -aX, second run", "ms", rsync_again, false},
    {"git status in 20,000", "ms", git_status, false},
    {"getxattr, four clients together", "µs", get_attribute_four, false},
    {"getxattr, 16 clients, p99", "µs", get_attribute_p99, false},
    {"open, read, close, 16 clients, p99", "µs", open_read_close_p99, false},
    {"getxattr among 1,000 files", "µs", get_among_thousand, true},
    {"create among 1,000 files", "µs", create_among_thousand, true},
    {"getxattr among 1,000,000 files", "µs", get_among_million, true},
    {"create among 1,000,000 files", "µs", create_among_million, true},
    {NULL, NULL, NULL, false},
};
