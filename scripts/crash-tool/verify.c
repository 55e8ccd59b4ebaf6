// What is there after a crash, held against what was acknowledged and what had begun.
#include "crash.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

static void complain(struct worker *worker, unsigned slot, const char *what, const struct state *found) {
  char text[8192], path[4200];
  path_of(worker, slot, path);
  describe(found, text);
  fprintf(stderr, "crash-tool: %s: %s\n  found: %s\n", path, what, text);
  describe(&worker->slots[slot].now, text);
  fprintf(stderr, "  acknowledged: %s\n", text);
  for (unsigned index = 0; index < worker->pending.count; index++)
    if (worker->pending.slot[index] == slot) {
      describe(&worker->pending.after[index], text);
      fprintf(stderr, "  begun: %s\n", text);
    }
}

// Whether each slot that the open call changes is as that call leaves it.
static bool is_done(struct worker *worker, const struct state *found) {
  for (unsigned index = 0; index < worker->pending.count; index++)
    if (!equal(&worker->pending.after[index], &found[worker->pending.slot[index]])) return false;
  return worker->pending.is_open;
}

// A new file has the old one's metadata before it is renamed over that: no more than that may have come about.
static bool has_taken_over(struct worker *worker, unsigned slot, const struct state *found) {
  struct pending *pending = &worker->pending;
  return keeps && slot == TEMPORARY && pending->count == 2 && pending->slot[1] == TEMPORARY &&
         equal(&pending->after[0], found);
}

// After a kill: everything that was acknowledged, and the open call whole or not at all.
static unsigned verify_kill(struct worker *worker, const struct state *found) {
  unsigned faults = 0;
  bool done = is_done(worker, found);
  for (unsigned slot = 0; slot <= TEMPORARY; slot++) {
    struct state expected = worker->slots[slot].now;
    for (unsigned index = 0; done && index < worker->pending.count; index++)
      if (worker->pending.slot[index] == slot) expected = worker->pending.after[index];
    if (equal(&expected, &found[slot]) || has_taken_over(worker, slot, &found[slot])) continue;
    complain(worker, slot, "neither the old state nor the new", &found[slot]);
    faults++;
  }
  return faults;
}

// After a power cut: metadata as it was at one moment since the file was synchronized, and each block that was not
// written since.
static bool is_explained(struct worker *worker, unsigned slot, const struct state *found) {
  struct slot *file = &worker->slots[slot];
  struct state candidates[REMEMBERED + 1];
  unsigned count = file->past_count;
  memcpy(candidates, file->past, count * sizeof candidates[0]);
  for (unsigned index = 0; index < worker->pending.count; index++)
    if (worker->pending.slot[index] == slot) candidates[count++] = worker->pending.after[index];
  bool may_be_so = false;
  for (unsigned index = 0; index < count; index++)
    may_be_so |= candidates[index].exists == found->exists && (!found->exists || equal_metadata(&candidates[index], found));
  // With replace=keep, what was taken over shows on the new file before it has its name.
  if (slot == TEMPORARY && found->exists && !file->now.exists) may_be_so = true;
  if (slot == TEMPORARY && keeps && worker->pending.count == 2) may_be_so = true;
  if (!may_be_so || !found->exists) return may_be_so;
  for (unsigned block = 0; block < BLOCKS; block++) {
    bool is_settled = true;
    for (unsigned index = 1; index < count; index++)
      is_settled &= candidates[index].exists && candidates[index].blocks > block &&
                    candidates[index].block[block] == candidates[0].block[block];
    if (!is_settled || !candidates[0].exists || candidates[0].blocks <= block) continue;
    if (found->blocks <= block || found->block[block] != candidates[0].block[block]) return false;
  }
  return true;
}

static unsigned verify_cut(struct worker *worker, const struct state *found) {
  unsigned faults = 0;
  for (unsigned slot = 0; slot <= TEMPORARY; slot++) {
    if (is_explained(worker, slot, &found[slot])) continue;
    complain(worker, slot, "not what was synchronized, nor anything later", &found[slot]);
    char text[8192];
    for (unsigned index = 0; index < worker->slots[slot].past_count; index++) {
      describe(&worker->slots[slot].past[index], text);
      fprintf(stderr, "  %s: %s\n", index == 0 ? "synchronized" : "later", text);
    }
    faults++;
  }
  return faults;
}

static long metageneration(struct worker *worker, unsigned slot) {
  char path[4200], value[32];
  path_of(worker, slot, path);
  ssize_t length = getxattr(path, "user.metageneration", value, sizeof value - 1);
  if (length < 0) return -1;
  value[length] = 0;
  return atol(value);
}

// Whether a file holds nothing but whole blocks that were written: a power cut may leave the others half written.
static bool is_clean(const struct state *found) {
  for (unsigned index = 0; index < found->blocks; index++)
    if (found->block[index] == UINT32_MAX) return false;
  return true;
}

static void discard(struct worker *worker, unsigned slot) {
  char path[4200];
  path_of(worker, slot, path);
  if (unlink(path) != 0) return;
  struct slot *file = &worker->slots[slot];
  memset(&file->now, 0, sizeof file->now);
  file->past[file->past_count++] = file->now;
}

// Holds all files of a worker against its log, and goes on from what is there. Returns the number of faults.
unsigned verify(struct worker *worker) {
  struct state found[SLOTS + 1];
  unsigned faults = 0;
  for (unsigned slot = 0; slot <= TEMPORARY; slot++)
    if (!observe(worker, slot, &found[slot])) {
      complain(worker, slot, "cannot be read whole, or nobody has written it", &found[slot]);
      faults++;
    }
  if (faults) return faults;
  if (!is_power && found[0].exists) {
    bool done = is_done(worker, found) && worker->pending.slot[0] == 0 && worker->slots[0].now.exists;
    long changes = metageneration(worker, 0), expected = 1 + (long)worker->slots[0].changes + done;
    if (changes != expected) {
      fprintf(stderr, "crash-tool: %s: metageneration %ld instead of %ld\n", worker->folder, changes, expected);
      faults++;
    }
    worker->slots[0].changes = (uint32_t)(changes - 1);
  }
  faults += is_power ? verify_cut(worker, found) : verify_kill(worker, found);
  for (unsigned slot = 0; slot <= TEMPORARY; slot++) {
    struct slot *file = &worker->slots[slot];
    file->now = found[slot];
    file->past[0] = found[slot];
    file->past_count = 1;
    if (is_power && found[slot].exists && !is_clean(&found[slot])) discard(worker, slot);
  }
  memset(&worker->pending, 0, sizeof worker->pending);
  return faults;
}
