// Every call on every kind of name, and rename and link of every kind onto every kind.
#include "table.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *const kinds[] = {"missing", "file",  "empty", "dir",    "full",   "link",       "dirlink", "dangling",
                                    "loop",    "fifo",  "sock",  "file/x", "file/",  "missing/x",  "dir/",    "link/",
                                    "dir/.",   "dir/..", ".",    ".."};
#define KINDS (sizeof kinds / sizeof *kinds)
/// Those of the kinds that name something of their own.
#define PLAIN_KINDS 11

/// Makes what a kind's name stands for, and what that needs.
static void make(const char *kind) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "sock"};
  int made = 0;
  if (strcmp(kind, "file") == 0) {
    file("file", "text");
    made = chmod("file", 0664);
  } else if (strcmp(kind, "empty") == 0) {
    file("empty", "");
  } else if (strcmp(kind, "dir") == 0) {
    folder("dir", 0775);
  } else if (strcmp(kind, "full") == 0) {
    folder("full", 0775);
    file("full/inner", "inner");
  } else if (strcmp(kind, "link") == 0) {
    made = symlink("file", "link");
  } else if (strcmp(kind, "dirlink") == 0) {
    made = symlink("dir", "dirlink");
  } else if (strcmp(kind, "dangling") == 0) {
    made = symlink("nowhere", "dangling");
  } else if (strcmp(kind, "loop") == 0) {
    made = symlink("loop", "loop");
  } else if (strcmp(kind, "fifo") == 0) {
    made = mkfifo("fifo", 0664);
  } else if (strcmp(kind, "sock") == 0) {
    int sock = socket(AF_UNIX, SOCK_STREAM, 0);
    made = bind(sock, (struct sockaddr *)&address, sizeof address);
    close(sock);
  }
  if (made != 0) note("preparing %s: %s", kind, strerrorname_np(errno));
}

static void prepare(void) {
  umask(0);
  for (size_t i = 0; i < PLAIN_KINDS; i++) make(kinds[i]);
}

/// Makes what two kinds need, and the file and the directory that their links lead to.
static void prepare_pair(size_t first, size_t second) {
  umask(0);
  make("file");
  make("dir");
  for (size_t i = 4; i < PLAIN_KINDS; i++)
    if (i == first || i == second || (i == 5 && (strcmp(kinds[first], "link/") == 0 || strcmp(kinds[second], "link/") == 0)))
      make(kinds[i]);
  if (first == 2 || second == 2) make("empty");
}

#define FOR_EACH_KIND for (size_t i = 0; i < KINDS; i++)
#define K kinds[i]

CASE(kind_status) {
  prepare();
  ACT();
  struct stat status;
  char text[256];
  FOR_EACH_KIND {
    TF(stat(K, &status), "stat(%s)", K);
    TF(lstat(K, &status), "lstat(%s)", K);
    TF(readlink(K, text, sizeof text), "readlink(%s)", K);
    TF(access(K, R_OK), "access(%s, R_OK)", K);
    TF(access(K, W_OK), "access(%s, W_OK)", K);
    TF(access(K, X_OK), "access(%s, X_OK)", K);
    TF(faccessat(AT_FDCWD, K, R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW), "faccessat(%s, NOFOLLOW)", K);
  }
}

CASE(kind_open) {
  static const struct {
    const char *name;
    int flags;
  } ways[] = {{"RDONLY", O_RDONLY | O_NONBLOCK},
              {"WRONLY", O_WRONLY | O_NONBLOCK},
              {"RDWR", O_RDWR | O_NONBLOCK},
              {"RDONLY TRUNC", O_RDONLY | O_TRUNC | O_NONBLOCK},
              {"WRONLY TRUNC", O_WRONLY | O_TRUNC | O_NONBLOCK},
              {"WRONLY APPEND", O_WRONLY | O_APPEND | O_NONBLOCK},
              {"WRONLY CREAT", O_WRONLY | O_CREAT | O_NONBLOCK},
              {"RDONLY CREAT", O_RDONLY | O_CREAT | O_NONBLOCK},
              {"WRONLY CREAT EXCL", O_WRONLY | O_CREAT | O_EXCL | O_NONBLOCK},
              {"RDWR CREAT TRUNC", O_RDWR | O_CREAT | O_TRUNC | O_NONBLOCK},
              {"RDONLY DIRECTORY", O_RDONLY | O_DIRECTORY},
              {"WRONLY DIRECTORY", O_WRONLY | O_DIRECTORY},
              {"RDONLY NOFOLLOW", O_RDONLY | O_NOFOLLOW | O_NONBLOCK},
              {"WRONLY CREAT NOFOLLOW", O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK},
              {"PATH", O_PATH},
              {"PATH NOFOLLOW", O_PATH | O_NOFOLLOW},
              {"PATH DIRECTORY", O_PATH | O_DIRECTORY},
              {"RDONLY NOATIME", O_RDONLY | O_NOATIME | O_NONBLOCK},
              {"CREAT DIRECTORY", O_RDONLY | O_CREAT | O_DIRECTORY}};
  prepare();
  ACT();
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) FOR_EACH_KIND {
      bool was_there = access(K, F_OK) == 0 || errno != ENOENT;
      int descriptor = (int)TF(open(K, ways[w].flags, 0640), "open(%s, %s)", K, ways[w].name);
      if (descriptor < 0) continue;
      // What lies above is the runner's, and differs.
      if (!(ways[w].flags & O_PATH) && strcmp(K, "..") != 0) show_descriptor(descriptor);
      close(descriptor);
      if (!was_there) {
        unlink(K);
        unlink("nowhere");
      }
    }
}

CASE(kind_remove) {
  prepare();
  ACT();
  FOR_EACH_KIND if (strcmp(K, "..") != 0 && strcmp(K, "dir/..") != 0) TF(rmdir(K), "rmdir(%s)", K);
  names(".");
}

CASE(kind_unlink) {
  prepare();
  ACT();
  // The plain names last: they go away.
  for (size_t i = KINDS; i-- > 0;) TF(unlink(K), "unlink(%s)", K);
  names(".");
}

CASE(kind_create) {
  prepare();
  ACT();
  FOR_EACH_KIND {
    TF(mkdir(K, 0755), "mkdir(%s)", K);
    TF(symlink("x", K), "symlink(%s)", K);
    TF(mkfifo(K, 0644), "mkfifo(%s)", K);
    TF(mknod(K, S_IFREG | 0644, 0), "mknod(%s)", K);
    TF(mknod(K, S_IFSOCK | 0644, 0), "mknod(%s, socket)", K);
  }
}

CASE(kind_change) {
  prepare();
  ACT();
  struct timespec when[2] = {{1000000000, 123456789}, {2000000000, 987654321}};
  FOR_EACH_KIND {
    TF(chmod(K, 0755), "chmod(%s)", K);
    TF(fchmodat(AT_FDCWD, K, 0755, AT_SYMLINK_NOFOLLOW), "fchmodat(%s, NOFOLLOW)", K);
    TF(lchown(K, (uid_t)-1, 60010), "lchown(%s)", K);
    TF(chown(K, (uid_t)-1, 60020), "chown(%s, another group)", K);
    TF(truncate(K, 3), "truncate(%s)", K);
    if (strcmp(K, "..") == 0 || strcmp(K, "dir/..") == 0) continue;
    TF(utimensat(AT_FDCWD, K, when, 0), "utimensat(%s)", K);
    TF(utimensat(AT_FDCWD, K, when, AT_SYMLINK_NOFOLLOW), "utimensat(%s, NOFOLLOW)", K);
    TF(utimensat(AT_FDCWD, K, NULL, 0), "utimensat(%s, now)", K);
  }
}

CASE(kind_directory_calls) {
  prepare();
  ACT();
  int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  FOR_EACH_KIND {
    DIR *directory = NULL;
    TF((directory = opendir(K)) == NULL ? -1 : 0, "opendir(%s)", K);
    if (directory != NULL) closedir(directory);
    TF(chdir(K), "chdir(%s)", K);
    if (fchdir(here) != 0) note("no way back");
  }
}

CASE(kind_attributes) {
  prepare();
  ACT();
  char text[256];
  FOR_EACH_KIND {
    if (strcmp(K, "..") == 0 || strcmp(K, "dir/..") == 0) continue;
    TF(setxattr(K, "user.colour", "red", 3, 0), "setxattr(%s)", K);
    TF(lsetxattr(K, "user.shape", "round", 5, 0), "lsetxattr(%s)", K);
    TF(getxattr(K, "user.colour", text, sizeof text), "getxattr(%s)", K);
    TF(lgetxattr(K, "user.shape", text, sizeof text), "lgetxattr(%s)", K);
    TF(removexattr(K, "user.colour"), "removexattr(%s)", K);
    TF(lremovexattr(K, "user.missing"), "lremovexattr(%s)", K);
    TF(llistxattr(K, text, sizeof text) < 0 ? -1 : 0, "llistxattr(%s)", K);
  }
}

/// Each pair in a directory of its own: all of them for the owner, those of plain names for the others.
static void rename_matrix(unsigned flags, const char *text) {
  size_t kinds_tried = acting_caller() == CALLER_OWNER ? KINDS : PLAIN_KINDS;
  for (size_t i = 0; i < kinds_tried; i++)
    for (size_t j = 0; j < kinds_tried; j++) {
      char place[32];
      snprintf(place, sizeof place, "%zu.%zu", i, j);
      act_as_owner();
      folder(place, 0775);
      if (chdir(place) != 0) continue;
      prepare_pair(i, j);
      act_again();
      long done = TF(renameat2(AT_FDCWD, kinds[i], AT_FDCWD, kinds[j], flags), "rename(%s, %s%s)", kinds[i], kinds[j], text);
      if (done == 0) {
        if (i < PLAIN_KINDS) show(kinds[i]);
        if (j < PLAIN_KINDS) show(kinds[j]);
      }
      if (chdir("..") != 0) return;
    }
}

CASE(kind_rename) { rename_matrix(0, ""); }
CASE(kind_rename_noreplace) { rename_matrix(RENAME_NOREPLACE, ", NOREPLACE"); }
CASE(kind_rename_exchange) { rename_matrix(RENAME_EXCHANGE, ", EXCHANGE"); }

CASE(kind_link) {
  prepare();
  ACT();
  char target[32];
  FOR_EACH_KIND {
    snprintf(target, sizeof target, "new%zu", i);
    TF(link(K, target), "link(%s, new)", K);
    TF(link("file", K), "link(file, %s)", K);
    snprintf(target, sizeof target, "followed%zu", i);
    TF(linkat(AT_FDCWD, K, AT_FDCWD, target, AT_SYMLINK_FOLLOW), "linkat(%s, FOLLOW)", K);
  }
  show("file");
}
