// What the parts of crash-tool share. See main.c for what it does.
#ifndef CRASH_H
#define CRASH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  WORKERS = 4,
  SLOTS = 6,               // files of a worker with names of their own
  TEMPORARY = SLOTS,       // one more, which is renamed over one of them
  KEYS = 4,
  BLOCKS = 16,             // of a file's content
  BLOCK = 512,
  LONGEST_VALUE = 2000,    // with four keys more than ext4 keeps in a file's xattrs
  REMEMBERED = 600,        // states of a file since it was last synchronized
};

// A file as it is or may be, told by numbers from which all its bytes follow; 0 is "not there".
struct state {
  bool exists;
  uint32_t key[KEYS];
  uint32_t type;           // of contentType, 0 where it is derived
  uint32_t blocks;         // the size in blocks
  uint32_t block[BLOCKS];
};

struct slot {
  struct state now;        // what was acknowledged last
  uint32_t changes;        // of metadata, for slot 0, which sees no others
  // What it was since it was last synchronized, its name included: any of these may be there after a power cut.
  struct state past[REMEMBERED];
  unsigned past_count;
};

// A call that has begun and was not answered: then each slot that it changes is as before, or each as afterwards.
struct pending {
  bool is_open;
  unsigned count;          // of slots that it changes
  unsigned slot[2];
  struct state after[2];
};

struct worker {
  unsigned number;
  uint64_t random;
  char folder[4096];
  struct slot slots[SLOTS + 1];
  uint32_t temporary;      // part of the temporary file's name, which is used once
  uint32_t latest;         // the latest number that was given out
  struct pending pending;
  unsigned long acknowledged;
  pthread_t thread;
};

extern bool is_power;      // the power is cut, so that files are synchronized
extern bool keeps;         // the mount has replace=keep, else replace=drop
extern bool lies;          // they are not, though the log says so
extern atomic_bool is_cut;  // the power is about to be cut
extern atomic_bool is_over; // nobody answers any more

// model.c
uint64_t random_number(struct worker *worker, uint64_t below);
void path_of(const struct worker *worker, unsigned slot, char *path);
unsigned value_of(uint32_t number, char *value);
void content_of(uint32_t number, unsigned char *block);
bool observe(struct worker *worker, unsigned slot, struct state *state);
bool equal(const struct state *one, const struct state *other);
bool equal_metadata(const struct state *one, const struct state *other);
void describe(const struct state *state, char *text);

// work.c
void *work(void *worker);

// verify.c
unsigned verify(struct worker *worker);

#endif
