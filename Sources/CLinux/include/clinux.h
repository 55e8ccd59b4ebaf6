// What Swift cannot import or Debian 12's headers lack: variadic calls, calls without a wrapper in glibc,
// and constants of newer kernels. Each shim says why it exists; none holds a decision.
#ifndef BUCKETFS_CLINUX_H
#define BUCKETFS_CLINUX_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

// errno is a macro over a function call; read through this right after the call that failed.
static inline int clinux_errno(void) { return errno; }

// The GNU form of strerror_r, which is safe with threads; Swift sees the POSIX form or none.
const char *clinux_strerror(int error, char *buffer, size_t length);

// The errno's symbol, such as ENOENT; behind _GNU_SOURCE. NULL for a number that is none.
const char *clinux_errno_name(int error);

// open and fcntl are variadic.
static inline int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}
static inline int clinux_fcntl_int(int descriptor, int command, int argument) {
  return fcntl(descriptor, command, argument);
}
// Hidden behind _GNU_SOURCE; some differ between architectures.
extern const int clinux_o_direct;
extern const int clinux_o_noatime;
extern const int clinux_o_path;
static inline int clinux_setfsuid(uid_t user) { return setfsuid(user); }
static inline int clinux_setfsgid(gid_t group) { return setfsgid(group); }
// The OFD commands hide behind _GNU_SOURCE, which Swift's importer does not set.
static inline int clinux_ofd_setlk(int descriptor, short type, off_t start, off_t length) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length, .l_pid = 0};
  return fcntl(descriptor, 37 /* F_OFD_SETLK */, &lock);
}

// openat2 has no wrapper in glibc. Resolves `path` below `directory` without following any symlink, nor "..", out of it.
int clinux_open_beneath(int directory, const char *path, int flags);

// Behind _GNU_SOURCE in glibc.
int clinux_statx(int directory, const char *path, int flags, unsigned mask, struct statx *status);
int clinux_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);
int clinux_fallocate(int descriptor, int mode, off_t offset, off_t length);
ssize_t clinux_copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags);
ssize_t clinux_splice(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags);
ssize_t clinux_getdents64(int descriptor, void *buffer, size_t length);
int clinux_unshare_fs(void);
int clinux_gettid(void);
int clinux_tgkill(int thread, int signal);

// Extended attributes of an open file, also one opened with O_PATH, which fgetxattr and its kin refuse: by its place in
// /proc/self/fd. Else as getxattr(2), listxattr(2), setxattr(2) and removexattr(2).
ssize_t clinux_getxattr(int descriptor, const char *name, void *value, size_t size);
ssize_t clinux_listxattr(int descriptor, char *names, size_t size);
int clinux_setxattr(int descriptor, const char *name, const void *value, size_t size, int flags);
int clinux_removexattr(int descriptor, const char *name);

// makedev, major and minor are macros with arguments.
static inline uint64_t clinux_makedev(unsigned major_number, unsigned minor_number) {
  return makedev(major_number, minor_number);
}

// Thread-directed identity: glibc's setfsuid is per thread, capset and securebits too, but only as raw calls.
// Each sets the calling thread alone.
int clinux_get_capabilities(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable);
int clinux_set_capabilities(uint64_t effective, uint64_t permitted, uint64_t inheritable);
int clinux_set_securebits(unsigned long bits);

// One pointer for each thread, for the state that a serving thread keeps; NULL until it is set.
void *clinux_thread_state(void);
void clinux_set_thread_state(void *state);

// RLIMIT_NOFILE is an enumerator, pipe2 hides behind _GNU_SOURCE.
static const int clinux_rlimit_nofile = RLIMIT_NOFILE;
int clinux_pipe(int ends[2]);
// close_range hides behind _GNU_SOURCE.
void clinux_close_from(unsigned first);
void clinux_close_range(unsigned first, unsigned last);

// fork is unavailable in Swift, since a runtime with threads cannot follow it. The command calls this before any
// thread exists.
int clinux_fork(void);

// The descriptor of a mount of its own, read-only and without atime, cloned from the one that holds `path`
// (open_tree and mount_setattr have no wrapper in Debian 12's glibc). Returns -1 and errno on failure.
int clinux_open_read_only_tree(const char *path);

// FUSE passthrough: fuse_backing_map and its two ioctls are not in Debian 12's linux/fuse.h.
int clinux_fuse_backing_open(int session, int descriptor);
int clinux_fuse_backing_close(int session, int backing_id);

// ioctl(2), whose variable arguments Swift cannot pass.
int clinux_ioctl(int descriptor, unsigned long request, void *value);

// fanotify's report flags and open_by_handle_at with its structure of variable length hide behind _GNU_SOURCE or are
// not in older headers. `handle` is a struct file_handle as an event carries it.
int clinux_watch_open(void);
int clinux_watch_add(int watch, uint64_t events, int directory);
int clinux_open_by_handle(int mount, const void *handle, int flags);
// Writes the handle of an open file to `handle`, which has room for `capacity` bytes behind its 8 of a header, and
// returns how many bytes it took in all.
int clinux_handle_of(int descriptor, void *handle, unsigned capacity);

// poll(2) for the first two descriptors to be readable, or the third to tell of something that is urgent; −1 for none.
// Returns which of them did as bits 0, 1 and 2.
int clinux_wait(int first, int second, int urgent, int milliseconds);

// malloc_trim is glibc's own: gives the memory that was freed back to the system.
void clinux_trim_memory(void);

// Sends a datagram to a socket in the file system, or with @ in front in the abstract namespace: sockaddr_un's path is
// an array that Swift imports as a tuple. Returns -1 and errno on failure.
int clinux_notify(const char *path, const char *state);

// cpu_set_t is a set of macros; eventfd's header is not in the Glibc module.
int clinux_pin_thread(int cpu);
int clinux_eventfd(void);

// Landlock has no wrapper in glibc, and its header in Debian 12 ends with Linux 6.1. The version of the kernel's
// Landlock; rules that handle these accesses, as a descriptor; access below a directory, or to a file, opened with
// O_PATH; and the calling thread's way in, for good. Each returns -1 and errno on failure.
int clinux_landlock_version(void);
int clinux_landlock_rules(uint64_t files, uint64_t network, uint64_t scopes);
int clinux_landlock_allow(int rules, int parent, uint64_t access);
int clinux_landlock_enter(int rules);

// prctl is variadic. no_new_privs of the calling thread, set or read; a capability that no program may have any more;
// the name that ps and top show.
int clinux_no_new_privileges(int set);
int clinux_drop_bound(int capability);
int clinux_set_name(const char *name);

// localtime reads its zone from a file at its first use.
void clinux_load_time_zone(void);

// The number of the mount that an open file lies on, without asking its filesystem: statx's field for it is newer than
// Swift's import of the structure. Returns -1 and errno on failure.
int clinux_mount_identifier(int descriptor, uint64_t *identifier);

// syslog is variadic; the line is no format.
void clinux_syslog(int priority, const char *line);

#endif
