// Landlock and the process's rights: newer than Debian 12's headers, or without a wrapper in glibc.
#include "clinux.h"

#include <sys/syscall.h>
#include <time.h>

// Numbers of the generic table, equal on every architecture since Linux 5.13.
enum { create_ruleset_number = 444, add_rule_number = 445, restrict_self_number = 446 };

struct clinux_ruleset {
  uint64_t handled_access_fs, handled_access_net, scoped;
};

struct clinux_path_beneath {
  uint64_t allowed_access;
  int32_t parent;
} __attribute__((packed));

int clinux_landlock_version(void) {
  return (int)syscall(create_ruleset_number, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
}

int clinux_landlock_rules(uint64_t files, uint64_t network, uint64_t scopes) {
  struct clinux_ruleset rules = {files, network, scopes};
  // An older kernel takes a longer structure whose end is zero.
  return (int)syscall(create_ruleset_number, &rules, sizeof rules, 0);
}

int clinux_landlock_allow(int rules, int parent, uint64_t access) {
  struct clinux_path_beneath rule = {access, parent};
  return (int)syscall(add_rule_number, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0);
}

int clinux_landlock_enter(int rules) { return (int)syscall(restrict_self_number, rules, 0); }

int clinux_no_new_privileges(int set) {
  return set ? prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) : prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

int clinux_drop_bound(int capability) { return prctl(PR_CAPBSET_DROP, (unsigned long)capability, 0, 0, 0); }

int clinux_set_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

void clinux_close_range(unsigned first, unsigned last) { close_range(first, last, 0); }

void clinux_load_time_zone(void) { tzset(); }

int clinux_mount_identifier(int descriptor, uint64_t *identifier) {
  // STATX_MNT_ID_UNIQUE of Linux 6.8, whose numbers are never given twice, else STATX_MNT_ID.
  const unsigned unique = 0x4000, plain = 0x1000;
  struct statx status;
  if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, unique | plain, &status) != 0) return -1;
  if (!(status.stx_mask & (unique | plain))) {
    errno = ENOSYS;
    return -1;
  }
  *identifier = status.stx_mnt_id;
  return 0;
}
