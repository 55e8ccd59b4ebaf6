#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "cring.h"

struct cring {
  struct io_uring ring;
  uint64_t event_value;
};

// What a command on the session's descriptor carries behind its SQE.
struct command {
  uint64_t flags;
  uint64_t commit_id;
  uint16_t queue;
  uint8_t padding[6];
};

struct cring *cring_create(unsigned entries, int *failure) {
  struct cring *ring = calloc(1, sizeof *ring);
  if (!ring) {
    *failure = -ENOMEM;
    return NULL;
  }
  // SQEs with room for a command, and completions made only when the thread waits for them.
  struct io_uring_params parameters = {
      .flags = IORING_SETUP_SQE128 | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CLAMP};
  *failure = io_uring_queue_init_params(entries, &ring->ring, &parameters);
  if (*failure == 0) return ring;
  free(ring);
  return NULL;
}

void cring_destroy(struct cring *ring) {
  io_uring_queue_exit(&ring->ring);
  free(ring);
}

// The next free SQE. An entry has one command at a time, so that there is room but for a fault of ours.
static struct io_uring_sqe *next(struct cring *ring) {
  struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->ring);
  if (!sqe) {
    io_uring_submit(&ring->ring);
    sqe = io_uring_get_sqe(&ring->ring);
  }
  if (!sqe) abort();
  memset(sqe, 0, 2 * sizeof *sqe);
  return sqe;
}

static struct io_uring_sqe *command(struct cring *ring, int session, uint32_t operation, uint16_t queue,
                                    uint64_t commit_id, uint64_t data) {
  struct io_uring_sqe *sqe = next(ring);
  sqe->opcode = IORING_OP_URING_CMD;
  sqe->fd = session;
  sqe->cmd_op = operation;
  sqe->user_data = data;
  struct command command = {.commit_id = commit_id, .queue = queue};
  memcpy(sqe->cmd, &command, sizeof command);
  return sqe;
}

void cring_register(struct cring *ring, int session, uint16_t queue, void *memory, uint32_t payload_size,
                    uint64_t data) {
  // The kernel reads these when the command is submitted: they stand in the entry's own first page.
  struct iovec *parts = (struct iovec *)((char *)memory + 1024);
  parts[0] = (struct iovec){memory, sizeof(struct cring_header)};
  parts[1] = (struct iovec){(char *)memory + cring_payload_offset, payload_size};
  struct io_uring_sqe *sqe = command(ring, session, 1, queue, 0, data);
  sqe->addr = (uint64_t)(uintptr_t)parts;
  sqe->len = 2;
}

void cring_commit(struct cring *ring, int session, uint16_t queue, uint64_t commit_id, uint64_t data) {
  command(ring, session, 2, queue, commit_id, data);
}

void cring_read_event(struct cring *ring, int event, uint64_t data) {
  struct io_uring_sqe *sqe = next(ring);
  io_uring_prep_read(sqe, event, &ring->event_value, sizeof ring->event_value, 0);
  sqe->user_data = data;
}

int cring_wait(struct cring *ring) { return io_uring_submit_and_wait(&ring->ring, 1); }

int cring_take(struct cring *ring, uint64_t *data, int *result) {
  struct io_uring_cqe *cqe = NULL;
  if (io_uring_peek_cqe(&ring->ring, &cqe) != 0 || !cqe) return 0;
  *data = cqe->user_data;
  *result = cqe->res;
  io_uring_cqe_seen(&ring->ring, cqe);
  return 1;
}
