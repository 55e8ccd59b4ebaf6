// Extended attributes of open files by getxattrat and its kin (Linux 6.13), which glibc has no wrappers for: with
// /proc/self/fd as their directory they reach an O_PATH descriptor in a third of the steps that the path takes.
#include "clinux.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>

// Numbers of the generic table, equal on every architecture.
enum { setxattrat_number = 463, getxattrat_number, listxattrat_number, removexattrat_number };

struct clinux_xattr_args {
  uint64_t value;
  uint32_t size;
  uint32_t flags;
};

// The descriptor of /proc/self/fd, or one of these.
enum { unknown = -1, unavailable = -2 };
static atomic_int descriptors = unknown;

// A child's descriptors are its own, and not those of this directory.
static void forget_descriptors(void) {
  int known = atomic_exchange(&descriptors, unknown);
  if (known >= 0) close(known);
}

static void forget_after_fork(void) { pthread_atfork(NULL, NULL, forget_descriptors); }

static int open_descriptors(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, forget_after_fork);
  int opened = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
  // Without /proc the paths say so in their turn; a sandbox may refuse calls that it does not know with EPERM.
  if (opened < 0) return unavailable;
  if (syscall(listxattrat_number, opened, ".", 0, NULL, (size_t)0) < 0 && (errno == ENOSYS || errno == EPERM)) {
    close(opened);
    opened = unavailable;
  }
  int expected = unknown;
  if (atomic_compare_exchange_strong(&descriptors, &expected, opened)) return opened;
  if (opened >= 0) close(opened);
  return expected;
}

// The directory below which `name` is the file of `descriptor`, or AT_FDCWD with the whole path where the calls are
// missing.
struct place {
  int directory;
  char name[32];
};

static struct place place_of(int descriptor) {
  struct place place;
  place.directory = atomic_load_explicit(&descriptors, memory_order_acquire);
  if (place.directory == unknown) place.directory = open_descriptors();
  char *end = place.name;
  if (place.directory == unavailable) end = stpcpy(end, "/proc/self/fd/");
  char digits[12];
  int count = 0;
  unsigned rest = (unsigned)descriptor;
  do digits[count++] = (char)('0' + rest % 10);
  while (rest /= 10);
  while (count > 0) *end++ = digits[--count];
  *end = '\0';
  return place;
}

ssize_t clinux_getxattr(int descriptor, const char *name, void *value, size_t size) {
  struct place place = place_of(descriptor);
  if (place.directory < 0) return getxattr(place.name, name, value, size);
  struct clinux_xattr_args args = {.value = (uintptr_t)value, .size = (uint32_t)size};
  return syscall(getxattrat_number, place.directory, place.name, 0, name, &args, sizeof args);
}

ssize_t clinux_listxattr(int descriptor, char *names, size_t size) {
  struct place place = place_of(descriptor);
  if (place.directory < 0) return listxattr(place.name, names, size);
  return syscall(listxattrat_number, place.directory, place.name, 0, names, size);
}

int clinux_setxattr(int descriptor, const char *name, const void *value, size_t size, int flags) {
  struct place place = place_of(descriptor);
  if (place.directory < 0) return setxattr(place.name, name, value, size, flags);
  struct clinux_xattr_args args = {.value = (uintptr_t)value, .size = (uint32_t)size, .flags = (uint32_t)flags};
  return (int)syscall(setxattrat_number, place.directory, place.name, 0, name, &args, sizeof args);
}

int clinux_removexattr(int descriptor, const char *name) {
  struct place place = place_of(descriptor);
  if (place.directory < 0) return removexattr(place.name, name);
  return (int)syscall(removexattrat_number, place.directory, place.name, 0, name);
}
