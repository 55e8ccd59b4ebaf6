// Works on files of a mount at random and compares each with what it must be: data as fsx does (reads, writes, maps,
// truncations, copies), names, and metadata. Usage: soak FOLDER SECONDS SEED
//
// At its end it leaves the files, and in FOLDER.model what they must hold: soak FOLDER check
// compares them once more, after the mount was made again.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { file_count = 12, key_count = 6, largest = 1 << 18, longest_value = 600 };

// A file as it must be.
struct file {
  int exists;
  uint32_t size;
  unsigned char content[largest];
  int value_length[key_count];  // -1 where the key is not set
  char value[key_count][longest_value];
  char type[64];  // contentType that was set, "" where it is derived
};

static struct file files[file_count], spare;
static const char *folder;
static uint64_t state, seed, steps;

static uint64_t random_number(uint64_t below) {
  state += 0x9e3779b97f4a7c15;
  uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return (bits ^ (bits >> 31)) % below;
}

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "soak: %s, seed %llu, step %llu: ", folder, (unsigned long long)seed, (unsigned long long)steps);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, " (%s)\n", strerror(errno));
  exit(1);
}

static const char *path(int number) {
  static char paths[2][4096];
  static int next;
  next = !next;
  // The type follows the name, so that a rename changes it.
  snprintf(paths[next], sizeof paths[next], "%s/file%d.%s", folder, number, number % 2 ? "html" : "jpg");
  return paths[next];
}

static int open_file(int number, int flags) {
  int descriptor = open(path(number), flags, 0644);
  if (descriptor < 0) fail("open of %s", path(number));
  return descriptor;
}

static void check_content(int number) {
  struct file *file = &files[number];
  static unsigned char read_bytes[largest + 1];
  int descriptor = open_file(number, O_RDONLY);
  ssize_t count = pread(descriptor, read_bytes, sizeof read_bytes, 0);
  if (count != (ssize_t)file->size) fail("%s has %zd bytes instead of %u", path(number), count, file->size);
  for (uint32_t i = 0; i < file->size; i++)
    if (read_bytes[i] != file->content[i]) fail("%s differs at byte %u", path(number), i);
  close(descriptor);
}

static void check_value(int number, const char *name, const char *value, int length) {
  char read_value[longest_value + 64];
  ssize_t count = getxattr(path(number), name, read_value, sizeof read_value);
  if (length < 0 ? count >= 0 || errno != ENODATA : count != length || memcmp(read_value, value, (size_t)length) != 0)
    fail("%s of %s is wrong: %zd bytes instead of %d", name, path(number), count, length);
}

static void check_metadata(int number) {
  struct file *file = &files[number];
  char name[64], list[4096];
  int stored = 0;
  for (int key = 0; key < key_count; key++) {
    snprintf(name, sizeof name, "user.key%d", key);
    check_value(number, name, file->value[key], file->value_length[key]);
    stored += file->value_length[key] >= 0;
  }
  const char *type = file->type[0] ? file->type : number % 2 ? "text/html" : "image/jpeg";
  check_value(number, "user.contentType", type, (int)strlen(type));
  char size[16];
  check_value(number, "user.size", size, snprintf(size, sizeof size, "%u", file->size));
  ssize_t count = listxattr(path(number), list, sizeof list);
  int listed = 0;
  for (ssize_t i = 0; i < count; i++) listed += list[i] == 0;
  if (listed != stored + (file->type[0] != 0)) fail("%s lists %d names, not %d", path(number), listed, stored);
}

static void check_listing(void) {
  DIR *stream = opendir(folder);
  if (!stream) fail("listing of the folder");
  int listed = 0, expected = 0;
  while (readdir(stream)) listed++;
  closedir(stream);
  for (int i = 0; i < file_count; i++) expected += files[i].exists;
  if (listed != expected + 2) fail("the folder lists %d names, not %d", listed - 2, expected);
}

// The hash is computed anew after each change; whether it is right is for whoever has OpenSSL.
static void check_hash(int number) {
  char hash[64];
  if (getxattr(path(number), "user.md5Hash", hash, sizeof hash) != 24) fail("user.md5Hash of %s", path(number));
}

static void check(int number) {
  struct stat status;
  if (!files[number].exists) {
    if (stat(path(number), &status) == 0) fail("%s is there", path(number));
    return;
  }
  check_content(number);
  check_metadata(number);
}

static void clear(struct file *file) {
  memset(file, 0, sizeof *file);
  for (int key = 0; key < key_count; key++) file->value_length[key] = -1;
}

static void grow(struct file *file, uint32_t size) {
  if (size > file->size) file->size = size;
}

static void write_part(int number, int mapped) {
  struct file *file = &files[number];
  uint32_t start = (uint32_t)random_number(largest - 1), length = 1 + (uint32_t)random_number(largest - start);
  if (random_number(2)) length = 1 + (length - 1) % 5000;
  for (uint32_t i = 0; i < length; i++) file->content[start + i] = (unsigned char)random_number(256);
  int descriptor = open_file(number, O_RDWR);
  if (mapped) {
    uint32_t whole = start + length > file->size ? start + length : file->size;
    if (ftruncate(descriptor, whole) != 0) fail("truncate of %s", path(number));
    unsigned char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) fail("map of %s", path(number));
    memcpy(memory + start, file->content + start, length);
    munmap(memory, whole);
  } else if (pwrite(descriptor, file->content + start, length, start) != (ssize_t)length) {
    fail("write of %s", path(number));
  }
  grow(file, start + length);
  if (random_number(20) == 0 && fsync(descriptor) != 0) fail("fsync of %s", path(number));
  if (close(descriptor) != 0) fail("close of %s", path(number));
}

static void truncate_file(int number) {
  struct file *file = &files[number];
  uint32_t size = (uint32_t)random_number(largest);
  if (truncate(path(number), size) != 0) fail("truncate of %s", path(number));
  if (size < file->size) memset(file->content + size, 0, file->size - size);
  file->size = size;
}

static void copy_part(int number, int other) {
  struct file *from = &files[number], *to = &files[other];
  if (number == other || !from->size) return;
  off_t start = (off_t)random_number(from->size), target = start;
  int source = open_file(number, O_RDONLY), destination = open_file(other, O_WRONLY);
  ssize_t count = copy_file_range(source, &start, destination, &target, from->size - (size_t)start, 0);
  if (count < 0) fail("copy of %s", path(number));
  memcpy(to->content + target - count, from->content + start - count, (size_t)count);
  grow(to, (uint32_t)target);
  close(source);
  close(destination);
}

static void set_key(int number, int key) {
  struct file *file = &files[number];
  char name[64];
  snprintf(name, sizeof name, "user.key%d", key);
  if (random_number(3) == 0) {
    int result = removexattr(path(number), name);
    if (file->value_length[key] < 0 ? result == 0 || errno != ENODATA : result != 0) fail("removal of %s", name);
    file->value_length[key] = -1;
    return;
  }
  int length = (int)random_number(longest_value);
  for (int i = 0; i < length; i++) file->value[key][i] = (char)('a' + random_number(26));
  if (setxattr(path(number), name, file->value[key], (size_t)length, 0) != 0) fail("setting of %s", name);
  file->value_length[key] = length;
}

static void set_type(int number) {
  struct file *file = &files[number];
  snprintf(file->type, sizeof file->type, "test/x%d", (int)random_number(1000));
  if (setxattr(path(number), "user.contentType", file->type, strlen(file->type), 0) != 0) fail("setting of a type");
  if (setxattr(path(number), "user.size", "1", 1, 0) == 0 || errno != EPERM) fail("a size was set");
}

static void move(int number, int other) {
  if (number == other) return;
  if (files[other].exists) {
    // Which metadata a replacement ends with is another test's; here it is a swap.
    if (renameat2(AT_FDCWD, path(number), AT_FDCWD, path(other), RENAME_EXCHANGE) != 0) fail("exchange");
  } else if (rename(path(number), path(other)) != 0) {
    fail("rename of %s", path(number));
  }
  spare = files[number];
  files[number] = files[other];
  files[other] = spare;
}

static void step(void) {
  int number = (int)random_number(file_count), other = (int)random_number(file_count);
  struct file *file = &files[number];
  if (!file->exists) {
    close(open_file(number, O_RDWR | O_CREAT | O_EXCL));
    clear(file);
    file->exists = 1;
    return;
  }
  switch (random_number(12)) {
    case 0: case 1: write_part(number, 0); break;
    case 2: write_part(number, 1); break;
    case 3: truncate_file(number); break;
    case 4: if (files[other].exists) copy_part(number, other); break;
    case 5: case 6: case 7: set_key(number, (int)random_number(key_count)); break;
    case 8: set_type(number); break;
    case 9: move(number, other); break;
    case 10:
      if (random_number(4)) break;
      if (unlink(path(number)) != 0) fail("unlink of %s", path(number));
      clear(file);
      break;
    default:
      check(number);
      check_listing();
      if (random_number(4) == 0) check_hash(number);
  }
}

static FILE *model(const char *mode) {
  char name[4096];
  snprintf(name, sizeof name, "%s.model", getenv("SOAK_MODEL"));
  FILE *stream = fopen(name, mode);
  if (!stream) fail("the model %s", name);
  return stream;
}

int main(int count, char **arguments) {
  if (count < 3 || !getenv("SOAK_MODEL")) return 2;
  folder = arguments[1];
  if (strcmp(arguments[2], "check") == 0) {
    FILE *stream = model("r");
    if (fread(files, sizeof files, 1, stream) != 1) fail("reading the model");
    for (int i = 0; i < file_count; i++) check(i);
    return 0;
  }
  seed = strtoull(arguments[3], NULL, 10);
  state = seed;
  for (int i = 0; i < file_count; i++) clear(&files[i]);
  time_t end = time(NULL) + atoi(arguments[2]);
  do {
    for (int i = 0; i < 50; i++, steps++) step();
  } while (time(NULL) < end);
  for (int i = 0; i < file_count; i++) check(i);
  FILE *stream = model("w");
  if (fwrite(files, sizeof files, 1, stream) != 1 || fclose(stream) != 0) fail("writing the model");
  printf("%llu steps\n", (unsigned long long)steps);
  return 0;
}
