#include "ctestsupport.h"

#include <sys/syscall.h>
#include <sys/un.h>

const int test_o_direct = O_DIRECT;
const int test_o_path = O_PATH;
const int test_o_noatime = O_NOATIME;
const int test_o_tmpfile = O_TMPFILE;

char **test_environment(void) { return environ; }

// Raw calls: glibc's wrappers would change every thread of the process.
static int set_identity(const struct test_identity *identity) {
  if (syscall(SYS_setgroups, identity->group_count, identity->groups) != 0) return -1;
  if (syscall(SYS_setresgid, identity->group, identity->group, identity->group) != 0) return -1;
  if (syscall(SYS_setresuid, identity->user, identity->user, identity->user) != 0) return -1;
  umask(identity->umask);
  return 0;
}

int test_become(const struct test_identity *identity) {
  if (unshare(CLONE_FS) != 0) return -1;
  return set_identity(identity);
}

pid_t test_spawn(
    const char *const arguments[], const char *const environment[], const char *directory,
    const struct test_identity *identity, int input, int output, int error) {
  pid_t child = fork();
  if (child != 0) return child;
  // Only async-signal-safe calls from here on: other threads may have held any lock at the fork.
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int null = open("/dev/null", O_RDWR);
  dup2(input < 0 ? null : input, 0);
  dup2(output < 0 ? null : output, 1);
  dup2(error < 0 ? null : error, 2);
  syscall(SYS_close_range, 3, ~0U, 0);
  if (directory != NULL && chdir(directory) != 0) _exit(127);
  if (identity != NULL && set_identity(identity) != 0) _exit(127);
  execvpe(arguments[0], (char *const *)arguments, (char *const *)environment);
  _exit(127);
}

int test_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int test_memfd_create(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int test_open(const char *path, int flags, mode_t mode) { return open(path, flags | O_CLOEXEC, mode); }

int test_fallocate(int descriptor, int mode, off_t offset, off_t length) {
  return fallocate(descriptor, mode, offset, length);
}

ssize_t test_copy_file_range(int from, int to, size_t length) {
  return copy_file_range(from, NULL, to, NULL, length, 0);
}

int test_renameat2(const char *from, const char *to, unsigned flags) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
}

int test_statx(int directory, const char *path, int flags, unsigned mask, struct statx *status) {
  return statx(directory, path, flags, mask, status);
}

int test_message_sockets(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

int test_set_status_flags(int descriptor, int flags) { return fcntl(descriptor, F_SETFL, flags); }

void *test_map(int descriptor, size_t length, int protection, int flags) {
  void *start = mmap(NULL, length, protection, flags, descriptor, 0);
  return start == MAP_FAILED ? NULL : start;
}

void test_overflow(void) {
  volatile char *bytes = malloc(8);
  volatile int behind = 8;
  bytes[behind] = 1;
  free((void *)bytes);
}

static int raced;

static void *change_raced(void *argument) {
  for (int i = 0; i < 1000; i++) raced++;
  return argument;
}

void test_race(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, change_raced, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

int test_notification_socket(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (number < 0 || bind(number, (struct sockaddr *)&address, sizeof address) != 0) return -1;
  // The daemon may be another user's.
  if (chmod(path, 0777) != 0) return -1;
  return number;
}

int test_was_notified(int number, const char *text) {
  char message[512];
  ssize_t length;
  while ((length = recv(number, message, sizeof message, MSG_DONTWAIT)) >= 0) {
    if ((size_t)length >= strlen(text) && memcmp(message, text, strlen(text)) == 0) return 1;
  }
  return 0;
}
