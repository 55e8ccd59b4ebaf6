/// A table of file system calls that is run in two directories and must give the same lines in both.
///
/// A case is a C function in a process of its own, with a fresh directory as its working directory. It begins as the
/// directory's owner, prepares, calls `ACT()` to become the caller under test, and reports what each call answered. What
/// the directory holds afterwards is reported by the runner.
#ifndef POSIX_TABLE_H
#define POSIX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Who makes the calls of a case.
enum caller { CALLER_ROOT, CALLER_OWNER, CALLER_MEMBER, CALLER_STRANGER, CALLER_COUNT };

/// The user and the primary group of a caller; the member has the owner's group as a supplementary one only.
struct identity {
  const char *name;
  uid_t uid;
  gid_t gid;
};

extern const struct identity identities[CALLER_COUNT];

/// One case: a name and what it does.
struct posix_case {
  const char *name;
  void (*run)(void);
  struct posix_case *next;
};

/// Adds a case to the table; called before `main` by `CASE`.
void add_case(struct posix_case *entry);

/// Defines a case and adds it to the table.
#define CASE(id)                                                                                                       \
  static void run_##id(void);                                                                                          \
  __attribute__((constructor)) static void add_##id(void) {                                                            \
    static struct posix_case entry = {#id, run_##id, NULL};                                                            \
    add_case(&entry);                                                                                                  \
  }                                                                                                                    \
  static void run_##id(void)

/// Makes a call and reports its text, its result and its errno.
#define T(call)                                                                                                        \
  ({                                                                                                                   \
    errno_clear();                                                                                                     \
    long result_ = (long)(call);                                                                                       \
    report_call(#call, result_);                                                                                       \
    result_;                                                                                                           \
  })

/// The same for calls made in a loop: `text` says which one it is.
#define TF(call, ...)                                                                                                  \
  ({                                                                                                                   \
    errno_clear();                                                                                                     \
    long result_ = (long)(call);                                                                                       \
    report_call_as(result_, __VA_ARGS__);                                                                              \
    result_;                                                                                                           \
  })

/// Makes a call that the mount may refuse with `error` where the backing directory does it: one of the differences that
/// the README lists. Any third answer is reported.
#define MAY_REFUSE(error, call)                                                                                        \
  ({                                                                                                                   \
    errno_clear();                                                                                                     \
    long result_ = (long)(call);                                                                                       \
    report_refusal(#call, result_, error);                                                                             \
    result_;                                                                                                           \
  })

/// Becomes the caller under test.
void act(void);
#define ACT() act()
/// The same without a line in the report.
void act_again(void);
/// Becomes the directory's owner again.
void act_as_owner(void);
/// Becomes root, where the runner is root.
void act_as_root(void);
/// Becomes a caller, where the runner is root.
void act_as(enum caller who);
/// The caller under test.
enum caller acting_caller(void);
/// Whether the runner is root. An ordinary user's daemon has that user's rights alone, and no passthrough.
bool runs_as_root(void);

/// A POSIX ACL as the kernel takes it.
struct acl {
  uint32_t version;
  struct {
    uint16_t tag, permissions;
    uint32_t id;
  } entries[6];
} __attribute__((packed));

/// The id of an entry that needs none.
#define ANY UINT32_MAX

/// What a walk at random begins with; 0 for none.
extern uint64_t walk_seed;
/// Makes a folder for `walk_in`.
void prepare_walk(const char *folder);
/// A walk at random in a folder that is there, and may be read-only.
void walk_in(const char *folder);

void errno_clear(void);
void report_call(const char *text, long result);
void report_call_as(long result, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_refusal(const char *text, long result, int error);
/// Writes a line of its own.
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Makes a file with this text, mode 0644.
void file(const char *path, const char *text);
/// Makes a directory with exactly this mode.
void folder(const char *path, mode_t mode);
/// Reports type, mode, owner, links and size of a name, symlinks not followed.
void show(const char *path);
/// The same for an open descriptor.
void show_descriptor(int descriptor);
/// Reports what a file holds.
void content(const char *path);
/// Reports the names in a directory and their types, sorted.
void names(const char *path);
/// Reports atime and mtime to the nanosecond.
void times(const char *path);
/// Remembers a name's times and lets the clock move on.
void mark(const char *path);
/// Reports which of the times have moved since `mark`.
void moved(const char *path);

/// Reports all that a directory holds. `attributes` says whether xattrs are part of it.
void report_state(const char *directory, bool attributes);

/// Everything is written here: a number that the calls of the cases never get.
#define REPORT_DESCRIPTOR 200

#endif
