#include "table.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static char type_letter(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFREG: return 'f';
  case S_IFDIR: return 'd';
  case S_IFLNK: return 'l';
  case S_IFIFO: return 'p';
  case S_IFSOCK: return 's';
  case S_IFCHR: return 'c';
  case S_IFBLK: return 'b';
  default: return '?';
  }
}

static void note_status(const char *text, const struct stat *status) {
  note("  %s: %c %04o %u:%u links %lu size %lld", text, type_letter(status->st_mode), status->st_mode & 07777,
       status->st_uid, status->st_gid, (unsigned long)status->st_nlink, (long long)status->st_size);
}

void show(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0)
    note("  %s: %s", path, strerrorname_np(errno));
  else
    note_status(path, &status);
}

void show_descriptor(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    note("  descriptor: %s", strerrorname_np(errno));
  else
    note_status("descriptor", &status);
}

static bool is_recent(const struct timespec *time) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return time->tv_sec > now.tv_sec - 3600 && time->tv_sec <= now.tv_sec + 1;
}

/// A time that no case has set is only said to be recent.
static void time_text(char *out, size_t capacity, const struct timespec *time) {
  if (is_recent(time))
    snprintf(out, capacity, "recent");
  else
    snprintf(out, capacity, "%lld.%09ld", (long long)time->tv_sec, time->tv_nsec);
}

void times(const char *path) {
  struct stat status;
  char read[40], changed[40];
  if (lstat(path, &status) != 0) {
    note("  %s: %s", path, strerrorname_np(errno));
    return;
  }
  // That of a symlink moves whenever it is used, but not where the kernel has cached it.
  if (S_ISLNK(status.st_mode)) snprintf(read, sizeof read, "any");
  else time_text(read, sizeof read, &status.st_atim);
  time_text(changed, sizeof changed, &status.st_mtim);
  note("  %s: atime %s mtime %s", path, read, changed);
}

static struct {
  char path[64];
  struct stat status;
} marks[8];

void mark(const char *path) {
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (marks[i].path[0] != 0 && strcmp(marks[i].path, path) != 0) continue;
    snprintf(marks[i].path, sizeof marks[i].path, "%s", path);
    if (lstat(path, &marks[i].status) != 0) memset(&marks[i].status, 0, sizeof marks[i].status);
    break;
  }
  // Coarse clocks move every 4 ms at the slowest.
  usleep(10000);
}

void moved(const char *path) {
  struct stat now;
  if (lstat(path, &now) != 0) {
    note("  %s: %s", path, strerrorname_np(errno));
    return;
  }
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (strcmp(marks[i].path, path) != 0) continue;
    struct stat *old = &marks[i].status;
    note("  %s:%s%s%s", path, memcmp(&old->st_atim, &now.st_atim, sizeof now.st_atim) ? " atime" : "",
         memcmp(&old->st_mtim, &now.st_mtim, sizeof now.st_mtim) ? " mtime" : "",
         memcmp(&old->st_ctim, &now.st_ctim, sizeof now.st_ctim) ? " ctime" : "");
  }
}

static uint64_t hash(uint64_t value, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) value = (value ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
  return value;
}

/// Short text as it is, the rest as a hash.
static void describe(char *out, size_t capacity, const char *path) {
  int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    snprintf(out, capacity, "unreadable %s", strerrorname_np(errno));
    return;
  }
  static char buffer[1 << 16];
  uint64_t value = 0xcbf29ce484222325;
  long long total = 0;
  ssize_t count;
  bool text = true;
  char first[64] = "";
  while ((count = read(descriptor, buffer, sizeof buffer)) > 0 && total < (16 << 20)) {
    for (ssize_t i = 0; i < count && total == 0; i++) text = text && buffer[i] >= ' ' && buffer[i] < 127;
    if (total == 0) snprintf(first, sizeof first, "%.*s", (int)count, buffer);
    value = hash(value, buffer, (size_t)count);
    total += count;
  }
  if (count < 0)
    snprintf(out, capacity, "unreadable %s", strerrorname_np(errno));
  else if (text && total < 40)
    snprintf(out, capacity, "'%s'", first);
  else
    snprintf(out, capacity, "%lld bytes, hash %016llx", total, (unsigned long long)value);
  close(descriptor);
}

void content(const char *path) {
  char text[128];
  describe(text, sizeof text, path);
  note("  %s holds %s", path, text);
}

static int by_name(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/// The names of a directory in order, each with the letter of its `d_type` in front; NULL at the end.
static char **sorted_names(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL) return NULL;
  size_t count = 0, capacity = 64;
  char **list = calloc(capacity, sizeof *list);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (count + 2 > capacity) list = realloc(list, (capacity *= 2) * sizeof *list);
    if (asprintf(&list[count], "%s", entry->d_name) >= 0) count++;
  }
  closedir(directory);
  list[count] = NULL;
  qsort(list, count, sizeof *list, by_name);
  return list;
}

static void free_names(char **list) {
  for (size_t i = 0; list != NULL && list[i] != NULL; i++) free(list[i]);
  free(list);
}

void names(const char *path) {
  errno = 0;
  char **list = sorted_names(path);
  if (list == NULL) {
    note("  %s: %s", path, strerrorname_np(errno));
    return;
  }
  size_t count = 0;
  uint64_t value = 0xcbf29ce484222325;
  for (; list[count] != NULL; count++) value = hash(value, list[count], strlen(list[count]) + 1);
  if (count > 12)
    note("  %s: %zu names, hash %016llx", path, count, (unsigned long long)value);
  else
    for (size_t i = 0; i < count; i++) note("  %s/ '%.40s'", path, list[i]);
  free_names(list);
}

static void note_attributes(const char *path, const char *shown) {
  char list[4096], *all[128];
  ssize_t length = llistxattr(path, list, sizeof list);
  if (length < 0) {
    if (errno != EOPNOTSUPP) note("  %s attributes: %s", shown, strerrorname_np(errno));
    return;
  }
  size_t count = 0;
  for (char *name = list; name < list + length && count < 128; name += strlen(name) + 1)
    if (strncmp(name, "user.", 5) == 0 || strncmp(name, "system.posix_acl", 16) == 0) all[count++] = name;
  qsort(all, count, sizeof *all, by_name);
  for (size_t i = 0; i < count; i++) {
    char value[8192];
    ssize_t size = lgetxattr(path, all[i], value, sizeof value);
    note("  %s [%s] %zd %016llx", shown, all[i], size,
         (unsigned long long)hash(0xcbf29ce484222325, value, size > 0 ? (size_t)size : 0));
  }
}

static void note_time(const char *shown, const char *which, const struct timespec *time) {
  if (!is_recent(time)) note("  %s %s %lld.%09ld", shown, which, (long long)time->tv_sec, time->tv_nsec);
}

/// The first name under which each inode with several links was met.
static struct {
  dev_t device;
  ino_t inode;
  char name[256];
} linked[256];
static size_t linked_count;

static void report_entry(const char *path, const char *shown, bool attributes);

static void report_below(const char *path, const char *shown, bool attributes) {
  char **list = sorted_names(path);
  for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
    if (strcmp(list[i], ".") == 0 || strcmp(list[i], "..") == 0) continue;
    char *below, *below_shown;
    if (asprintf(&below, "%s/%s", path, list[i]) < 0 || asprintf(&below_shown, "%s/%.24s", shown, list[i]) < 0) abort();
    report_entry(below, below_shown, attributes);
    free(below);
    free(below_shown);
  }
  free_names(list);
}

static void report_entry(const char *path, const char *shown, bool attributes) {
  struct stat status;
  if (lstat(path, &status) != 0) {
    note("  %s: %s", shown, strerrorname_np(errno));
    return;
  }
  note_status(shown, &status);
  note_time(shown, "mtime", &status.st_mtim);
  // Symlinks are cached by a mount's kernel: using one does not move its atime there.
  if (!S_ISLNK(status.st_mode)) note_time(shown, "atime", &status.st_atim);
  if (attributes) note_attributes(path, shown);
  if (S_ISREG(status.st_mode)) {
    char text[128];
    describe(text, sizeof text, path);
    if (status.st_size > 0) note("  %s holds %s", shown, text);
    if (status.st_nlink > 1) {
      size_t i = 0;
      while (i < linked_count && (linked[i].device != status.st_dev || linked[i].inode != status.st_ino)) i++;
      if (i < linked_count) {
        note("  %s is %s", shown, linked[i].name);
      } else if (linked_count < 256) {
        linked[i].device = status.st_dev;
        linked[i].inode = status.st_ino;
        snprintf(linked[i].name, sizeof linked[i].name, "%s", shown);
        linked_count++;
      }
    }
  } else if (S_ISLNK(status.st_mode)) {
    char target[4200];
    ssize_t length = readlink(path, target, sizeof target);
    note("  %s -> %.*s", shown, length < 0 ? 0 : length > 60 ? 60 : (int)length, target);
  } else if (S_ISDIR(status.st_mode)) {
    report_below(path, shown, attributes);
  }
}

void report_state(const char *directory, bool attributes) {
  linked_count = 0;
  note("state afterwards:");
  report_entry(directory, ".", attributes);
}
