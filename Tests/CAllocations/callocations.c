#include "callocations.h"

#include <malloc.h>
#include <stddef.h>

static _Thread_local uint64_t count;

uint64_t allocations_of_this_thread(void) { return count; }

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

void *malloc(size_t size) {
  count++;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count++;
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count++;
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count++;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12 /* ENOMEM */;
}

#endif

size_t allocation_size(void *block) { return malloc_usable_size(block) + sizeof(size_t); }
