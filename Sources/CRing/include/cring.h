// A ring of FUSE over io_uring. liburing's header settles which names of the system's headers exist, so that it cannot
// be seen together with others': this one needs none.
// Source: struct fuse_uring_req_header and fuse_uring_cmd_req of linux/fuse.h (Linux 6.14).
#ifndef BUCKETFS_CRING_H
#define BUCKETFS_CRING_H

#include <stdint.h>

// Where an entry has the parts of its request and of its reply, at the start of the entry's memory.
struct cring_header {
  uint8_t in_out[128];
  uint8_t op_in[128];
  uint64_t flags;
  uint64_t commit_id;
  uint32_t payload_size;
  uint32_t padding;
  uint64_t reserved;
};

struct cring;

// The payload begins so many bytes behind the start of an entry's memory.
enum { cring_payload_offset = 4096 };

// A ring of at most so many entries, for the calling thread alone. Returns NULL and a negative errno in `failure`.
struct cring *cring_create(unsigned entries, int *failure);
void cring_destroy(struct cring *ring);

// Registers an entry of a queue with the kernel: FUSE_IO_URING_CMD_REGISTER. `memory` holds until the ring is
// destroyed. Takes effect with the next `cring_wait`, as all that follows.
void cring_register(struct cring *ring, int session, uint16_t queue, void *memory, uint32_t payload_size, uint64_t data);

// Hands an entry's reply over and asks for the next request: FUSE_IO_URING_CMD_COMMIT_AND_FETCH.
void cring_commit(struct cring *ring, int session, uint16_t queue, uint64_t commit_id, uint64_t data);

// Reads an eventfd once somebody has written to it.
void cring_read_event(struct cring *ring, int event, uint64_t data);

// Submits what was asked for and waits for a completion. Returns a negative errno where that fails.
int cring_wait(struct cring *ring);

// Takes one completion off the ring. Returns 1, or 0 where there is none.
int cring_take(struct cring *ring, uint64_t *data, int *result);

#endif
