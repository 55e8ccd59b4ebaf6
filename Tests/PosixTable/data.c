// Reading, writing, mapping, sparse files, and the times that they move.
#include "table.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODE 0664
/// An address that nothing is mapped at, unknown to the compiler.
static void *volatile nowhere = (void *)8;
static const char *volatile no_path = NULL;

CASE(read_and_write) {
  ACT();
  int descriptor = (int)T(open("file", O_RDWR | O_CREAT, MODE));
  char text[64] = "";
  T(write(descriptor, "0123456789", 10));
  T(lseek(descriptor, 0, SEEK_CUR));
  T(pread(descriptor, text, 4, 3));
  note("  '%s'", text);
  T(pwrite(descriptor, "abc", 3, 20));
  T(lseek(descriptor, 0, SEEK_END));
  T(read(descriptor, text, 10));
  T(lseek(descriptor, 8, SEEK_SET));
  T(read(descriptor, text, 64));
  T(lseek(descriptor, -1, SEEK_SET));
  T(lseek(descriptor, 0, 77));
  T(pread(descriptor, text, 4, -1));
  T(pwrite(descriptor, text, 4, -1));
  T(read(descriptor, nowhere, 4));
  T(pread(descriptor, nowhere, 4, 0));
  T(pwrite(descriptor, nowhere, 4, 0));
  struct iovec parts[3] = {{"one", 3}, {"", 0}, {"two", 3}};
  T(pwritev(descriptor, parts, 3, 30));
  T(pwritev2(descriptor, parts, 3, 40, RWF_DSYNC));
  T(pwritev2(descriptor, parts, 3, 0, RWF_APPEND));
  struct iovec into[2] = {{text, 5}, {text + 5, 50}};
  T(preadv(descriptor, into, 2, 0));
  T(preadv2(descriptor, into, 2, 0, RWF_HIPRI) < 0 ? 0 : 0);
  T(fsync(descriptor));
  T(fdatasync(descriptor));
  T(sync_file_range(descriptor, 0, 100, SYNC_FILE_RANGE_WRITE));
  T(syncfs(descriptor));
  T(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED));
  T(readahead(descriptor, 0, 4096));
  T(close(descriptor));
  T(close(descriptor));
  content("file");
}

CASE(wrong_direction) {
  file("file", "text");
  chmod("file", 0666);
  ACT();
  char text[8];
  int reader = (int)T(open("file", O_RDONLY)), writer = (int)T(open("file", O_WRONLY));
  T(write(reader, "x", 1));
  T(read(writer, text, 1));
  T(ftruncate(reader, 1));
  T(fallocate(reader, 0, 0, 10));
  T(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, reader, 0) == MAP_FAILED ? -1 : 0);
  T(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, reader, 0) == MAP_FAILED ? -1 : 0);
  T(mmap(NULL, 4096, PROT_READ, MAP_SHARED, writer, 0) == MAP_FAILED ? -1 : 0);
  T(copy_file_range(writer, NULL, reader, NULL, 1, 0));
  int path = (int)T(open("file", O_PATH));
  T(read(path, text, 1));
  T(fchmod(path, 0600));
  T(fsync(path));
  T(ftruncate(path, 0));
  struct stat status;
  T(fstat(path, &status));
  int directory = (int)T(open(".", O_RDONLY | O_DIRECTORY));
  T(read(directory, text, 1));
  T(write(directory, text, 1));
  T(lseek(directory, 0, SEEK_SET));
  T(fsync(directory));
  T(ftruncate(directory, 0));
}

CASE(truncate_sizes) {
  file("file", "0123456789");
  chmod("file", 0666);
  ACT();
  T(truncate("file", 4));
  content("file");
  T(truncate("file", 8));
  content("file");
  T(truncate("file", 1 << 20));
  show("file");
  T(truncate("file", -1));
  T(truncate("file", 1L << 62));
  T(truncate("file", 1L << 40));
  show("file");
  int descriptor = (int)T(open("file", O_RDWR));
  T(ftruncate(descriptor, 5000));
  T(ftruncate(descriptor, 5000));
  show("file");
  T(ftruncate(descriptor, 0));
  show("file");
  T(open("file", O_RDWR | O_TRUNC) < 0 ? -1 : 0);
  T(truncate(".", 0));
}

CASE(append) {
  file("file", "start ");
  chmod("file", 0666);
  ACT();
  int one = (int)T(open("file", O_RDWR | O_APPEND)), two = (int)T(open("file", O_WRONLY | O_APPEND));
  int plain = (int)T(open("file", O_WRONLY));
  T(write(one, "one ", 4));
  T(write(two, "two ", 4));
  T(lseek(one, 0, SEEK_SET));
  T(write(one, "three ", 6));
  T(pwrite(one, "four ", 5, 0));
  T(write(plain, "S", 1));
  T(fcntl(plain, F_SETFL, O_APPEND));
  T(write(plain, "five", 4));
  content("file");
}

CASE(append_from_two_processes) {
  file("file", "");
  chmod("file", 0666);
  ACT();
  pid_t writers[2];
  for (int w = 0; w < 2; w++)
    if ((writers[w] = fork()) == 0) {
      int descriptor = open("file", O_WRONLY | O_APPEND);
      char line[101];
      memset(line, 'a' + w, 100);
      line[99] = '\n';
      for (int i = 0; i < 200; i++)
        if (write(descriptor, line, 100) != 100) _exit(1);
      _exit(0);
    }
  int status;
  for (int w = 0; w < 2; w++) {
    waitpid(writers[w], &status, 0);
    note("  writer ended with %d", status);
  }
  char line[100];
  int descriptor = open("file", O_RDONLY), whole = 0, broken = 0;
  while (read(descriptor, line, 100) == 100) {
    bool same = line[99] == '\n';
    for (int i = 1; i < 99; i++) same = same && line[i] == line[0];
    same ? whole++ : broken++;
  }
  note("  %d whole lines, %d broken", whole, broken);
  T(truncate("file", 0));
}

CASE(direct_io) {
  file("file", "");
  chmod("file", 0666);
  ACT();
  void *buffer;
  if (posix_memalign(&buffer, 4096, 16384) != 0) return;
  memset(buffer, 'd', 16384);
  int descriptor = (int)T(open("file", O_RDWR | O_DIRECT));
  T(pwrite(descriptor, buffer, 8192, 0));
  T(pwrite(descriptor, buffer, 4096, 16384));
  T(pread(descriptor, buffer, 16384, 0));
  T(pread(descriptor, buffer, 4096, 1 << 20));
  T(ftruncate(descriptor, 5000));
  T(pread(descriptor, buffer, 8192, 0));
  int cached = (int)T(open("file", O_RDWR));
  T(pwrite(cached, "cached", 6, 0));
  T(pread(descriptor, buffer, 4096, 0));
  note("  '%.8s'", (char *)buffer);
  content("file");
}

CASE(sparse_file) {
  ACT();
  int descriptor = (int)T(open("file", O_RDWR | O_CREAT, MODE));
  T(lseek(descriptor, 0, SEEK_DATA));
  T(pwrite(descriptor, "data", 4, 1 << 20));
  T(ftruncate(descriptor, 4 << 20));
  T(lseek(descriptor, 0, SEEK_DATA));
  T(lseek(descriptor, 0, SEEK_HOLE));
  T(lseek(descriptor, 1 << 20, SEEK_HOLE));
  T(lseek(descriptor, 2 << 20, SEEK_DATA));
  T(lseek(descriptor, 4 << 20, SEEK_HOLE));
  T(lseek(descriptor, 5 << 20, SEEK_DATA));
  T(lseek(descriptor, -1, SEEK_DATA));
  T(ftruncate(descriptor, 1L << 40));
  T(pwrite(descriptor, "far", 3, (1L << 40) - 3));
  struct stat status;
  T(fsync(descriptor));
  T(fstat(descriptor, &status));
  note("  size %lld, few blocks: %d", (long long)status.st_size, status.st_blocks < 1000);
  T(lseek(descriptor, 2 << 20, SEEK_DATA) > (1L << 39));
  char text[4] = "";
  T(pread(descriptor, text, 3, (1L << 40) - 3));
  note("  '%s'", text);
}

CASE(over_four_gigabytes) {
  ACT();
  int descriptor = (int)T(open("file", O_RDWR | O_CREAT, MODE));
  T(pwrite(descriptor, "boundary", 8, (1L << 32) - 4));
  char text[9] = "";
  T(pread(descriptor, text, 8, (1L << 32) - 4));
  note("  '%s'", text);
  T(lseek(descriptor, 0, SEEK_END));
  show("file");
  char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (1L << 32) - 4096);
  T(map == MAP_FAILED ? -1 : 0);
  if (map != MAP_FAILED) note("  '%.8s'", map + 4092);
}

CASE(fallocate_modes) {
  ACT();
  int descriptor = (int)T(open("file", O_RDWR | O_CREAT, MODE));
  T(fallocate(descriptor, 0, 0, 100000));
  show("file");
  T(fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, 200000));
  show("file");
  char block[4096];
  memset(block, 'b', sizeof block);
  for (int i = 0; i < 16; i++)
    if (pwrite(descriptor, block, 4096, i * 4096) != 4096) note("writing failed");
  T(fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 8192));
  content("file");
  T(fallocate(descriptor, FALLOC_FL_PUNCH_HOLE, 0, 4096));
  T(fallocate(descriptor, FALLOC_FL_ZERO_RANGE, 20480, 4096));
  content("file");
  T(fallocate(descriptor, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 90000, 50000));
  show("file");
  T(fallocate(descriptor, 0, -1, 10));
  T(fallocate(descriptor, 0, 0, 0));
  T(fallocate(descriptor, 0, 1L << 62, 1L << 62));
  T(posix_fallocate(descriptor, 0, 300000));
  show("file");
}

// The kernel's FUSE has no request for these.
CASE(fallocate_modes_beyond_fuse) {
  ACT();
  int descriptor = (int)T(open("file", O_RDWR | O_CREAT, MODE));
  if (ftruncate(descriptor, 65536) != 0) note("preparing failed");
  MAY_REFUSE(EOPNOTSUPP, fallocate(descriptor, FALLOC_FL_COLLAPSE_RANGE, 4096, 4096));
  MAY_REFUSE(EOPNOTSUPP, fallocate(descriptor, FALLOC_FL_INSERT_RANGE, 4096, 4096));
  MAY_REFUSE(EOPNOTSUPP, fallocate(descriptor, FALLOC_FL_UNSHARE_RANGE, 0, 4096));
  unlink("file");
}

CASE(copy_between_files) {
  file("from", "0123456789");
  ACT();
  int from = (int)T(open("from", O_RDONLY)), to = (int)T(open("to", O_RDWR | O_CREAT, MODE));
  loff_t in = 2, out = 5;
  T(copy_file_range(from, NULL, to, NULL, 4, 0));
  T(copy_file_range(from, &in, to, &out, 100, 0));
  note("  offsets %lld %lld", (long long)in, (long long)out);
  T(copy_file_range(from, NULL, to, NULL, 100, 0));
  T(copy_file_range(from, NULL, to, NULL, 100, 0));
  T(copy_file_range(from, NULL, to, NULL, 100, 1));
  in = 0, out = 2;
  T(copy_file_range(to, &in, to, &out, 4, 0));
  in = 0, out = 100;
  T(copy_file_range(to, &in, to, &out, 4, 0));
  off_t offset = 1;
  T(sendfile(to, from, &offset, 5));
  T(lseek(from, 0, SEEK_SET));
  int pipes[2];
  if (pipe(pipes) != 0) return;
  T(splice(from, NULL, pipes[1], NULL, 6, 0));
  T(splice(pipes[0], NULL, to, NULL, 6, 0));
  content("to");
}

CASE(map_shared) {
  file("file", "0123456789");
  chmod("file", 0666);
  ACT();
  int descriptor = (int)T(open("file", O_RDWR));
  char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  T(map == MAP_FAILED ? -1 : 0);
  if (map == MAP_FAILED) return;
  T(pwrite(descriptor, "ab", 2, 0));
  note("  mapped '%.10s'", map);
  memcpy(map + 4, "XY", 2);
  char text[11] = "";
  T(pread(descriptor, text, 10, 0));
  note("  read '%s'", text);
  T(msync(map, 4096, MS_SYNC));
  T(msync(map, 4096, MS_ASYNC));
  T(close(descriptor));
  memcpy(map + 6, "zz", 2);
  T(munmap(map, 8192));
  content("file");
}

CASE(map_private) {
  file("file", "0123456789");
  ACT();
  int descriptor = (int)T(open("file", O_RDONLY));
  char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
  T(map == MAP_FAILED ? -1 : 0);
  if (map == MAP_FAILED) return;
  map[0] = 'p';
  note("  mapped '%.10s'", map);
  content("file");
}

static sigjmp_buf after_bus_error;
static void on_bus_error(int number) {
  (void)number;
  siglongjmp(after_bus_error, 1);
}

CASE(map_beyond_the_end) {
  file("file", "0123456789");
  chmod("file", 0666);
  ACT();
  int descriptor = (int)T(open("file", O_RDWR));
  volatile char *map = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  signal(SIGBUS, on_bus_error);
  if (sigsetjmp(after_bus_error, 1) == 0) {
    note("  byte after the end: %d", map[20]);
    note("  page after the end: %d", map[8192]);
  } else {
    note("  SIGBUS");
  }
  T(ftruncate(descriptor, 10000));
  if (sigsetjmp(after_bus_error, 1) == 0) {
    map[8192] = 'e';
    note("  page within: %d", map[8192]);
  } else {
    note("  SIGBUS");
  }
  T(ftruncate(descriptor, 10));
  if (sigsetjmp(after_bus_error, 1) == 0)
    note("  page cut off: %d", map[8192]);
  else
    note("  SIGBUS");
}

CASE(unlinked_but_open) {
  file("file", "0123456789");
  ACT();
  int descriptor = (int)T(open("file", O_RDONLY));
  act_as_owner();
  int writer = (int)T(open("file", O_RDWR));
  T(unlink("file"));
  names(".");
  show_descriptor(writer);
  char text[16] = "";
  T(pread(descriptor, text, 10, 0));
  note("  '%s'", text);
  T(pwrite(writer, "new", 3, 0));
  T(pread(descriptor, text, 10, 0));
  note("  '%s'", text);
  T(ftruncate(writer, 3));
  T(fchmod(writer, 0600));
  T(fchown(writer, (uid_t)-1, 60010));
  struct timespec when[2] = {{1000000000, 5}, {1000000001, 6}};
  T(futimens(writer, when));
  T(fallocate(writer, 0, 0, 5000));
  T(fsync(writer));
  show_descriptor(writer);
  file("file", "another");
  show_descriptor(writer);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", writer);
  int again = (int)T(open(path, O_RDONLY));
  T(pread(again, text, 3, 0));
  T(truncate(path, 1));
  show_descriptor(writer);
  T(linkat(AT_FDCWD, path, AT_FDCWD, "back", AT_SYMLINK_FOLLOW));
  content("file");
}

CASE(replaced_but_open) {
  file("file", "old");
  file("new", "newer");
  int descriptor = (int)T(open("file", O_RDWR));
  T(rename("new", "file"));
  char text[8] = "";
  T(pread(descriptor, text, 8, 0));
  note("  '%s'", text);
  show_descriptor(descriptor);
  T(pwrite(descriptor, "lost", 4, 0));
  T(close(descriptor));
  content("file");
}

CASE(removed_working_folder) {
  folder("folder", 0777);
  file("folder/file", "text");
  ACT();
  int descriptor = (int)T(open("folder", O_RDONLY | O_DIRECTORY));
  T(chdir("folder"));
  act_as_owner();
  T(unlink("file"));
  T(rmdir("../folder"));
  act_again();
  char text[4096];
  struct stat status;
  T(getcwd(text, sizeof text) == NULL ? -1 : 0);
  T(stat(".", &status));
  note("  links %lu", (unsigned long)status.st_nlink);
  T(stat("..", &status));
  T(open("new", O_WRONLY | O_CREAT, 0644));
  T(mkdir("new", 0755));
  T(open(".", O_RDONLY));
  T(fstat(descriptor, &status));
  T(fchmod(descriptor, 0700));
  names(".");
}

CASE(times_of_content) {
  file("file", "text");
  chmod("file", 0666);
  ACT();
  char text[8];
  int descriptor = (int)T(open("file", O_RDWR));
  mark("file");
  T(read(descriptor, text, 4));
  moved("file");
  mark("file");
  T(pwrite(descriptor, "x", 1, 0));
  moved("file");
  mark("file");
  T(read(descriptor, text, 4));
  T(pread(descriptor, text, 4, 0));
  moved("file");
  mark("file");
  T(ftruncate(descriptor, 4));
  moved("file");
  mark("file");
  T(ftruncate(descriptor, 10));
  moved("file");
  mark("file");
  T(truncate("file", 10));
  moved("file");
  mark("file");
  T(pwrite(descriptor, "", 0, 0));
  moved("file");
  mark("file");
  T(close(open("file", O_WRONLY | O_TRUNC)));
  moved("file");
  mark("file");
  T(close(open("file", O_WRONLY | O_TRUNC)));
  moved("file");
  mark("file");
  T(fallocate(descriptor, 0, 0, 100));
  moved("file");
  mark("file");
  T(fsync(descriptor));
  T(close(descriptor));
  moved("file");
}

CASE(times_of_map) {
  file("file", "text");
  chmod("file", 0666);
  ACT();
  int descriptor = (int)T(open("file", O_RDWR));
  mark("file");
  char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  T(map == MAP_FAILED ? -1 : 0);
  if (map == MAP_FAILED) return;
  map[0] = 'm';
  T(msync(map, 4096, MS_SYNC));
  munmap(map, 4096);
  close(descriptor);
  moved("file");
}

CASE(times_of_metadata) {
  file("file", "text");
  file("victim", "text");
  chmod("file", 0666);
  folder("folder", 0777);
  ACT();
  mark("file");
  T(chmod("file", 0664));
  moved("file");
  mark("file");
  T(chown("file", (uid_t)-1, 60010));
  moved("file");
  mark("file");
  T(chown("file", (uid_t)-1, (gid_t)-1));
  moved("file");
  mark("file");
  T(link("file", "folder/link"));
  moved("file");
  mark("file");
  mark(".");
  T(rename("file", "renamed"));
  moved(".");
  T(rename("renamed", "file"));
  moved("file");
  mark("file");
  T(unlink("folder/link"));
  moved("file");
  mark("victim");
  int descriptor = open("victim", O_RDONLY);
  mark(".");
  T(unlink("victim"));
  moved(".");
  show_descriptor(descriptor);
}

CASE(times_of_folder) {
  folder("folder", 0777);
  folder("other", 0777);
  ACT();
  mark("folder");
  mark(".");
  T(close(open("folder/file", O_WRONLY | O_CREAT, 0644)));
  moved("folder");
  moved(".");
  mark("folder");
  T(close(open("folder/file", O_WRONLY | O_CREAT, 0644)));
  moved("folder");
  T(chmod("folder/file", 0600));
  moved("folder");
  mark("folder");
  T(mkdir("folder/sub", 0755));
  moved("folder");
  mark("folder");
  mark("other");
  T(rename("folder/file", "other/file"));
  moved("folder");
  moved("other");
  mark("folder");
  mark("other");
  T(rename("folder/sub", "other/sub"));
  moved("folder");
  moved("other");
  mark("folder");
  T(symlink("x", "folder/link"));
  moved("folder");
  mark("folder");
  T(mkfifo("folder/fifo", 0644));
  moved("folder");
  mark("folder");
  T(unlink("folder/link"));
  moved("folder");
  mark("folder");
  T(rmdir("folder/missing"));
  moved("folder");
  names("folder");
  moved("folder");
}

CASE(set_times) {
  file("file", "text");
  folder("folder", 0777);
  if (symlink("file", "link") != 0) note("preparing failed");
  static const struct timespec sets[][2] = {
      {{0, 0}, {0, 1}},
      {{1, 999999999}, {2147483647, 1}},
      {{4102444800, 123456789}, {4102444800, 987654321}},
      {{-1, 0}, {-86400, 500000000}},
      {{1500000000, 1}, {0, UTIME_OMIT}},
      {{0, UTIME_OMIT}, {1600000000, 2}},
      {{0, UTIME_OMIT}, {0, UTIME_OMIT}},
      {{0, 1000000000}, {0, 0}},
      {{0, -1}, {0, 0}},
      {{9000000000, 3}, {9000000000, 4}},
      {{99999999999, 3}, {-99999999999, 4}},
  };
  ACT();
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    TF(utimensat(AT_FDCWD, "file", sets[i], 0), "utimensat(file, %zu)", i);
    times("file");
    TF(utimensat(AT_FDCWD, "folder", sets[i], 0), "utimensat(folder, %zu)", i);
    times("folder");
    TF(utimensat(AT_FDCWD, "link", sets[i], AT_SYMLINK_NOFOLLOW), "utimensat(link, %zu)", i);
    times("link");
    TF(utimensat(AT_FDCWD, "link", sets[i], 0), "utimensat(link followed, %zu)", i);
    times("file");
  }
  int descriptor = open("file", O_RDONLY);
  T(futimens(descriptor, sets[0]));
  times("file");
  struct timespec mixed[2] = {{1700000000, 7}, {0, UTIME_NOW}};
  T(futimens(descriptor, mixed));
  mark("file");
  T(utimensat(AT_FDCWD, "file", NULL, 0));
  moved("file");
  T(utimensat(AT_FDCWD, "file", sets[0], 0x8000));
  T(utimensat(99, "file", NULL, 0));
  T(utimensat(AT_FDCWD, "", NULL, 0));
  T(utimensat(AT_FDCWD, no_path, NULL, 0));
}

CASE(fifo_use) {
  T(mkfifo("fifo", 0666));
  chmod("fifo", 0666);
  ACT();
  T(open("fifo", O_WRONLY | O_NONBLOCK));
  int reader = (int)T(open("fifo", O_RDONLY | O_NONBLOCK)), writer = (int)T(open("fifo", O_WRONLY | O_NONBLOCK));
  char text[8] = "";
  T(read(reader, text, 4));
  T(write(writer, "pipe", 4));
  T(read(reader, text, 4));
  note("  '%s'", text);
  T(lseek(reader, 0, SEEK_SET));
  T(ftruncate(writer, 0));
  T(fsync(writer));
  T(close(writer));
  T(read(reader, text, 4));
  T(open("fifo", O_RDONLY | O_DIRECTORY));
}

CASE(poll_and_select) {
  file("file", "text");
  ACT();
  struct pollfd polled = {open("file", O_RDONLY), POLLIN | POLLOUT, 0};
  T(poll(&polled, 1, 1000));
  note("  events %x", polled.revents);
  int bytes = 0;
  T(ioctl(polled.fd, FIONREAD, &bytes));
  note("  %d bytes", bytes);
}
