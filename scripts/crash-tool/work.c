// The load: changes of data, names and metadata, each noted before it begins and when it was acknowledged.
#include "crash.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// Ends the program for a call that failed although somebody was there to answer it.
static bool failed(struct worker *worker, const char *call, unsigned slot) {
  int reason = errno;
  // The daemon may have died before whoever killed it could say so.
  for (int tries = 0; tries < 2000 && !is_over; tries++) usleep(1000);
  if (is_over) return false;
  fprintf(stderr, "crash-tool: worker %u: %s of slot %u: %s\n", worker->number, call, slot, strerror(reason));
  exit(1);
}

static struct state *begin(struct worker *worker, unsigned slot) {
  struct pending *pending = &worker->pending;
  unsigned index = pending->count++;
  pending->slot[index] = slot;
  pending->after[index] = worker->slots[slot].now;
  pending->is_open = true;
  return &pending->after[index];
}

static void remember(struct slot *slot) {
  if (slot->past_count < REMEMBERED) slot->past[slot->past_count++] = slot->now;
}

static void acknowledge(struct worker *worker) {
  struct pending *pending = &worker->pending;
  for (unsigned index = 0; index < pending->count; index++) {
    struct slot *slot = &worker->slots[pending->slot[index]];
    slot->now = pending->after[index];
    remember(slot);
  }
  memset(pending, 0, sizeof *pending);
  worker->acknowledged++;
}

static bool end(struct worker *worker, bool succeeded, const char *call, unsigned slot) {
  if (!succeeded) return failed(worker, call, slot);
  acknowledge(worker);
  return true;
}

// Makes a slot's file durable, its name included; what it was before is then no longer among what may be there.
static bool synchronize(struct worker *worker, unsigned slot) {
  char path[4200];
  path_of(worker, slot, path);
  if (!lies && worker->slots[slot].now.exists) {
    int file = open(path, O_RDONLY);
    if (file < 0) return failed(worker, "open for fsync", slot);
    bool succeeded = fsync(file) == 0;
    close(file);
    if (!succeeded) return failed(worker, "fsync", slot);
  }
  int folder = open(worker->folder, O_RDONLY | O_DIRECTORY);
  if (folder < 0) return failed(worker, "open of the folder", slot);
  bool succeeded = lies || fsync(folder) == 0;
  close(folder);
  if (!succeeded) return failed(worker, "fsync of the folder", slot);
  // XFS may let a call succeed that waits while it is shut down. With no power left, nobody would hear of it.
  if (is_cut) return true;
  worker->slots[slot].past_count = 0;
  remember(&worker->slots[slot]);
  worker->acknowledged++;
  return true;
}

static bool create(struct worker *worker, unsigned slot) {
  char path[4200];
  path_of(worker, slot, path);
  struct state *after = begin(worker, slot);
  memset(after, 0, sizeof *after);
  after->exists = true;
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (!end(worker, file >= 0, "create", slot)) return false;
  close(file);
  return true;
}

static bool write_block(struct worker *worker, unsigned slot) {
  char path[4200];
  unsigned char block[BLOCK];
  path_of(worker, slot, path);
  unsigned size = worker->slots[slot].now.blocks;
  unsigned index = (unsigned)random_number(worker, size < BLOCKS ? size + 1 : BLOCKS);
  int file = open(path, O_WRONLY);
  if (file < 0) return failed(worker, "open", slot);
  struct state *after = begin(worker, slot);
  after->block[index] = ++worker->latest;
  if (index == size) after->blocks++;
  content_of(worker->latest, block);
  bool succeeded = pwrite(file, block, BLOCK, index * BLOCK) == BLOCK;
  bool goes_on = end(worker, succeeded, "write", slot);
  close(file);
  return goes_on;
}

static bool shorten(struct worker *worker, unsigned slot) {
  char path[4200];
  path_of(worker, slot, path);
  struct state *after = begin(worker, slot);
  after->blocks = (uint32_t)random_number(worker, after->blocks + 1);
  memset(after->block + after->blocks, 0, (BLOCKS - after->blocks) * sizeof after->block[0]);
  return end(worker, truncate(path, after->blocks * BLOCK) == 0, "truncate", slot);
}

static bool set_key(struct worker *worker, unsigned slot) {
  char path[4200], name[32], value[LONGEST_VALUE];
  path_of(worker, slot, path);
  unsigned key = (unsigned)random_number(worker, KEYS);
  snprintf(name, sizeof name, "user.key%u", key);
  struct state *after = begin(worker, slot);
  bool removes = after->key[key] && random_number(worker, 4) == 0;
  after->key[key] = removes ? 0 : ++worker->latest;
  bool succeeded = removes ? removexattr(path, name) == 0
                           : setxattr(path, name, value, value_of(worker->latest, value), 0) == 0;
  worker->slots[slot].changes += succeeded;
  return end(worker, succeeded, removes ? "removexattr" : "setxattr", slot);
}

// Several properties in one step: all of them are new, or none.
static bool update(struct worker *worker, unsigned slot) {
  char path[4200], value[LONGEST_VALUE], patch[3 * LONGEST_VALUE];
  path_of(worker, slot, path);
  uint32_t number = ++worker->latest;
  unsigned length = value_of(number, value), first = (unsigned)random_number(worker, KEYS);
  unsigned second = (first + 1) % KEYS;
  int size = snprintf(patch, sizeof patch,
                      "{\"contentType\":\"test/x%u\",\"customMetadata\":{\"key%u\":\"%.*s\",\"key%u\":\"%.*s\"}}", number,
                      first, (int)length, value, second, (int)length, value);
  struct state *after = begin(worker, slot);
  after->type = after->key[first] = after->key[second] = number;
  bool succeeded = setxattr(path, "user.bucketfs.update", patch, (size_t)size, 0) == 0;
  worker->slots[slot].changes += succeeded;
  return end(worker, succeeded, "update", slot);
}

// What a file replaced by another ends with.
static struct state merged(const struct state *source, const struct state *target) {
  struct state result = *source;
  if (!keeps || !target->exists) return result;
  for (unsigned key = 0; key < KEYS; key++)
    if (!result.key[key]) result.key[key] = target->key[key];
  if (!result.type) result.type = target->type;
  return result;
}

// A safe save: a new file of another name, then its rename over the old one.
static bool replace(struct worker *worker, unsigned slot) {
  char path[4200], target[4200];
  // A file that an earlier kill has left stays where it is, under a name of its own.
  if (worker->slots[TEMPORARY].now.exists) {
    path_of(worker, TEMPORARY, path);
    struct state *after = begin(worker, TEMPORARY);
    after->exists = false;
    if (!end(worker, unlink(path) == 0, "unlink", TEMPORARY)) return false;
  }
  worker->temporary++;
  worker->slots[TEMPORARY].past_count = 0;
  remember(&worker->slots[TEMPORARY]);
  if (!create(worker, TEMPORARY) || !write_block(worker, TEMPORARY)) return false;
  if (random_number(worker, 3) == 0 && !set_key(worker, TEMPORARY)) return false;
  if (is_power && random_number(worker, 2) && !synchronize(worker, TEMPORARY)) return false;
  path_of(worker, TEMPORARY, path);
  path_of(worker, slot, target);
  struct state result = merged(&worker->slots[TEMPORARY].now, &worker->slots[slot].now);
  *begin(worker, slot) = result;
  begin(worker, TEMPORARY)->exists = false;
  return end(worker, rename(path, target) == 0, "rename", slot);
}

static bool remove_file(struct worker *worker, unsigned slot) {
  char path[4200];
  path_of(worker, slot, path);
  begin(worker, slot)->exists = false;
  return end(worker, unlink(path) == 0, "unlink", slot);
}

static bool move(struct worker *worker, unsigned slot, unsigned other) {
  char path[4200], target[4200];
  path_of(worker, slot, path);
  path_of(worker, other, target);
  struct state one = worker->slots[slot].now, two = worker->slots[other].now;
  *begin(worker, slot) = two;
  *begin(worker, other) = one;
  unsigned flags = two.exists ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  return end(worker, renameat2(AT_FDCWD, path, AT_FDCWD, target, flags) == 0, "move", slot);
}

static bool step(struct worker *worker) {
  // Slot 0 has metadata alone, so that its changes can be counted.
  unsigned slot = (unsigned)random_number(worker, SLOTS), other = 1 + (unsigned)random_number(worker, SLOTS - 1);
  struct slot *file = &worker->slots[slot];
  if (!file->now.exists) return create(worker, slot);
  if (is_power && (file->past_count > REMEMBERED - 10 || random_number(worker, 3) == 0))
    return synchronize(worker, slot);
  if (slot == 0) return random_number(worker, 3) ? set_key(worker, slot) : update(worker, slot);
  switch (random_number(worker, 12)) {
    case 0: case 1: case 2: return write_block(worker, slot);
    case 3: return shorten(worker, slot);
    case 4: case 5: case 6: return set_key(worker, slot);
    case 7: case 8: return update(worker, slot);
    case 9: return replace(worker, slot);
    case 10: return random_number(worker, 3) || remove_file(worker, slot);
    default:
      // With replace=keep, what is made where another was moved away takes that one's metadata.
      return keeps || slot == other || move(worker, slot, other);
  }
}

void *work(void *argument) {
  struct worker *worker = argument;
  while (!is_over && step(worker)) {}
  return NULL;
}
