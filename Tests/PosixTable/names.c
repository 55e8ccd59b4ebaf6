// Names, paths, links, listing.
#include "table.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define create(path) close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0644))

/// A name of `count` bytes, valid until the next call.
static const char *long_name(size_t count) {
  static char name[5000];
  memset(name, 'n', count);
  name[count] = 0;
  return name;
}

CASE(longest_names) {
  ACT();
  struct stat status;
  TF(create(long_name(255)), "create(255)");
  TF(create(long_name(256)), "create(256)");
  TF(stat(long_name(255), &status), "stat(255)");
  TF(stat(long_name(256), &status), "stat(256)");
  TF(unlink(long_name(256)), "unlink(256)");
  TF(mkdir(long_name(256), 0755), "mkdir(256)");
  TF(symlink("x", long_name(256)), "symlink(256)");
  TF(mkfifo(long_name(256), 0644), "mkfifo(256)");
  TF(rename(long_name(255), "short"), "rename(255, short)");
  TF(rename("short", long_name(256)), "rename(short, 256)");
  TF(link("short", long_name(256)), "link(short, 256)");
  TF(rename("short", long_name(255)), "rename(short, 255)");
  names(".");
}

CASE(longest_paths) {
  ACT();
  char path[5000] = "";
  struct stat status;
  while (strlen(path) < PATH_MAX - 1) strcat(path, "./");
  path[PATH_MAX - 2] = 'f', path[PATH_MAX - 1] = 0;
  TF(create(path), "create(PATH_MAX - 1)");
  TF(stat(path, &status), "stat(PATH_MAX - 1)");
  path[PATH_MAX - 1] = 'f', path[PATH_MAX] = 0;
  TF(create(path), "create(PATH_MAX)");
  TF(stat(path, &status), "stat(PATH_MAX)");
  TF(symlink(long_name(4095), "longest"), "symlink(4095 bytes)");
  TF(symlink(long_name(4096), "too long"), "symlink(4096 bytes)");
  TF(symlink(long_name(1000), "long"), "symlink(1000 bytes)");
  TF(symlink("", "empty"), "symlink(nothing)");
  char text[5000];
  T(readlink("longest", text, sizeof text));
  T(readlink("longest", text, 10));
  T(readlink("longest", text, 0));
  T(stat("longest", &status));
}

CASE(odd_names) {
  ACT();
  static const char *const odd[] = {"-rf",     "new\nline", "trailing ",      " leading",    "tab\t",        "\x01\x7f",
                                    "\xff\xfe", "caf\xc3\xa9", "cafe\xcc\x81", "caf\xe9",    "...",          "back\\slash",
                                    "*?[",     "'\"`$",      "\xf0\x9f\x92\xa9", ".hidden", "UPPER",        "upper",
                                    ".fuse_hidden0001", "a:b", "%41"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    TF(create(odd[i]), "create(%zu)", i);
    TF(create(odd[i]), "create(%zu) again", i);
    int descriptor = open(odd[i], O_WRONLY);
    TF(write(descriptor, odd[i], strlen(odd[i])), "write(%zu)", i);
    close(descriptor);
  }
  names(".");
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) content(odd[i]);
}

CASE(deep_tree) {
  ACT();
  int here = open(".", O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 200; i++)
    if (mkdir(long_name(50), 0755) != 0 || chdir(long_name(50)) != 0) {
      note("  stopped at %d: %s", i, strerrorname_np(errno));
      break;
    }
  char text[PATH_MAX];
  struct stat status;
  T(create("bottom"));
  T(stat("bottom", &status));
  T(getcwd(text, sizeof text) == NULL ? -1 : 0);
  T(rename("bottom", "renamed"));
  T(rename("renamed", "../up"));
  T(stat("../../../..", &status));
  T(fchdir(here));
}

CASE(many_links_of_a_path) {
  folder("d", 0777);
  file("d/file", "text");
  char name[16], target[16];
  if (symlink("d", "l0") != 0) note("preparing failed");
  for (int i = 1; i < 50; i++) {
    snprintf(name, sizeof name, "l%d", i);
    snprintf(target, sizeof target, "l%d", i - 1);
    if (symlink(target, name) != 0) note("preparing failed");
  }
  ACT();
  struct stat status;
  T(stat("l10/file", &status));
  T(stat("l38/file", &status));
  T(stat("l39/file", &status));
  T(stat("l40/file", &status));
  T(stat("l49", &status));
  T(lstat("l49", &status));
}

CASE(rename_and_hard_links) {
  file("a", "text");
  if (link("a", "b") != 0) note("preparing failed");
  file("other", "other");
  if (link("other", "other2") != 0) note("preparing failed");
  ACT();
  T(rename("a", "a"));
  T(rename("a", "b"));
  T(renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE));
  T(renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE));
  names(".");
  T(rename("a", "other"));
  show("b");
  show("other");
  show("other2");
  content("other");
  content("other2");
  T(unlink("other2"));
  T(renameat2(AT_FDCWD, "b", AT_FDCWD, "b", RENAME_EXCHANGE));
  T(renameat2(AT_FDCWD, "b", AT_FDCWD, "b", RENAME_NOREPLACE));
  T(renameat2(AT_FDCWD, "b", AT_FDCWD, "c", RENAME_NOREPLACE | RENAME_EXCHANGE));
  T(renameat2(AT_FDCWD, "b", AT_FDCWD, "c", 0x80));
}

CASE(rename_of_folders) {
  umask(0);
  folder("a", 0777);
  folder("a/b", 0777);
  folder("a/b/c", 0777);
  file("a/b/c/file", "text");
  folder("empty", 0777);
  folder("closed", 0777);
  folder("closed/inner", 0755);
  ACT();
  T(rename("a", "a/b"));
  T(rename("a", "a/b/c/d"));
  T(rename("a/b/c", "a"));
  T(rename("a/b/c", "empty"));
  names("empty");
  T(rename("empty", "a"));
  T(rename("a", "moved"));
  names("moved");
  T(renameat2(AT_FDCWD, "moved/b", AT_FDCWD, "empty", RENAME_EXCHANGE));
  T(renameat2(AT_FDCWD, "empty", AT_FDCWD, "empty/file", RENAME_EXCHANGE));
  T(rename("closed/inner", "moved/inner"));
  T(rename("missing/x", "y"));
  T(rename("empty/", "slash/"));
  T(rename("slash", "empty/"));
  T(create("plainfile"));
  T(rename("plainfile", "plainfile2/"));
  T(rename("plainfile/", "plainfile2"));
  T(rename("empty/..", "x"));
  T(rename("empty/.", "x"));
  T(rename("empty", "."));
}

CASE(names_under_a_renamed_folder) {
  folder("a", 0777);
  file("a/file", "text");
  ACT();
  int directory = (int)T(open("a", O_RDONLY | O_DIRECTORY)), descriptor = (int)T(open("a/file", O_RDONLY));
  act_as_owner();
  T(rename("a", "b"));
  file("b/second", "text");
  act_again();
  struct stat status;
  T(fstatat(directory, "second", &status, 0));
  T(openat(directory, "file", O_RDONLY));
  T(stat("a/file", &status));
  T(stat("b/file", &status));
  char path[64], text[PATH_MAX];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(path, text, sizeof text - 1);
  text[length < 0 ? 0 : length] = 0;
  note("  path ends in %s", strlen(text) > 7 ? text + strlen(text) - 7 : text);
}

CASE(link_counts) {
  ACT();
  T(create("file"));
  char name[16];
  for (int i = 0; i < 50; i++) {
    snprintf(name, sizeof name, "link%d", i);
    if (link("file", name) != 0) note("  link %d: %s", i, strerrorname_np(errno));
  }
  show("file");
  show("link49");
  T(chmod("link7", 0600));
  show("link30");
  T(truncate("link8", 77));
  show("link31");
  T(unlink("file"));
  show("link49");
  T(mkdir("dir", 0755));
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "dir/%d", i);
    if (mkdir(name, 0755) != 0) note("  mkdir %d: %s", i, strerrorname_np(errno));
  }
  show("dir");
  T(rmdir("dir/3"));
  show("dir");
  T(rename("dir/4", "4"));
  show("dir");
}

CASE(link_by_descriptor) {
  file("file", "text");
  ACT();
  int descriptor = (int)T(open("file", O_RDONLY));
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  T(linkat(AT_FDCWD, path, AT_FDCWD, "by path", AT_SYMLINK_FOLLOW));
  T(linkat(AT_FDCWD, path, AT_FDCWD, "link itself", 0));
  T(linkat(descriptor, "", AT_FDCWD, "by descriptor", AT_EMPTY_PATH));
  T(linkat(descriptor, "", AT_FDCWD, "without the flag", 0));
}

CASE(temporary_file) {
  ACT();
  int descriptor = (int)MAY_REFUSE(EOPNOTSUPP, open(".", O_RDWR | O_TMPFILE, 0644));
  close(descriptor);
  MAY_REFUSE(EOPNOTSUPP, open("missing", O_RDWR | O_TMPFILE, 0644) < 0 && errno == ENOENT ? 0 : -1);
}

CASE(create_exclusively) {
  file("file", "text");
  folder("folder", 0777);
  if (symlink("nowhere", "dangling") || symlink("file", "link")) note("preparing failed");
  ACT();
  static const char *const paths[] = {"file", "folder", "dangling", "link", "new"};
  for (int i = 0; i < 5; i++) TF(create(paths[i]), "create(%s)", paths[i]);
  T(open("new2", O_CREAT | O_EXCL | O_RDONLY | O_TRUNC, 0444) < 0 ? -1 : 0);
  T(open("new3", O_CREAT | O_WRONLY | O_TRUNC | O_APPEND | O_SYNC, 0644) < 0 ? -1 : 0);
  T(open("new4", O_CREAT | O_WRONLY | O_NOCTTY | O_CLOEXEC | O_DSYNC, 0644) < 0 ? -1 : 0);
  T(open("new5", O_CREAT | O_RDWR | O_DIRECT, 0644) < 0 ? -1 : 0);
  T(open("new6/", O_CREAT | O_RDWR, 0644) < 0 ? -1 : 0);
  T(open("", O_CREAT | O_RDWR, 0644) < 0 ? -1 : 0);
}

CASE(status_flags) {
  file("file", "text");
  ACT();
  int descriptor = (int)T(open("file", O_RDONLY));
  note("  %o", fcntl(descriptor, F_GETFL) & ~0100000);
  T(fcntl(descriptor, F_SETFL, O_NONBLOCK | O_APPEND));
  note("  %o", fcntl(descriptor, F_GETFL) & ~0100000);
  T(fcntl(descriptor, F_SETFL, O_DIRECT));
  T(fcntl(descriptor, F_SETFL, O_NOATIME));
  T(fcntl(descriptor, F_GETFD));
  T(fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0 || errno == EAGAIN || errno == EACCES ? 0 : 0);
}

CASE(resolve_beneath) {
  folder("in", 0777);
  file("in/file", "text");
  if (symlink("../in/file", "in/out") || symlink("file", "in/link")) note("preparing failed");
  ACT();
  int directory = (int)T(open("in", O_PATH | O_DIRECTORY));
  static const char *const paths[] = {"file", "link", "out", "..", "./file", "missing"};
  for (int i = 0; i < 6; i++) {
    struct open_how how = {.flags = O_RDONLY, .resolve = RESOLVE_BENEATH};
    TF(syscall(SYS_openat2, directory, paths[i], &how, sizeof how) < 0 ? -1 : 0, "openat2(%s, BENEATH)", paths[i]);
    how.resolve = RESOLVE_NO_SYMLINKS;
    TF(syscall(SYS_openat2, directory, paths[i], &how, sizeof how) < 0 ? -1 : 0, "openat2(%s, NO_SYMLINKS)", paths[i]);
    how.resolve = RESOLVE_NO_XDEV;
    TF(syscall(SYS_openat2, directory, paths[i], &how, sizeof how) < 0 ? -1 : 0, "openat2(%s, NO_XDEV)", paths[i]);
  }
}

CASE(reopen_by_descriptor) {
  file("file", "text");
  chmod("file", 0666);
  ACT();
  int reader = (int)T(open("file", O_RDONLY)), path_only = (int)T(open("file", O_PATH));
  char path[64];
  snprintf(path, sizeof path, "/dev/fd/%d", reader);
  T(open(path, O_RDWR) < 0 ? -1 : 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", path_only);
  int writer = (int)T(open(path, O_RDWR | O_APPEND));
  T(write(writer, "more", 4));
  T(chmod(path, 0644));
  struct stat status;
  T(stat(path, &status));
  T(fstatat(path_only, "", &status, AT_EMPTY_PATH));
  T(truncate(path, 2));
  content("file");
}

CASE(statx_masks) {
  file("file", "text");
  ACT();
  struct statx status;
  T(statx(AT_FDCWD, "file", 0, STATX_BASIC_STATS, &status));
  note("  %x", status.stx_mask & STATX_BASIC_STATS);
  T(statx(AT_FDCWD, "file", AT_STATX_FORCE_SYNC, STATX_SIZE, &status));
  T(statx(AT_FDCWD, "file", AT_STATX_DONT_SYNC, STATX_SIZE, &status));
  T(statx(AT_FDCWD, "file", AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC, STATX_SIZE, &status));
  T(statx(AT_FDCWD, "", AT_EMPTY_PATH, STATX_MODE, &status));
  T(statx(AT_FDCWD, "missing", 0, STATX_ALL, &status));
}

CASE(file_system_status) {
  ACT();
  struct statvfs status;
  T(statvfs(".", &status));
  note("  names %lu, block %lu, fragment %lu", status.f_namemax, status.f_bsize == 0 ? 0UL : 1UL, status.f_frsize);
  note("  blocks %d", status.f_blocks > 0);
}

CASE(limits_of_paths) {
  ACT();
  note("  %ld %ld %ld", pathconf(".", _PC_NAME_MAX), pathconf(".", _PC_PATH_MAX), pathconf(".", _PC_NO_TRUNC));
}

CASE(listing) {
  umask(0);
  folder("folder", 0777);
  char path[64];
  for (int i = 0; i < 300; i++) {
    snprintf(path, sizeof path, "folder/name-%03d", i);
    if (i % 10 == 0) folder(path, 0755);
    else if (i % 10 == 1 && symlink("x", path) != 0) note("preparing failed");
    else if (i % 10 == 2 && mkfifo(path, 0644) != 0) note("preparing failed");
    else if (i % 10 > 2) file(path, "");
  }
  ACT();
  names("folder");
  DIR *directory = opendir("folder");
  if (directory == NULL) return;
  int types[16] = {0};
  long wrong_inodes = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    types[entry->d_type & 15]++;
    struct stat status;
    if (strcmp(entry->d_name, "..") == 0) continue;
    wrong_inodes += fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
                    status.st_ino != entry->d_ino;
  }
  for (int i = 0; i < 16; i++) note("  type %d: %d", i, types[i]);
  note("  inode numbers that differ: %ld", wrong_inodes);
  rewinddir(directory);
  for (int i = 0; i < 100; i++) readdir(directory);
  long place = telldir(directory);
  struct dirent *entry = readdir(directory);
  char after[256];
  snprintf(after, sizeof after, "%s", entry ? entry->d_name : "");
  int rest = 1;
  while (readdir(directory) != NULL) rest++;
  seekdir(directory, place);
  entry = readdir(directory);
  note("  rest %d, the same after seekdir: %d", rest, entry != NULL && strcmp(entry->d_name, after) == 0);
  int again = 1;
  while (readdir(directory) != NULL) again++;
  note("  rest again %d", again);
  file("folder/later", "");
  rewinddir(directory);
  int count = 0;
  while (readdir(directory) != NULL) count++;
  note("  after rewinding %d", count);
  closedir(directory);
}

CASE(remove_while_listing) {
  umask(0);
  folder("folder", 0777);
  char path[64];
  for (int i = 0; i < 1000; i++) {
    snprintf(path, sizeof path, "folder/some-longer-name-%04d", i);
    file(path, "");
  }
  ACT();
  DIR *directory = opendir("folder");
  if (directory == NULL) return;
  int removed = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (entry->d_name[0] == 's' && unlinkat(dirfd(directory), entry->d_name, 0) == 0) removed++;
  closedir(directory);
  note("  removed %d", removed);
  T(rmdir("folder"));
}

CASE(two_names_of_one_file) {
  file("a", "text");
  if (link("a", "b") != 0) note("preparing failed");
  show("a");
  show("b");
  ACT();
  act_as_owner();
  int descriptor = (int)T(open("a", O_RDWR | O_APPEND));
  T(write(descriptor, "more", 4));
  show("b");
  T(chmod("b", 0600));
  show("a");
  T(unlink("a"));
  show_descriptor(descriptor);
  show("b");
  struct stat one, two;
  T(fstat(descriptor, &one));
  T(stat("b", &two));
  note("  the same inode: %d", one.st_ino == two.st_ino);
}

CASE(refused_nodes) {
  ACT();
  MAY_REFUSE(EPERM, mknod("null", S_IFCHR | 0666, 0x103));
  MAY_REFUSE(EPERM, mknod("disk", S_IFBLK | 0666, 0x800));
  T(mknod("folder", S_IFDIR | 0755, 0));
  T(mknod("plain", 0644, 0));
  unlink("null");
  unlink("disk");
}

CASE(inode_flags) {
  file("file", "text");
  ACT();
  int descriptor = (int)T(open("file", O_RDONLY)), flags = 0;
  MAY_REFUSE(ENOTTY, ioctl(descriptor, _IOR('f', 1, long), &flags));
  T(ioctl(descriptor, 0x1234, 0));
  T(isatty(descriptor) ? 0 : -1);
}

CASE(wrong_descriptors) {
  file("file", "text");
  ACT();
  struct stat status;
  int descriptor = (int)T(open("file", O_RDONLY));
  T(openat(descriptor, "x", O_RDONLY));
  T(fstatat(descriptor, "x", &status, 0));
  T(mkdirat(descriptor, "x", 0755));
  T(fchdir(descriptor));
  T(openat(99, "x", O_RDONLY));
  T(fstat(99, &status));
  T(fsync(99));
  static const char *volatile nowhere = (const char *)8;
  T(open(nowhere, O_RDONLY));
  T(stat(nowhere, &status));
  T(open("file", O_RDONLY | O_PATH | O_CREAT, 0644) < 0 ? -1 : 0);
  T(open("file", 3) < 0 ? -1 : 0);
  T(open("file", O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
}
