// A walk at random through names, modes, owners, ACLs and attributes, each step as one of the callers. What the cases of
// the other files do not combine comes together here; a walk's seed makes it again.
#include "table.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { STEPS = 4000, PATH_LENGTH = 32 };

uint64_t walk_seed;
static uint64_t state;

/// A number below `limit`.
static unsigned below(unsigned limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 11) % limit);
}

#define ONE_OF(list) ((list)[below(sizeof(list) / sizeof *(list))])

/// A name in one of few folders, some of which are there: most calls meet what others left.
static const char *any_path(char *path) {
  static const char *const folders[] = {"", "", "a/", "b/", "a/c/", "b/d/", "a/c/e/", "link/"};
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "link"};
  snprintf(path, PATH_LENGTH, "%s%s", ONE_OF(folders), ONE_OF(names));
  return path;
}

static mode_t any_mode(void) {
  static const mode_t special[] = {0, 0, 0, 0, 01000, 02000, 04000, 06000};
  static const mode_t usual[] = {0777, 0755, 0775, 0770, 0644, 0664, 0666};
  // What its owner may not read has no metadata on an ordinary user's mount: a difference that the README lists.
  mode_t readable = runs_as_root() ? 0 : 0400;
  return (below(2) ? ONE_OF(usual) : (mode_t)below(01000)) | ONE_OF(special) | readable;
}

static uid_t any_user(void) { return below(3) ? identities[below(CALLER_COUNT)].uid : (uid_t)-1; }

static gid_t any_group(void) {
  static const gid_t groups[] = {0, 60010, 60020, 60030, 60040, (gid_t)-1};
  return ONE_OF(groups);
}

/// One with a user, a group and a mask, or one that says no more than a mode. Returns its size.
static size_t any_acl(struct acl *acl) {
  uint16_t permissions[6];
  for (size_t i = 0; i < 6; i++) permissions[i] = (uint16_t)below(8);
  if (!runs_as_root()) permissions[0] |= 4;
  if (below(4) == 0) {
    *acl = (struct acl){2, {{1, permissions[0], ANY}, {4, permissions[1], ANY}, {32, permissions[2], ANY}}};
    return 4 + 3 * 8;
  }
  *acl = (struct acl){2,
                      {{1, permissions[0], ANY},
                       {2, permissions[1], identities[below(CALLER_COUNT)].uid},
                       {4, permissions[2], ANY},
                       {8, permissions[3], identities[below(CALLER_COUNT)].gid},
                       {16, permissions[4], ANY},
                       {32, permissions[5], ANY}}};
  return sizeof *acl;
}

static void show_entry(const char *path) {
  struct stat status;
  // The size of a folder is the filesystem's own affair.
  if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
    note("  %s: folder %04o %u:%u links %lu", path, status.st_mode & 07777, status.st_uid, status.st_gid,
         (unsigned long)status.st_nlink);
  else
    show(path);
}

/// Whether setgid is on without execution by the group: what becomes of it at a chown is a difference that the README
/// lists, since nobody tells a mount of the caller's supplementary groups.
static bool has_idle_setgid(const struct stat *status) { return (status->st_mode & 02010) == 02000; }

/// What a descriptor allows once it is there.
static void use(int descriptor, const char *path) {
  struct stat status;
  char text[8];
  if (fstat(descriptor, &status) != 0 || S_ISFIFO(status.st_mode)) return;
  switch (below(8)) {
  case 0:
  case 1:
    // Whether a write drops setuid and setgid is a case of its own, in which root differs.
    if (!(status.st_mode & 06000)) TF(write(descriptor, "text", 1 + below(4)), "write(%s)", path);
    break;
  case 2: TF(read(descriptor, text, sizeof text), "read(%s)", path); break;
  case 3: TF(fchmod(descriptor, any_mode()), "fchmod(%s)", path); break;
  case 4:
    if (has_idle_setgid(&status)) break;
    TF(fchown(descriptor, identities[below(CALLER_COUNT)].uid, any_group()), "fchown(%s)", path);
    break;
  case 5:
    if (!(status.st_mode & 06000)) TF(ftruncate(descriptor, below(100)), "ftruncate(%s)", path);
    break;
  case 6: TF(fsetxattr(descriptor, "user.colour", "blue", 4, 0), "fsetxattr(%s)", path); break;
  case 7: TF(fsync(descriptor), "fsync(%s)", path); break;
  }
}

static void open_any(const char *path) {
  static const int ways[] = {O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_APPEND, O_PATH};
  static const int more[] = {0, 0, O_CREAT, O_CREAT, O_CREAT | O_EXCL, O_TRUNC, O_DIRECTORY, O_NOFOLLOW};
  int flags = ONE_OF(ways) | ONE_OF(more) | O_NONBLOCK;
  mode_t mode = any_mode();
  struct stat status;
  if (flags & O_TRUNC && stat(path, &status) == 0 && status.st_mode & 06000) flags &= ~O_TRUNC;
  int descriptor = open(path, flags, mode);
  TF(descriptor < 0 ? -1 : 0, "open(%s, %o, %04o)", path, flags, mode);
  if (descriptor < 0) return;
  if (!(flags & O_PATH)) use(descriptor, path);
  close(descriptor);
}

static void change_names(const char *path, const char *other) {
  switch (below(10)) {
  case 0: TF(mkdir(path, any_mode()), "mkdir(%s)", path); break;
  case 1: TF(rmdir(path), "rmdir(%s)", path); break;
  case 2: TF(unlink(path), "unlink(%s)", path); break;
  case 3: TF(rename(path, other), "rename(%s, %s)", path, other); break;
  case 4:
    TF(renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_NOREPLACE), "rename(%s, %s, NOREPLACE)", path, other);
    break;
  case 5: TF(renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE), "exchange(%s, %s)", path, other); break;
  case 6: TF(link(path, other), "link(%s, %s)", path, other); break;
  case 7: TF(symlink(below(2) ? "../a" : "f", path), "symlink(%s)", path); break;
  case 8: TF(mkfifo(path, any_mode()), "mkfifo(%s)", path); break;
  case 9: TF(mknod(path, S_IFREG | any_mode(), 0), "mknod(%s)", path); break;
  }
}

static void change_status(const char *path) {
  struct stat status;
  mode_t mode = any_mode();
  uid_t user = any_user();
  gid_t group = any_group();
  switch (below(6)) {
  case 0:
  case 1: TF(chmod(path, mode), "chmod(%s, %04o)", path, mode); break;
  case 2:
  case 3:
    // One that names nobody is such a difference too.
    if (stat(path, &status) == 0 && has_idle_setgid(&status)) break;
    if (user == (uid_t)-1 && group == (gid_t)-1) group = 60010;
    TF(fchownat(AT_FDCWD, path, user, group, below(2) ? AT_SYMLINK_NOFOLLOW : 0), "chown(%s, %d, %d)", path, (int)user,
       (int)group);
    break;
  case 4:
    if (stat(path, &status) != 0 || !(status.st_mode & 06000)) TF(truncate(path, below(50)), "truncate(%s)", path);
    break;
  case 5: {
    struct timespec set[2] = {{1000000000, 1}, {1100000000, 999999999}}, *time = below(2) ? set : NULL;
    TF(utimensat(AT_FDCWD, path, time, below(2) ? AT_SYMLINK_NOFOLLOW : 0), "utimensat(%s)", path);
    break;
  }
  }
}

static void change_attributes(const char *path) {
  static const char *const lists[] = {"system.posix_acl_access", "system.posix_acl_access", "system.posix_acl_default"};
  const char *list = ONE_OF(lists);
  struct acl acl;
  size_t size = any_acl(&acl);
  switch (below(6)) {
  case 0: TF(setxattr(path, "user.colour", "red", 3, (int)below(3)), "setxattr(%s)", path); break;
  case 1: TF(removexattr(path, "user.colour"), "removexattr(%s)", path); break;
  case 2:
  case 3:
  case 4: TF(setxattr(path, list, &acl, size, 0), "setxattr(%s, %s)", path, list); break;
  case 5: TF(removexattr(path, list), "removexattr(%s, %s)", path, list); break;
  }
}

static void look(const char *path) {
  char text[256];
  struct stat status;
  switch (below(6)) {
  case 0: TF(stat(path, &status), "stat(%s)", path); break;
  case 1: TF(faccessat(AT_FDCWD, path, (int)below(8), AT_EACCESS), "access(%s)", path); break;
  case 2: TF(readlink(path, text, sizeof text), "readlink(%s)", path); break;
  case 3: TF(getxattr(path, "user.colour", text, sizeof text), "getxattr(%s)", path); break;
  case 4: TF(getxattr(path, "system.posix_acl_access", text, sizeof text), "getxattr(%s, ACL)", path); break;
  case 5: names(path); break;
  }
}

/// Makes a folder of that name with what a walk meets, and goes there.
static void furnish(const char *name) {
  umask(0);
  folder(name, 0777);
  if (chdir(name) != 0) note("chdir: %s", strerrorname_np(errno));
  folder("a", 0777);
  folder("b", 01777);
  folder("a/c", 02777);
  folder("a/c/e", 0755);
  folder("b/d", 0775);
  for (const char *const *path = (const char *const[]){"a", "b", "a/c", "b/d", NULL}; *path; path++)
    if (chown(*path, identities[CALLER_OWNER].uid, identities[CALLER_OWNER].gid) != 0) note("preparing failed");
  for (int i = 0; i < 20; i++) {
    char file_name[PATH_LENGTH];
    struct stat status;
    if (lstat(any_path(file_name), &status) == 0 || strncmp(file_name, "link/", 5) == 0) continue;
    file(file_name, "text");
    if (chown(file_name, identities[below(CALLER_COUNT)].uid, identities[below(CALLER_COUNT)].gid) != 0 ||
        chmod(file_name, any_mode()) != 0)
      note("preparing failed");
  }
}

static void take_step(int number) {
  char path[PATH_LENGTH], other[PATH_LENGTH];
  any_path(path);
  any_path(other);
  enum caller who = below(CALLER_COUNT);
  note("%d %s", number, identities[who].name);
  act_as(who);
  switch (below(10)) {
  case 0: umask((below(2) ? 022 : below(01000)) & (runs_as_root() ? 0777 : 0377)); break;
  case 1:
  case 2: change_names(path, other); break;
  case 3:
  case 4: change_status(path); break;
  case 5:
  case 6: change_attributes(path); break;
  case 7: look(path); break;
  default: open_any(path);
  }
  act_as(CALLER_ROOT);
  show_entry(path);
}

static void begin_walk(void) {
  state = walk_seed * 0x9e3779b97f4a7c15 | 1;
  act_as(CALLER_ROOT);
}

void prepare_walk(const char *folder_path) {
  begin_walk();
  furnish(folder_path);
  // What nobody could change later.
  change_attributes("a");
  change_attributes("b/d");
}

void walk_in(const char *folder_path) {
  begin_walk();
  if (chdir(folder_path) != 0) note("chdir: %s", strerrorname_np(errno));
  for (int step = 0; step < STEPS; step++) take_step(step);
}

CASE(random_walk) {
  // Once, since the callers take turns, and only where somebody asked for it.
  if (walk_seed == 0 || acting_caller() != (runs_as_root() ? CALLER_ROOT : CALLER_OWNER)) return;
  begin_walk();
  folder("start", 0755);
  if (chdir("start") != 0) note("chdir: %s", strerrorname_np(errno));
  for (int step = 0; step < STEPS; step++) {
    // Before all names are files, and nobody gets anywhere.
    if (step % 100 == 0) {
      char name[16];
      snprintf(name, sizeof name, "../%d", step);
      furnish(name);
    }
    take_step(step);
  }
}
