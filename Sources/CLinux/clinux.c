#include "clinux.h"

#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <syslog.h>

const int clinux_o_direct = O_DIRECT;
const int clinux_o_noatime = O_NOATIME;
const int clinux_o_path = O_PATH;

const char *clinux_errno_name(int error) { return strerrorname_np(error); }

int clinux_open_beneath(int directory, const char *path, int flags) {
  struct {
    uint64_t flags, mode, resolve;
  } how = {.flags = (uint64_t)flags, .resolve = 0x08 | 0x04 /* RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS */};
  return (int)syscall(437 /* openat2 */, directory, path, &how, sizeof how);
}

int clinux_statx(int directory, const char *path, int flags, unsigned mask, struct statx *status) {
  return statx(directory, path, flags, mask, status);
}

int clinux_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  return renameat2(from_directory, from, to_directory, to, flags);
}

int clinux_fallocate(int descriptor, int mode, off_t offset, off_t length) {
  return fallocate(descriptor, mode, offset, length);
}

ssize_t clinux_copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags) {
  return copy_file_range(from, from_offset, to, to_offset, length, flags);
}

ssize_t clinux_splice(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags) {
  return splice(from, from_offset, to, to_offset, length, flags);
}

ssize_t clinux_getdents64(int descriptor, void *buffer, size_t length) {
  return syscall(SYS_getdents64, descriptor, buffer, length);
}

int clinux_unshare_fs(void) { return unshare(CLONE_FS); }

int clinux_gettid(void) { return (int)syscall(SYS_gettid); }

int clinux_tgkill(int thread, int signal) { return (int)syscall(SYS_tgkill, getpid(), thread, signal); }

int clinux_get_capabilities(uint64_t *effective, uint64_t *permitted, uint64_t *inheritable) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) != 0) return -1;
  *effective = data[0].effective | (uint64_t)data[1].effective << 32;
  *permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
  *inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
  return 0;
}

int clinux_set_capabilities(uint64_t effective, uint64_t permitted, uint64_t inheritable) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[2] = {
      {.effective = (uint32_t)effective, .permitted = (uint32_t)permitted, .inheritable = (uint32_t)inheritable},
      {.effective = (uint32_t)(effective >> 32),
       .permitted = (uint32_t)(permitted >> 32),
       .inheritable = (uint32_t)(inheritable >> 32)},
  };
  return (int)syscall(SYS_capset, &header, data);
}

int clinux_set_securebits(unsigned long bits) { return prctl(PR_SET_SECUREBITS, bits, 0, 0, 0); }

static _Thread_local void *thread_state;

void *clinux_thread_state(void) { return thread_state; }

void clinux_set_thread_state(void *state) { thread_state = state; }

void clinux_close_from(unsigned first) { close_range(first, ~0U, 0); }

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_fork(void) { return fork(); }

struct clinux_mount_attr {
  uint64_t attr_set;
  uint64_t attr_clr;
  uint64_t propagation;
  uint64_t userns_fd;
};

int clinux_open_read_only_tree(const char *path) {
  // Numbers of the generic table, equal on every architecture since Linux 5.2 and 5.12.
  enum { open_tree_number = 428, mount_setattr_number = 442 };
  enum { clone_tree = 1, read_only = 0x1, atime_mask = 0x70, no_atime = 0x10 };
  int tree = (int)syscall(open_tree_number, AT_FDCWD, path, clone_tree | O_CLOEXEC | AT_RECURSIVE);
  if (tree < 0) return -1;
  struct clinux_mount_attr attributes = {.attr_set = read_only | no_atime, .attr_clr = atime_mask};
  if (syscall(mount_setattr_number, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) != 0) {
    int reason = errno;
    close(tree);
    errno = reason;
    return -1;
  }
  return tree;
}

int clinux_ioctl(int descriptor, unsigned long request, void *value) { return ioctl(descriptor, request, value); }

struct clinux_fuse_backing_map {
  int32_t fd;
  uint32_t flags;
  uint64_t padding;
};

int clinux_fuse_backing_open(int session, int descriptor) {
  struct clinux_fuse_backing_map map = {.fd = descriptor};
  return ioctl(session, _IOW(229, 1, struct clinux_fuse_backing_map), &map);
}

int clinux_fuse_backing_close(int session, int backing_id) {
  uint32_t id = (uint32_t)backing_id;
  return ioctl(session, _IOW(229, 2, uint32_t), &id);
}

void clinux_trim_memory(void) { malloc_trim(0); }

int clinux_watch_open(void) {
  // FAN_REPORT_FID, _DIR_FID, _NAME and _TARGET_FID: what changed and in which folder, as handles (Linux 5.17).
  unsigned flags = FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | 0x200 | 0x400 | 0x800 | 0x1000;
  return fanotify_init(flags, O_RDONLY | O_CLOEXEC);
}

int clinux_watch_add(int watch, uint64_t events, int directory) {
  return fanotify_mark(watch, FAN_MARK_ADD | 0x100 /* FAN_MARK_FILESYSTEM */, events, directory, NULL);
}

int clinux_open_by_handle(int mount, const void *handle, int flags) {
  return open_by_handle_at(mount, (struct file_handle *)handle, flags);
}

int clinux_handle_of(int descriptor, void *handle, unsigned capacity) {
  struct file_handle *wanted = handle;
  int mount;
  wanted->handle_bytes = capacity;
  if (name_to_handle_at(descriptor, "", wanted, &mount, AT_EMPTY_PATH) != 0) return -1;
  return (int)(sizeof *wanted + wanted->handle_bytes);
}

int clinux_wait(int first, int second, int urgent, int milliseconds) {
  struct pollfd files[3] = {
      {.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}, {.fd = urgent, .events = POLLPRI}};
  int count = poll(files, 3, milliseconds);
  if (count < 0) return -1;
  return (files[0].revents != 0) | (files[1].revents != 0) << 1 | ((files[2].revents & (POLLPRI | POLLERR)) != 0) << 2;
}

int clinux_pin_thread(int cpu) {
  size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
  cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
  if (!set) return -1;
  CPU_ZERO_S(size, set);
  CPU_SET_S((size_t)cpu, size, set);
  int result = sched_setaffinity(0, size, set);
  CPU_FREE(set);
  return result;
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC); }

const char *clinux_strerror(int error, char *buffer, size_t length) { return strerror_r(error, buffer, length); }

void clinux_syslog(int priority, const char *line) { syslog(LOG_DAEMON | priority, "%s", line); }

int clinux_notify(const char *path, const char *state) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = 0;
  int number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (number < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(number, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
  close(number);
  return sent < 0 ? -1 : 0;
}
