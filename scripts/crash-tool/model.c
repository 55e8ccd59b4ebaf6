// Files told by numbers: what follows from these, and what is there in truth.
#include "crash.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

uint64_t random_number(struct worker *worker, uint64_t below) {
  worker->random += 0x9e3779b97f4a7c15;
  uint64_t bits = worker->random;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return (bits ^ (bits >> 31)) % below;
}

void path_of(const struct worker *worker, unsigned slot, char *path) {
  if (slot == TEMPORARY)
    snprintf(path, 4200, "%s/new-%u", worker->folder, worker->temporary);
  else
    snprintf(path, 4200, "%s/file-%u.html", worker->folder, slot);
}

unsigned value_of(uint32_t number, char *value) {
  // Inside the inode, in a block, in a file of their own.
  static const unsigned lengths[] = {12, 60, 300, 1000, LONGEST_VALUE, 1500, 30};
  unsigned length = lengths[number % 7];
  memset(value, 'a' + (int)(number % 26), length);
  char text[16];
  memcpy(value, text, (size_t)snprintf(text, sizeof text, "%u.", number));
  return length;
}

void content_of(uint32_t number, unsigned char *block) {
  memset(block, (int)(number * 7 % 251 + 1), BLOCK);
  memcpy(block, &number, sizeof number);
}

// The number whose value is there, 0 where none is set, UINT32_MAX where it is nobody's.
static uint32_t observe_key(const char *path, const char *name) {
  char value[LONGEST_VALUE * 3], expected[LONGEST_VALUE];
  ssize_t length = getxattr(path, name, value, sizeof value - 1);
  if (length < 0) return errno == ENODATA ? 0 : UINT32_MAX;
  value[length] = 0;
  uint32_t number = (uint32_t)strtoul(value, NULL, 10);
  return value_of(number, expected) == length && memcmp(value, expected, (size_t)length) == 0 ? number : UINT32_MAX;
}

static uint32_t observe_type(const char *path) {
  char value[128];
  ssize_t length = getxattr(path, "user.contentType", value, sizeof value - 1);
  if (length < 0) return UINT32_MAX;
  value[length] = 0;
  unsigned number;
  return sscanf(value, "test/x%u", &number) == 1 ? number : 0;
}

static bool has_only_these_names(const char *path, const struct state *state) {
  char list[4096];
  ssize_t length = listxattr(path, list, sizeof list);
  unsigned count = 0, expected = state->type != 0;
  for (ssize_t i = 0; i < length; i++) count += list[i] == 0;
  for (unsigned key = 0; key < KEYS; key++) expected += state->key[key] != 0;
  return length >= 0 && count == expected;
}

// Reads a file through the mount. Returns whether all of it can be read and is something that was ever written.
bool observe(struct worker *worker, unsigned slot, struct state *state) {
  char path[4200], name[32];
  path_of(worker, slot, path);
  memset(state, 0, sizeof *state);
  int file = open(path, O_RDONLY);
  if (file < 0) return errno == ENOENT;
  state->exists = true;
  bool is_whole = true;
  unsigned char content[(BLOCKS + 1) * BLOCK], expected[BLOCK];
  ssize_t size = pread(file, content, sizeof content, 0);
  close(file);
  if (size < 0 || (!is_power && size % BLOCK != 0)) return false;
  state->blocks = ((uint32_t)size + BLOCK - 1) / BLOCK;
  memset(content + size, 0xff, sizeof content - (size_t)size);
  if (state->blocks > BLOCKS) return false;
  for (unsigned index = 0; index < state->blocks; index++) {
    memcpy(&state->block[index], content + index * BLOCK, 4);
    if (state->block[index]) content_of(state->block[index], expected);
    else memset(expected, 0, BLOCK);
    if (memcmp(expected, content + index * BLOCK, BLOCK) != 0) {
      state->block[index] = UINT32_MAX;
      is_whole = is_power;
    }
  }
  for (unsigned key = 0; key < KEYS; key++) {
    snprintf(name, sizeof name, "user.key%u", key);
    state->key[key] = observe_key(path, name);
    if (state->key[key] == UINT32_MAX) is_whole = false;
  }
  state->type = observe_type(path);
  return is_whole && state->type != UINT32_MAX && has_only_these_names(path, state);
}

bool equal_metadata(const struct state *one, const struct state *other) {
  return one->type == other->type && memcmp(one->key, other->key, sizeof one->key) == 0;
}

bool equal(const struct state *one, const struct state *other) {
  if (!one->exists || !other->exists) return one->exists == other->exists;
  return equal_metadata(one, other) && one->blocks == other->blocks &&
         memcmp(one->block, other->block, one->blocks * sizeof one->block[0]) == 0;
}

void describe(const struct state *state, char *text) {
  if (!state->exists) {
    strcpy(text, "absent");
    return;
  }
  text += sprintf(text, "type %u, keys", state->type);
  for (unsigned key = 0; key < KEYS; key++) text += sprintf(text, " %u", state->key[key]);
  text += sprintf(text, ", blocks");
  for (unsigned index = 0; index < state->blocks; index++) text += sprintf(text, " %u", state->block[index]);
}
