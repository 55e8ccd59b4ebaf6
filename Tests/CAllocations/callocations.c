#include "callocations.h"

#include <malloc.h>
#include <stddef.h>

static _Thread_local uint64_t count;

static _Thread_local int64_t bytes;

uint64_t allocations_of_this_thread(void) { return count; }

int64_t bytes_of_this_thread(void) { return bytes; }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OWN_ALLOCATOR 1
#endif
#endif

#ifdef HAS_OWN_ALLOCATOR

bool allocations_are_counted(void) { return false; }

#else

bool allocations_are_counted(void) { return true; }

// glibc's own, over which these are laid for the whole test process.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static int64_t size_of(void *memory) { return memory ? (int64_t)allocation_size(memory) : 0; }

static void *counted(void *memory) {
  count++;
  bytes += size_of(memory);
  return memory;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *memory, size_t size) {
  int64_t before = size_of(memory);
  void *moved = __libc_realloc(memory, size);
  count++;
  if (moved || size == 0) bytes += size_of(moved) - before;
  return moved;
}

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = counted(__libc_memalign(alignment, size));
  return *memory ? 0 : 12 /* ENOMEM */;
}

void free(void *memory) {
  bytes -= size_of(memory);
  __libc_free(memory);
}

#endif

size_t allocation_size(void *block) { return malloc_usable_size(block) + sizeof(size_t); }
