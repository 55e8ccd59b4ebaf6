// Who may do what: modes, owners, sticky and setgid directories, setuid files, umask, ACLs.
#include "table.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const mode_t file_modes[] = {0000, 0400, 0200, 0040, 0020, 0004, 0002, 0644, 0664, 0666, 0444, 0100, 0010, 0001};
static const mode_t folder_modes[] = {0000, 0400, 0200, 0100, 0500, 0300, 0700, 0050, 0030, 0070, 0005,
                                      0003, 0007, 0755, 0775, 0777, 01777, 01775, 02775, 02777, 03777};
#define COUNT(array) (sizeof array / sizeof *array)

/// What a caller may try on a file, and on its metadata. `readable` says whether the owner may read it.
static void use_file(const char *name, bool readable) {
  char text[64];
  static const int flags[] = {O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_APPEND, O_RDONLY | O_NOATIME, O_PATH};
  for (size_t i = 0; i < COUNT(flags); i++) {
    int descriptor = open(name, flags[i]);
    TF(descriptor < 0 ? -1 : 0, "open(%s, %o)", name, flags[i]);
    if (descriptor >= 0) close(descriptor);
  }
  TF(access(name, R_OK | W_OK), "access(%s, R|W)", name);
  TF(access(name, X_OK), "access(%s, X)", name);
  TF(truncate(name, 2), "truncate(%s)", name);
  TF(utimensat(AT_FDCWD, name, NULL, 0), "utimensat(%s, now)", name);
  struct timespec omit[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
  TF(utimensat(AT_FDCWD, name, omit, 0), "utimensat(%s, omit)", name);
  struct timespec both_now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  TF(utimensat(AT_FDCWD, name, both_now, 0), "utimensat(%s, both now)", name);
  struct timespec one_now[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  TF(utimensat(AT_FDCWD, name, one_now, 0), "utimensat(%s, atime now)", name);
  struct timespec set[2] = {{1000000000, 1}, {1100000000, 999999999}};
  TF(utimensat(AT_FDCWD, name, set, 0), "utimensat(%s, set)", name);
  // What may be written but not read: an ordinary user's daemon cannot read what is stored already.
  bool changes_metadata = runs_as_root() || readable;
  if (changes_metadata) TF(setxattr(name, "user.colour", "red", 3, 0), "setxattr(%s)", name);
  TF(getxattr(name, "user.colour", text, sizeof text), "getxattr(%s)", name);
  if (changes_metadata) TF(removexattr(name, "user.colour"), "removexattr(%s)", name);
}

CASE(mode_of_file) {
  for (size_t i = 0; i < COUNT(file_modes); i++) {
    char name[16];
    snprintf(name, sizeof name, "f%04o", file_modes[i]);
    file(name, "text");
    chmod(name, file_modes[i]);
  }
  ACT();
  for (size_t i = 0; i < COUNT(file_modes); i++) {
    char name[16];
    snprintf(name, sizeof name, "f%04o", file_modes[i]);
    use_file(name, file_modes[i] & 0400);
    TF(chmod(name, file_modes[i] ^ 0004), "chmod(%s)", name);
    TF(chown(name, (uid_t)-1, 60010), "chown(%s, group)", name);
  }
}

/// A folder that everyone may use, with something of each kind in it.
static void fill_folder(const char *name) {
  char below[48];
  folder(name, 0777);
  snprintf(below, sizeof below, "%s/file", name);
  file(below, "text");
  snprintf(below, sizeof below, "%s/other", name);
  file(below, "text");
  snprintf(below, sizeof below, "%s/sub", name);
  folder(below, 0777);
}

/// What a caller may try in a folder that `fill_folder` made.
static void use_folder(const char *name) {
  char one[48], two[48];
  struct stat status;
#define ONE(text) (snprintf(one, sizeof one, "%s/%s", name, text), one)
#define TWO(text) (snprintf(two, sizeof two, "%s/%s", name, text), two)
  TF(stat(ONE("file"), &status), "stat(%s)", one);
  TF(stat(ONE("missing"), &status), "stat(%s)", one);
  int descriptor = open(name, O_RDONLY | O_DIRECTORY);
  TF(descriptor < 0 ? -1 : 0, "open(%s)", name);
  if (descriptor >= 0) close(descriptor);
  descriptor = open(ONE("new"), O_WRONLY | O_CREAT | O_EXCL, 0640);
  TF(descriptor < 0 ? -1 : 0, "create(%s)", one);
  if (descriptor >= 0) close(descriptor);
  TF(mkdir(ONE("newdir"), 0750), "mkdir(%s)", one);
  TF(symlink("x", ONE("newlink")), "symlink(%s)", one);
  TF(mkfifo(ONE("newfifo"), 0640), "mkfifo(%s)", one);
  TF(link(ONE("file"), TWO("linked")), "link(%s, %s)", one, two);
  TF(rename(ONE("file"), TWO("renamed")), "rename(%s, %s)", one, two);
  TF(rename(ONE("sub"), TWO("moved")), "rename(%s, %s)", one, two);
  TF(renameat2(AT_FDCWD, ONE("other"), AT_FDCWD, TWO("new"), RENAME_EXCHANGE), "exchange(%s, %s)", one, two);
  TF(rename(ONE("new"), TWO("other")), "rename(%s, %s)", one, two);
  TF(unlink(ONE("other")), "unlink(%s)", one);
  TF(rmdir(ONE("newdir")), "rmdir(%s)", one);
#undef ONE
#undef TWO
}

CASE(mode_of_folder) {
  umask(0);
  for (size_t i = 0; i < COUNT(folder_modes); i++) {
    char name[32];
    snprintf(name, sizeof name, "d%04o", folder_modes[i]);
    fill_folder(name);
    chmod(name, folder_modes[i]);
  }
  ACT();
  for (size_t i = 0; i < COUNT(folder_modes); i++) {
    char name[32];
    snprintf(name, sizeof name, "d%04o", folder_modes[i]);
    use_folder(name);
    TF(chmod(name, 0755), "chmod(%s)", name);
    TF(setxattr(name, "user.colour", "red", 3, 0), "setxattr(%s)", name);
  }
}

CASE(sticky_folder) {
  folder("sticky", 01777);
  file("sticky/owners", "text");
  folder("sticky/folder", 0777);
  act_as_root();
  file("sticky/roots", "text");
  ACT();
  file("sticky/own", "own");
  T(unlink("sticky/owners"));
  T(unlink("sticky/roots"));
  T(rename("sticky/own", "sticky/own2"));
  T(rename("sticky/own2", "sticky/roots"));
  T(rename("sticky/owners", "sticky/new"));
  T(rename("sticky/folder", "sticky/new"));
  T(rmdir("sticky/folder"));
  T(renameat2(AT_FDCWD, "sticky/own2", AT_FDCWD, "sticky/roots", RENAME_EXCHANGE));
  T(setxattr("sticky", "user.colour", "red", 3, 0));
  // fs.protected_regular and its kin act on sticky directories that everyone may write.
  T(open("sticky/roots", O_WRONLY | O_CREAT, 0644) < 0 ? -1 : 0);
  T(open("sticky/owners", O_RDONLY | O_CREAT, 0644) < 0 ? -1 : 0);
  T(link("sticky/roots", "sticky/linked"));
}

CASE(setgid_folder) {
  umask(0);
  folder("shared", 0777);
  act_as_root();
  if (chown("shared", (uid_t)-1, 60040) != 0) note("preparing failed");
  chmod("shared", 02777);
  ACT();
  umask(002);
  file("shared/file", "text");
  T(mkdir("shared/folder", 0777));
  T(mkdir("shared/folder/deeper", 0700));
  file("shared/folder/inner", "text");
  T(mkfifo("shared/fifo", 0666));
  T(symlink("x", "shared/link"));
  T(close(open("shared/setgid", O_WRONLY | O_CREAT, 02775)));
  T(mknod("shared/node", S_IFREG | 02775, 0));
  T(chmod("shared/file", 02775));
  show("shared/file");
  T(chmod("shared/folder", 0755));
  show("shared/folder");
}

CASE(umask_of_caller) {
  ACT();
  static const mode_t masks[] = {0000, 0002, 0022, 0027, 0077, 0777};
  for (size_t i = 0; i < COUNT(masks); i++) {
    char name[32];
    umask(masks[i]);
    snprintf(name, sizeof name, "file%03o", masks[i]);
    TF(close(open(name, O_WRONLY | O_CREAT | O_EXCL, 0666)), "create(%s)", name);
    snprintf(name, sizeof name, "set%03o", masks[i]);
    TF(close(open(name, O_WRONLY | O_CREAT | O_EXCL, 06777)), "create(%s)", name);
    snprintf(name, sizeof name, "dir%03o", masks[i]);
    TF(mkdir(name, 01777), "mkdir(%s)", name);
    snprintf(name, sizeof name, "fifo%03o", masks[i]);
    TF(mkfifo(name, 0666), "mkfifo(%s)", name);
    snprintf(name, sizeof name, "node%03o", masks[i]);
    TF(mknod(name, S_IFREG | 0666, 0), "mknod(%s)", name);
    snprintf(name, sizeof name, "link%03o", masks[i]);
    TF(symlink("x", name), "symlink(%s)", name);
  }
}

/// rwx for the owner, r-- for user 60003, rwx for group 60030, r-x for the group, mask, nothing for others.
static const struct acl sample_acl = {
    2, {{1, 7, ANY}, {2, 4, 60003}, {4, 5, ANY}, {8, 7, 60030}, {16, 7, ANY}, {32, 0, ANY}}};

CASE(acl_on_file) {
  file("file", "text");
  char text[128];
  ACT();
  T(setxattr("file", "system.posix_acl_access", &sample_acl, sizeof sample_acl, 0));
  T(getxattr("file", "system.posix_acl_access", text, sizeof text));
  show("file");
  T(chmod("file", 0640));
  show("file");
  T(getxattr("file", "system.posix_acl_access", text, sizeof text));
  T(setxattr("file", "system.posix_acl_default", &sample_acl, sizeof sample_acl, 0));
  T(setxattr("file", "system.posix_acl_access", "garbage", 7, 0));
  T(removexattr("file", "system.posix_acl_access"));
  show("file");
  T(getxattr("file", "system.posix_acl_access", text, sizeof text));
  T(getxattr("file", "system.posix_acl_default", text, sizeof text));
}

CASE(acl_decides_access) {
  file("file", "text");
  folder("folder", 0700);
  file("folder/inner", "text");
  T(setxattr("file", "system.posix_acl_access", &sample_acl, sizeof sample_acl, 0));
  T(setxattr("folder", "system.posix_acl_access", &sample_acl, sizeof sample_acl, 0));
  ACT();
  T(open("file", O_RDONLY) < 0 ? -1 : 0);
  T(open("file", O_WRONLY) < 0 ? -1 : 0);
  T(open("folder/inner", O_RDONLY) < 0 ? -1 : 0);
  T(open("folder/new", O_WRONLY | O_CREAT, 0644) < 0 ? -1 : 0);
  T(access("file", X_OK));
  T(access("folder", X_OK));
  names("folder");
}

/// Who an entry of `each_acl` is for: the stranger by name, his group, the group of the file, or nobody whom it names.
enum entitled { NAMED_USER, NAMED_GROUP, OWNING_GROUP, OTHERS, ENTITLED_COUNT };

/// Calls `body` with a name for, and the ACL of, each set of permissions for each of those entitled, under each mask that
/// lets all, some or none of it through.
static void each_acl(void (*body)(const char *name, const struct acl *acl)) {
  static const uint16_t masks[] = {7, 5, 2, 0};
  for (int entitled = 0; entitled < ENTITLED_COUNT; entitled++)
    for (uint16_t permissions = 0; permissions < 8; permissions++)
      for (size_t i = 0; i < COUNT(masks); i++) {
        struct acl acl = {2, {{1, 7, ANY}, {2, 0, 60003}, {4, 0, ANY}, {8, 0, 60030}, {16, masks[i], ANY}, {32, 0, ANY}}};
        static const int places[ENTITLED_COUNT] = {1, 3, 2, 5};
        acl.entries[places[entitled]].permissions = permissions;
        // By his own entry the kernel judges a named user alone: the others are tried with one for somebody else.
        if (entitled != NAMED_USER) acl.entries[1].id = 60009;
        if (entitled == OTHERS) acl.entries[3].id = 60009;
        char name[32];
        snprintf(name, sizeof name, "%d-%d-%d", entitled, permissions, masks[i]);
        body(name, &acl);
      }
}

static void make_file_with_acl(const char *name, const struct acl *acl) {
  file(name, "text");
  TF(setxattr(name, "system.posix_acl_access", acl, sizeof *acl, 0), "setxattr(%s, ACL)", name);
}
static void use_file_with_acl(const char *name, const struct acl *acl) {
  (void)acl;
  use_file(name, true);
}

CASE(each_acl_of_file) {
  each_acl(make_file_with_acl);
  ACT();
  each_acl(use_file_with_acl);
}

static void make_folder_with_acl(const char *name, const struct acl *acl) {
  fill_folder(name);
  TF(setxattr(name, "system.posix_acl_access", acl, sizeof *acl, 0), "setxattr(%s, ACL)", name);
}
static void use_folder_with_acl(const char *name, const struct acl *acl) {
  (void)acl;
  use_folder(name);
}

CASE(each_acl_of_folder) {
  umask(0);
  each_acl(make_folder_with_acl);
  ACT();
  each_acl(use_folder_with_acl);
}

CASE(acl_default_of_folder) {
  umask(0);
  folder("folder", 0777);
  T(setxattr("folder", "system.posix_acl_default", &sample_acl, sizeof sample_acl, 0));
  ACT();
  umask(027);
  T(close(open("folder/file", O_WRONLY | O_CREAT, 0666)));
  T(close(open("folder/private", O_WRONLY | O_CREAT, 0600)));
  T(mkdir("folder/sub", 0777));
  T(mkdir("folder/sub/deeper", 0755));
  T(mkfifo("folder/fifo", 0666));
  T(mknod("folder/node", S_IFREG | 0666, 0));
  T(symlink("x", "folder/link"));
}

CASE(chown_and_modes) {
  umask(0);
  static const mode_t modes[] = {0644, 02644, 04755, 06755, 02755, 06711};
  for (size_t i = 0; i < COUNT(modes); i++) {
    char name[16];
    snprintf(name, sizeof name, "f%04o", modes[i]);
    file(name, "text");
    chmod(name, modes[i]);
  }
  folder("dir", 0777);
  chmod("dir", 06777);
  ACT();
  for (size_t i = 0; i < COUNT(modes); i++) {
    char name[16];
    snprintf(name, sizeof name, "f%04o", modes[i]);
    // Others than the owner are refused or not by the bits alone; in a mount they are heard and nothing is done.
    if (acting_caller() <= CALLER_OWNER) TF(chown(name, (uid_t)-1, (gid_t)-1), "chown(%s, nothing)", name);
    show(name);
    TF(chown(name, 60001, (gid_t)-1), "chown(%s, owner)", name);
    show(name);
    TF(chmod(name, modes[i]), "chmod(%s)", name);
    TF(chown(name, (uid_t)-1, 60010), "chown(%s, group)", name);
    show(name);
    TF(chmod(name, modes[i]), "chmod(%s)", name);
    TF(chown(name, 60003, 60030), "chown(%s, stranger)", name);
    show(name);
  }
  T(chown("dir", (uid_t)-1, 60010));
  show("dir");
}

/// Each way to change content, on executable files with setuid and setgid that everyone may write.
static void change_content(const char *name, int way) {
  int descriptor = open(name, way == 3 ? O_RDWR | O_TRUNC : way == 1 ? O_WRONLY | O_APPEND : O_RDWR);
  switch (way) {
  case 0: TF(write(descriptor, "x", 1), "write(%s)", name); break;
  case 1: TF(write(descriptor, "x", 1), "append(%s)", name); break;
  case 2: TF(truncate(name, 1), "truncate(%s)", name); break;
  case 3: TF(descriptor < 0 ? -1 : 0, "open(%s, O_TRUNC)", name); break;
  case 4: TF(fallocate(descriptor, 0, 0, 8192), "fallocate(%s)", name); break;
  case 5: TF(ftruncate(descriptor, 100), "ftruncate(%s)", name); break;
  case 6: {
    int from = open("source", O_RDONLY);
    TF(copy_file_range(from, NULL, descriptor, NULL, 4, 0), "copy_file_range(%s)", name);
    close(from);
    break;
  }
  case 7: {
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    TF(map == MAP_FAILED ? -1 : 0, "mmap(%s)", name);
    if (map == MAP_FAILED) break;
    map[0] = 'm';
    TF(msync(map, 4096, MS_SYNC), "msync(%s)", name);
    munmap(map, 4096);
    break;
  }
  case 8: TF(write(descriptor, "", 0), "write nothing(%s)", name); break;
  case 9: TF(ftruncate(descriptor, 4), "ftruncate to the same(%s)", name); break;
  }
  close(descriptor);
}

static void setuid_and_writes(mode_t bits) {
  umask(0);
  file("source", "text");
  for (int way = 0; way < 10; way++) {
    // Without passthrough the pages of a mapping come back as writes, which drop the bits.
    if (way == 7 && !runs_as_root()) continue;
    char name[16];
    snprintf(name, sizeof name, "way%d", way);
    file(name, "text");
    chmod(name, bits | 0777);
    act_again();
    change_content(name, way);
    show(name);
    act_as_owner();
    chmod(name, bits | 0776);
    act_again();
    change_content(name, way);
    show(name);
    act_as_owner();
  }
}

// Root's own write through passthrough drops the bits: the README's difference, so root is another case.
CASE(setuid_after_write) {
  if (acting_caller() != CALLER_ROOT) setuid_and_writes(04000);
}
CASE(setgid_after_write) {
  if (acting_caller() != CALLER_ROOT) setuid_and_writes(02000);
}
CASE(setuid_and_setgid_after_write) {
  if (acting_caller() != CALLER_ROOT) setuid_and_writes(06000);
}

CASE(setuid_set_while_open) {
  umask(0);
  file("file", "text");
  chmod("file", 0666);
  ACT();
  int descriptor = (int)T(open("file", O_RDWR));
  act_as_owner();
  T(chmod("file", 04777));
  act_again();
  if (acting_caller() != CALLER_ROOT) {
    T(write(descriptor, "x", 1));
    show("file");
  }
  T(fchmod(descriptor, 0644));
  show("file");
}

CASE(chmod_by_outsider_drops_setgid) {
  umask(0);
  act_as_root();
  file("file", "text");
  if (chown("file", 60001, 60040) != 0) note("preparing failed");
  folder("folder", 0777);
  if (chown("folder", 60001, 60040) != 0) note("preparing failed");
  ACT();
  T(chmod("file", 02755));
  show("file");
  T(chmod("folder", 02755));
  show("folder");
  T(chmod("file", 0107777));
  show("file");
}

CASE(descriptor_outlives_permission) {
  file("file", "text");
  chmod("file", 0666);
  ACT();
  int descriptor = (int)T(open("file", O_RDWR));
  act_as_owner();
  chmod("file", 0000);
  act_again();
  char text[8];
  T(write(descriptor, "new", 3));
  T(pread(descriptor, text, sizeof text, 0));
  T(ftruncate(descriptor, 1));
  T(open("file", O_RDONLY) < 0 ? -1 : 0);
  T(fsetxattr(descriptor, "user.colour", "red", 3, 0));
  struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  T(futimens(descriptor, now));
}

CASE(create_with_mode_that_forbids_writing) {
  ACT();
  int descriptor = (int)T(open("readonly", O_RDWR | O_CREAT | O_EXCL, 0444));
  T(write(descriptor, "text", 4));
  T(fsetxattr(descriptor, "user.colour", "red", 3, 0));
  T(open("readonly", O_WRONLY) < 0 ? -1 : 0);
  descriptor = (int)T(open("nothing", O_RDWR | O_CREAT | O_EXCL, 0000));
  T(write(descriptor, "text", 4));
}
