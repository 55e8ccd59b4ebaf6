#include "table.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// High numbers that no account has.
const struct identity identities[CALLER_COUNT] = {
    {"root", 0, 0}, {"owner", 60001, 60010}, {"member", 60002, 60020}, {"stranger", 60003, 60030}};

static struct posix_case *table;
static enum caller caller;
static bool privileged;
static unsigned long calls;

void add_case(struct posix_case *entry) {
  struct posix_case **place = &table;
  while (*place != NULL && strcmp((*place)->name, entry->name) < 0) place = &(*place)->next;
  entry->next = *place;
  *place = entry;
}

void note(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vdprintf(REPORT_DESCRIPTOR, format, list);
  va_end(list);
  dprintf(REPORT_DESCRIPTOR, "\n");
}

void errno_clear(void) { errno = 0; }

void report_call_as(long result, const char *format, ...) {
  int error = errno;
  va_list list;
  va_start(list, format);
  vdprintf(REPORT_DESCRIPTOR, format, list);
  va_end(list);
  if (result < 0)
    dprintf(REPORT_DESCRIPTOR, " = %s\n", error == 0 ? "-1" : strerrorname_np(error));
  else
    dprintf(REPORT_DESCRIPTOR, " = %ld\n", result);
  errno = error;
}

void report_call(const char *text, long result) { report_call_as(result, "%s", text); }

void report_refusal(const char *text, long result, int error) {
  if (result >= 0 || errno == error)
    note("%s = done or %s", text, strerrorname_np(error));
  else
    report_call(text, result);
}

bool runs_as_root(void) { return privileged; }
enum caller acting_caller(void) { return caller; }

void act_as(enum caller who) {
  if (!privileged) return;
  if (setresuid(0, 0, 0) != 0) abort();
  gid_t groups[1] = {identities[CALLER_OWNER].gid};
  const struct identity *identity = &identities[who];
  if (setgroups(who == CALLER_MEMBER ? 1 : 0, groups) != 0) abort();
  if (setresgid(identity->gid, identity->gid, identity->gid) != 0) abort();
  // The saved user stays root: the way back.
  if (setresuid(identity->uid, identity->uid, 0) != 0) abort();
  // Else /proc/self/fd belongs to root.
  prctl(PR_SET_DUMPABLE, 1);
}

void act(void) {
  note("as %s:", identities[caller].name);
  act_as(caller);
}

void act_again(void) { act_as(caller); }
void act_as_owner(void) { act_as(CALLER_OWNER); }
void act_as_root(void) { act_as(CALLER_ROOT); }

void file(const char *path, const char *text) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  size_t length = strlen(text);
  if (descriptor < 0 || write(descriptor, text, length) != (ssize_t)length || close(descriptor) != 0)
    note("preparing %.40s: %s", path, strerrorname_np(errno));
}

void folder(const char *path, mode_t mode) {
  if (mkdir(path, 0700) != 0 || chmod(path, mode) != 0) note("preparing %.40s: %s", path, strerrorname_np(errno));
}

/// What a case wrote, NUL at its end.
static char *report_text(int descriptor) {
  off_t size = lseek(descriptor, 0, SEEK_END);
  char *text = calloc(1, (size_t)size + 1);
  if (size < 0 || text == NULL || pread(descriptor, text, (size_t)size, 0) != size) abort();
  return text;
}

/// Reports what a directory holds, from inside: how long its own path is must not count.
static void report_from_inside(const char *directory, bool attributes) {
  int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (here < 0 || chdir(directory) != 0) abort();
  report_state(".", attributes);
  if (fchdir(here) != 0) abort();
  close(here);
}

/// Runs a case in a new directory below `top`.
/// - Returns: what it reported; `backing`, where it is asked for, is the state that the same directory has there.
static char *run(const struct posix_case *entry, const char *top, const char *backing_top, char **backing, char **mounted) {
  char *path;
  if (asprintf(&path, "%s/%s.%s", top, entry->name, identities[caller].name) < 0) abort();
  if (mkdir(path, 0700) != 0) {
    fprintf(stderr, "posix-table: %s: %s\n", path, strerror(errno));
    exit(2);
  }
  if (privileged && chown(path, identities[CALLER_OWNER].uid, identities[CALLER_OWNER].gid) != 0) abort();
  if (chmod(path, 0775) != 0) abort();
  int output = memfd_create("report", MFD_CLOEXEC);
  if (output < 0 || dup3(output, REPORT_DESCRIPTOR, O_CLOEXEC) < 0) abort();
  close(output);
  pid_t child = fork();
  if (child == 0) {
    if (setpgid(0, 0) != 0 || chdir(path) != 0) _exit(97);
    umask(022);
    act_as(CALLER_OWNER);
    alarm(30);
    entry->run();
    _exit(0);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) abort();
  kill(-child, SIGKILL);
  if (WIFSIGNALED(status)) note("ended by signal %s", sigabbrev_np(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0) note("ended with status %d", WEXITSTATUS(status));
  off_t calls_end = lseek(REPORT_DESCRIPTOR, 0, SEEK_CUR);
  report_from_inside(path, true);
  char *text = report_text(REPORT_DESCRIPTOR);
  if (backing_top != NULL) {
    char *same;
    if (asprintf(&same, "%s/%s.%s", backing_top, entry->name, identities[caller].name) < 0) abort();
    if (ftruncate(REPORT_DESCRIPTOR, 0) != 0 || lseek(REPORT_DESCRIPTOR, 0, SEEK_SET) != 0) abort();
    report_from_inside(path, false);
    *mounted = report_text(REPORT_DESCRIPTOR);
    if (ftruncate(REPORT_DESCRIPTOR, 0) != 0 || lseek(REPORT_DESCRIPTOR, 0, SEEK_SET) != 0) abort();
    report_from_inside(same, false);
    *backing = report_text(REPORT_DESCRIPTOR);
    free(same);
  }
  for (char *line = text; line < text + calls_end; line++) calls += line[0] == '\n' && line[1] != ' ';
  close(REPORT_DESCRIPTOR);
  free(path);
  return text;
}

/// Paths in the table are longer than one call takes: `rm` goes down step by step.
static void remove_tree(const char *top, const char *name) {
  char *path;
  if (asprintf(&path, "%s/%s.%s", top, name, identities[caller].name) < 0) abort();
  pid_t child = fork();
  if (child == 0) {
    // An ordinary user has to let himself in first.
    execlp("sh", "sh", "-c", "[ \"$(id -u)\" = 0 ] || chmod -R u+rwX -- \"$1\"; exec rm -rf -- \"$1\"", "-", path, NULL);
    _exit(127);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
    fprintf(stderr, "posix-table: cannot remove %s\n", path);
  free(path);
}

/// Prints the lines of two reports that differ.
/// - Returns: how many.
static unsigned differences(const char *name, const char *left_name, char *left, const char *right_name, char *right) {
  unsigned count = 0;
  while (left != NULL || right != NULL) {
    char *left_line = strsep(&left, "\n"), *right_line = strsep(&right, "\n");
    if (left_line != NULL && right_line != NULL && strcmp(left_line, right_line) == 0) continue;
    if (count++ == 0) printf("%s [%s]\n", name, identities[caller].name);
    printf("  %-8s %s\n  %-8s %s\n", left_name, left_line ? left_line : "(nothing)", right_name,
           right_line ? right_line : "(nothing)");
  }
  return count;
}

static int usage(void) {
  fprintf(stderr, "usage: posix-table [--only PART] [--as CALLER] [--seed N] [--print] PLAIN [MOUNTED [BACKING]]\n"
                  "       posix-table --seed N --prepare | --walk FOLDER\n"
                  "Runs the table in PLAIN and in MOUNTED and prints the lines that differ; status 1 if there are any.\n"
                  "With --seed a walk at random through many more calls belongs to the table.\n"
                  "--prepare makes a folder for --walk, which prints what it meets there.\n"
                  "With BACKING, MOUNTED's backing directory, what MOUNTED shows is compared with it too.\n");
  return 2;
}

int main(int count, char **arguments) {
  const char *only = NULL, *as = NULL, *tops[3] = {NULL, NULL, NULL};
  bool print = false;
  void (*alone)(const char *) = NULL;
  size_t given = 0;
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "--only") == 0 && i + 1 < count) only = arguments[++i];
    else if (strcmp(arguments[i], "--as") == 0 && i + 1 < count) as = arguments[++i];
    else if (strcmp(arguments[i], "--seed") == 0 && i + 1 < count) walk_seed = strtoull(arguments[++i], NULL, 10);
    else if (strcmp(arguments[i], "--prepare") == 0) alone = prepare_walk;
    else if (strcmp(arguments[i], "--walk") == 0) alone = walk_in;
    else if (strcmp(arguments[i], "--print") == 0) print = true;
    else if (arguments[i][0] != '-' && given < 3) tops[given++] = arguments[i];
    else return usage();
  }
  if (given == 0) return usage();
  privileged = geteuid() == 0;
  signal(SIGPIPE, SIG_IGN);
  if (alone != NULL) {
    if (dup3(STDOUT_FILENO, REPORT_DESCRIPTOR, O_CLOEXEC) < 0) abort();
    alone(tops[0]);
    return 0;
  }
  unsigned cases = 0, different = 0;
  for (struct posix_case *entry = table; entry != NULL; entry = entry->next) {
    if (only != NULL && strstr(entry->name, only) == NULL) continue;
    for (caller = 0; caller < CALLER_COUNT; caller++) {
      if (!privileged && caller != CALLER_OWNER) continue;
      if (as != NULL && strcmp(identities[caller].name, as) != 0) continue;
      cases++;
      char *plain = run(entry, tops[0], NULL, NULL, NULL);
      if (print) printf("%s [%s]\n%s\n", entry->name, identities[caller].name, plain);
      remove_tree(tops[0], entry->name);
      if (tops[1] != NULL) {
        char *backing = NULL, *seen = NULL, *mounted = run(entry, tops[1], tops[2], &backing, &seen);
        unsigned found = differences(entry->name, "plain:", plain, "mounted:", mounted);
        if (tops[2] != NULL) found += differences(entry->name, "backing:", backing, "mounted:", seen);
        different += found != 0;
        free(mounted);
        free(backing);
        free(seen);
        remove_tree(tops[1], entry->name);
      }
      free(plain);
      fflush(stdout);
    }
  }
  printf("%u cases, %lu calls, %u different\n", cases, calls, different);
  return different != 0;
}
