// Locks between processes, programs that are run from the directory, notifications, xattrs.
#include "table.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef F_OFD_SETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

/// Runs the block in another process and waits for it.
#define IN_CHILD                                                                                                       \
  for (pid_t child_ = fork(), once_ = 1; once_; once_ = 0, child_ == 0 ? _exit(0) : (void)waitpid(child_, NULL, 0))    \
    if (child_ == 0)

static struct flock range(short type, off_t start, off_t length) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  return lock;
}

CASE(lock_records) {
  file("file", "0123456789");
  chmod("file", 0666);
  ACT();
  int descriptor = (int)T(open("file", O_RDWR));
  struct flock lock = range(F_WRLCK, 2, 3);
  T(fcntl(descriptor, F_SETLK, &lock));
  IN_CHILD {
    int other = open("file", O_RDWR);
    struct flock wanted = range(F_WRLCK, 0, 10);
    T(fcntl(other, F_SETLK, &wanted));
    T(fcntl(other, F_GETLK, &wanted));
    note("  type %d from %ld length %ld by the parent: %d", wanted.l_type, (long)wanted.l_start, (long)wanted.l_len,
         wanted.l_pid == getppid());
    wanted = range(F_RDLCK, 3, 1);
    T(fcntl(other, F_SETLK, &wanted));
    wanted = range(F_WRLCK, 5, 0);
    T(fcntl(other, F_SETLK, &wanted));
  }
  lock = range(F_RDLCK, 3, 1);
  T(fcntl(descriptor, F_SETLK, &lock));
  IN_CHILD {
    int other = open("file", O_RDWR);
    struct flock wanted = range(F_RDLCK, 3, 1);
    T(fcntl(other, F_SETLK, &wanted));
    wanted = range(F_WRLCK, 3, 1);
    T(fcntl(other, F_SETLK, &wanted));
  }
  // Closing any descriptor of the file drops the process's locks.
  T(close(open("file", O_RDONLY)));
  IN_CHILD {
    int other = open("file", O_RDWR);
    struct flock wanted = range(F_WRLCK, 0, 0);
    T(fcntl(other, F_SETLK, &wanted));
  }
  int reader = (int)T(open("file", O_RDONLY));
  lock = range(F_WRLCK, 0, 1);
  T(fcntl(reader, F_SETLK, &lock));
  lock = range(77, 0, 1);
  T(fcntl(descriptor, F_SETLK, &lock));
  lock = range(F_WRLCK, -5, 1);
  T(fcntl(descriptor, F_SETLK, &lock));
}

CASE(lock_records_of_descriptions) {
  file("file", "0123456789");
  chmod("file", 0666);
  ACT();
  int one = (int)T(open("file", O_RDWR)), two = (int)T(open("file", O_RDWR));
  struct flock lock = range(F_WRLCK, 0, 5), wanted = range(F_WRLCK, 4, 2);
  T(fcntl(one, F_OFD_SETLK, &lock));
  T(fcntl(two, F_OFD_SETLK, &wanted));
  T(fcntl(two, F_OFD_GETLK, &wanted));
  note("  type %d pid %d", wanted.l_type, wanted.l_pid);
  T(close(open("file", O_RDONLY)));
  wanted = range(F_WRLCK, 4, 2);
  T(fcntl(two, F_OFD_SETLK, &wanted));
  IN_CHILD {
    struct flock same = range(F_WRLCK, 0, 5);
    T(fcntl(one, F_OFD_SETLK, &same));
    T(fcntl(two, F_SETLK, &same));
  }
  T(close(one));
  T(fcntl(two, F_OFD_SETLK, &wanted));
}

CASE(lock_files) {
  file("file", "text");
  ACT();
  int one = (int)T(open("file", O_RDONLY)), two = (int)T(open("file", O_RDONLY));
  T(flock(one, LOCK_EX));
  T(flock(two, LOCK_EX | LOCK_NB));
  T(flock(two, LOCK_SH | LOCK_NB));
  T(flock(one, LOCK_SH | LOCK_NB));
  T(flock(two, LOCK_SH | LOCK_NB));
  T(flock(one, LOCK_EX | LOCK_NB));
  T(flock(two, LOCK_UN));
  T(flock(one, LOCK_EX | LOCK_NB));
  IN_CHILD {
    int other = open("file", O_RDONLY);
    T(flock(other, LOCK_EX | LOCK_NB));
    T(flock(one, LOCK_EX | LOCK_NB));
  }
  T(close(one));
  T(flock(two, LOCK_EX | LOCK_NB));
  int directory = (int)T(open(".", O_RDONLY | O_DIRECTORY));
  T(flock(directory, LOCK_EX | LOCK_NB));
}

CASE(lock_waits) {
  file("file", "text");
  chmod("file", 0666);
  ACT();
  int pipes[2];
  if (pipe(pipes) != 0) return;
  pid_t child = fork();
  if (child == 0) {
    int other = open("file", O_RDWR);
    struct flock lock = range(F_WRLCK, 0, 0);
    int answer = fcntl(other, F_SETLK, &lock);
    if (write(pipes[1], "x", 1) != 1) _exit(1);
    usleep(100000);
    _exit(answer != 0);
  }
  char byte;
  T(read(pipes[0], &byte, 1));
  int descriptor = (int)T(open("file", O_RDWR));
  struct flock lock = range(F_WRLCK, 0, 0);
  T(fcntl(descriptor, F_SETLKW, &lock));
  int status;
  waitpid(child, &status, 0);
  note("  child ended with %d", status);
}

static void on_alarm(int number) { (void)number; }

CASE(lock_wait_is_interrupted) {
  file("file", "text");
  ACT();
  int one = (int)T(open("file", O_RDONLY)), two = (int)T(open("file", O_RDONLY));
  T(flock(one, LOCK_EX));
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGUSR1, &action, NULL);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    for (int i = 0; i < 50; i++) {
      usleep(50000);
      kill(parent, SIGUSR1);
    }
    _exit(0);
  }
  T(flock(two, LOCK_EX));
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

/// Copies a program of the system here.
static void copy_program(const char *from, const char *to) {
  int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
  char block[65536];
  ssize_t count;
  while ((count = read(in, block, sizeof block)) > 0)
    if (write(out, block, (size_t)count) != count) note("preparing %s failed", to);
  close(in);
  close(out);
  chmod(to, 0755);
}

CASE(run_program) {
  copy_program("/bin/true", "true");
  file("script", "#!/bin/sh\nexit 7\n");
  file("plain", "#!/bin/sh\nexit 8\n");
  chmod("script", 0755);
  ACT();
  int status;
  static const char *const programs[] = {"./true", "./script", "./plain", "./missing", "."};
  for (int i = 0; i < 5; i++) {
    pid_t child = fork();
    if (child == 0) {
      execl(programs[i], programs[i], NULL);
      _exit(errno);
    }
    waitpid(child, &status, 0);
    note("  %s: %d", programs[i], WIFEXITED(status) ? WEXITSTATUS(status) : -status);
  }
}

CASE(text_file_busy) {
  umask(0);
  copy_program("/bin/sleep", "sleep");
  chmod("sleep", 0777);
  ACT();
  int writer = (int)T(open("sleep", O_WRONLY));
  pid_t child = fork();
  if (child == 0) {
    execl("./sleep", "sleep", "0", NULL);
    _exit(errno);
  }
  int status;
  waitpid(child, &status, 0);
  note("  running what is open for writing: %d", WEXITSTATUS(status));
  close(writer);
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return;
  child = fork();
  if (child == 0) {
    execl("./sleep", "sleep", "5", NULL);
    _exit(errno);
  }
  // The pipe's end closes when the program has been started.
  close(pipes[1]);
  char byte;
  while (read(pipes[0], &byte, 1) > 0) continue;
  T(open("sleep", O_WRONLY));
  T(truncate("sleep", 1));
  T(open("sleep", O_RDONLY) < 0 ? -1 : 0);
  T(rename("sleep", "renamed"));
  T(unlink("renamed"));
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
}

CASE(notifications) {
  folder("folder", 0777);
  ACT();
  int queue = inotify_init1(IN_NONBLOCK);
  T(inotify_add_watch(queue, "folder", IN_ALL_EVENTS) < 0 ? -1 : 0);
  T(close(open("folder/file", O_WRONLY | O_CREAT, 0644)));
  T(rename("folder/file", "folder/renamed"));
  T(chmod("folder/renamed", 0600));
  T(unlink("folder/renamed"));
  char events[4096] __attribute__((aligned(8)));
  ssize_t length = read(queue, events, sizeof events);
  for (char *at = events; length > 0 && at < events + length;) {
    struct inotify_event *event = (struct inotify_event *)at;
    note("  %x %s", event->mask, event->len > 0 ? event->name : "");
    at += sizeof *event + event->len;
  }
}

CASE(attribute_flags) {
  file("file", "text");
  folder("folder", 0777);
  chmod("file", 0666);
  ACT();
  char text[64];
  static const char *const paths[] = {"file", "folder"};
  for (int i = 0; i < 2; i++) {
    const char *path = paths[i];
    TF(getxattr(path, "user.colour", text, 64), "get(%s) unset", path);
    TF(removexattr(path, "user.colour"), "remove(%s) unset", path);
    TF(setxattr(path, "user.colour", "red", 3, XATTR_REPLACE), "replace(%s) unset", path);
    TF(setxattr(path, "user.colour", "red", 3, XATTR_CREATE), "create(%s)", path);
    TF(setxattr(path, "user.colour", "green", 5, XATTR_CREATE), "create(%s) again", path);
    TF(getxattr(path, "user.colour", text, 64), "get(%s)", path);
    TF(setxattr(path, "user.colour", "green", 5, XATTR_REPLACE), "replace(%s)", path);
    TF(getxattr(path, "user.colour", NULL, 0), "size(%s)", path);
    TF(getxattr(path, "user.colour", text, 3), "get(%s) short", path);
    TF(getxattr(path, "user.colour", text, 5), "get(%s) exact", path);
    TF(listxattr(path, NULL, 0), "list size(%s)", path);
    TF(listxattr(path, text, 3), "list(%s) short", path);
    TF(listxattr(path, text, 64), "list(%s)", path);
    TF(setxattr(path, "user.empty", "", 0, 0), "set empty(%s)", path);
    TF(getxattr(path, "user.empty", text, 64), "get empty(%s)", path);
    TF(setxattr(path, "user.bin", "\0\xff\0", 3, 0), "set binary(%s)", path);
    TF(getxattr(path, "user.bin", text, 64), "get binary(%s)", path);
    TF(setxattr(path, "user.colour", "red", 3, 4), "unknown flag(%s)", path);
    TF(setxattr(path, "user.", "red", 3, 0), "no key(%s)", path);
    TF(setxattr(path, "nonamespace", "red", 3, 0), "no namespace(%s)", path);
    TF(setxattr(path, "other.name", "red", 3, 0), "unknown namespace(%s)", path);
    TF(getxattr(path, "other.name", text, 64), "get unknown namespace(%s)", path);
    TF(getxattr(path, "", text, 64), "empty name(%s)", path);
    TF(removexattr(path, "user.colour"), "remove(%s)", path);
    TF(removexattr(path, "user.colour"), "remove(%s) again", path);
    char name[300] = "user.";
    memset(name + 5, 'k', 250);
    TF(setxattr(path, name, "long", 4, 0), "longest name(%s)", path);
    TF(getxattr(path, name, text, 64), "get longest name(%s)", path);
    TF(removexattr(path, name), "remove longest name(%s)", path);
    name[255] = 'k';
    TF(setxattr(path, name, "long", 4, 0), "too long a name(%s)", path);
  }
}

CASE(attribute_times) {
  file("file", "text");
  chmod("file", 0666);
  ACT();
  char text[64];
  mark("file");
  T(setxattr("file", "user.colour", "red", 3, 0));
  moved("file");
  mark("file");
  T(getxattr("file", "user.colour", text, 64));
  T(listxattr("file", text, 64));
  moved("file");
  mark("file");
  T(removexattr("file", "user.colour"));
  moved("file");
}
