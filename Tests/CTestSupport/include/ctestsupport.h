// What the tests need from the kernel and Swift cannot call: starting programs as somebody else, and being somebody
// else on one thread.
#ifndef BUCKETFS_CTESTSUPPORT_H
#define BUCKETFS_CTESTSUPPORT_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <pthread.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

// The environment, which Swift refuses to read as the global variable that it is.
char **test_environment(void);

// Who a program or a thread is to be.
struct test_identity {
  uid_t user;
  gid_t group;
  const gid_t *groups;
  size_t group_count;
  mode_t umask;
};

// errno is a macro over a function call.
static inline int test_errno(void) { return errno; }

// Becomes `identity` on the calling thread alone, with a umask of its own. There is no way back for the thread.
// Returns -1 and errno on failure.
int test_become(const struct test_identity *identity);

// Starts a program in a process group of its own. A negative descriptor stands for /dev/null. Returns its pid, or -1
// and errno; a program that cannot be started exits with 127.
pid_t test_spawn(
    const char *const arguments[], const char *const environment[], const char *directory,
    const struct test_identity *identity, int input, int output, int error);

// A descriptor that poll(2) finds readable when the process has ended.
int test_pidfd_open(pid_t process);

int test_memfd_create(const char *name);
// Two connected sockets that keep messages apart.
int test_message_sockets(int ends[2]);
int test_open(const char *path, int flags, mode_t mode);
int test_fallocate(int descriptor, int mode, off_t offset, off_t length);
ssize_t test_copy_file_range(int from, int to, size_t length);
int test_renameat2(const char *from, const char *to, unsigned flags);
int test_statx(int directory, const char *path, int flags, unsigned mask, struct statx *status);
// Set or cleared bits of fcntl(2)'s F_SETFL.
int test_set_status_flags(int descriptor, int flags);

// Names are bytes to the tests, char to C.
static inline ssize_t test_listxattr(const char *path, uint8_t *names, size_t length) {
  return listxattr(path, (char *)names, length);
}
static inline ssize_t test_flistxattr(int descriptor, uint8_t *names, size_t length) {
  return flistxattr(descriptor, (char *)names, length);
}
// MAP_FAILED is a cast. Returns NULL and errno on failure.
void *test_map(int descriptor, size_t length, int protection, int flags);

// A socket of systemd's notification protocol, bound to `path`.
int test_notification_socket(const char *path);
// Whether a notification has arrived that begins with `text`; does not wait. Others are thrown away.
int test_was_notified(int socket, const char *text);

// Faults that a sanitizer must find, to prove that it is there: a write behind an allocation, and two threads that
// change one variable.
void test_overflow(void);
void test_race(void);

extern const int test_o_direct;
extern const int test_o_path;
extern const int test_o_noatime;
extern const int test_o_tmpfile;

#endif
