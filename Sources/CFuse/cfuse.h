// libfuse's low-level interface. The version asked for here decides which of its declarations exist,
// so that it is set once, for everything that imports this module.
#ifndef BUCKETFS_CFUSE_H
#define BUCKETFS_CFUSE_H

#define FUSE_USE_VERSION 314

#include <fuse3/fuse_lowlevel.h>

#endif
