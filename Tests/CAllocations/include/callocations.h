// Counts what a thread allocates: the hot paths are to allocate nothing.
#ifndef BUCKETFS_CALLOCATIONS_H
#define BUCKETFS_CALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Whether allocations are counted: a sanitizer has an allocator of its own.
bool allocations_are_counted(void);

// How often the calling thread has allocated so far.
uint64_t allocations_of_this_thread(void);

// How many bytes more the calling thread has allocated than it has freed.
int64_t bytes_of_this_thread(void);

// How many bytes the block at the address takes, the allocator's own word included.
size_t allocation_size(void *block);

#endif
