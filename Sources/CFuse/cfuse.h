// libfuse's low-level interface. The version asked for here decides which of its declarations exist,
// so that it is set once, for everything that imports this module.
#ifndef BUCKETFS_CFUSE_H
#define BUCKETFS_CFUSE_H

#define FUSE_USE_VERSION 314

#include <fuse3/fuse_lowlevel.h>
#include <stdio.h>

// fuse_session_custom_io is a function in 3.14 and a versioned inline one later.
static inline int cfuse_session_custom_io(struct fuse_session *session, const struct fuse_custom_io *io, int fd) {
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
  return fuse_session_custom_io_317(session, io, sizeof *io, fd);
#else
  return fuse_session_custom_io(session, io, fd);
#endif
}

// fuse_session_new is a versioned inline function since 3.17.
static inline struct fuse_session *cfuse_session_new(struct fuse_args *arguments,
                                                     const struct fuse_lowlevel_ops *operations, void *userdata) {
  return fuse_session_new(arguments, operations, sizeof *operations, userdata);
}

// Whether libfuse itself negotiates passthrough and carries the backing id (3.17 and later); where it does not, the
// session adds both to the replies as they are written.
static inline int cfuse_knows_passthrough(void) {
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
  return 1;
#else
  return 0;
#endif
}

// Whether libfuse itself speaks FUSE over io_uring (3.18 and later).
static inline int cfuse_knows_rings(void) {
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 18)
  return 1;
#else
  return 0;
#endif
}

static inline void cfuse_want_passthrough(struct fuse_conn_info *connection) {
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
  fuse_set_feature_flag(connection, FUSE_CAP_PASSTHROUGH);
  connection->max_backing_stack_depth = 1;
#else
  (void)connection;
#endif
}

static inline void cfuse_set_backing(struct fuse_file_info *info, int backing_id) {
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
  info->backing_id = backing_id;
#else
  (void)info;
  (void)backing_id;
#endif
}

#endif
