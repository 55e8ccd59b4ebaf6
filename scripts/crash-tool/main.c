// Kills the daemon of a mount, or cuts the power under it, at random moments while files are changed through it, makes
// the mount again, and holds every file against the log of what was acknowledged.
//
//   crash-tool kills BUCKETFS PLACE ROUNDS SEED OPTIONS   PLACE/bucket, PLACE/mount are the bucket and its mount
//   crash-tool cuts  BUCKETFS PLACE ROUNDS SEED OPTIONS   the same, PLACE/bucket being the root of a filesystem that can
//                                                         be unmounted, and mounted again from PLACE/image
//
// With "lies" instead of "cuts" it takes files for synchronized that it has not synchronized, and must find faults.
//
// Its last line is "ROUNDS rounds, CHANGES acknowledged, FAULTS faults"; the status is 0 without a fault. What `bucketfs
// check` says of the bucket afterwards is for the caller.
#include "crash.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHUTDOWN _IOR('X', 125, uint32_t)  // FS_IOC_SHUTDOWN of ext4 and XFS
enum { WITHOUT_FLUSHING_THE_LOG = 2 };

bool is_power, keeps, lies;
atomic_bool is_cut, is_over;

static struct worker workers[WORKERS];
static const char *program, *options;
static char bucket[2048], mountpoint[2048], image[2048], journal[2048];

static void die(const char *what) {
  fprintf(stderr, "crash-tool: %s: %s\n", what, strerror(errno));
  exit(1);
}

// Starts the daemon and waits until the mount answers.
static pid_t start(void) {
  pid_t daemon = fork();
  if (daemon < 0) die("fork");
  if (daemon == 0) {
    int log = open(journal, O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, 2);
    execl(program, program, "mount", "--foreground", "-o", options, bucket, mountpoint, (char *)NULL);
    _exit(127);
  }
  for (int tries = 0; tries < 20000; tries++) {
    struct statfs status;
    if (statfs(mountpoint, &status) == 0 && status.f_type == FUSE_SUPER_MAGIC) return daemon;
    if (waitpid(daemon, NULL, WNOHANG) == daemon) {
      fprintf(stderr, "crash-tool: the daemon does not start; see %s\n", journal);
      exit(1);
    }
    usleep(1000);
  }
  errno = ETIMEDOUT;
  die("the mount does not answer");
  return 0;
}

static void end(pid_t daemon, int number) {
  int status;
  if (waitpid(daemon, &status, WNOHANG) == daemon) {
    fprintf(stderr, "crash-tool: the daemon has ended by itself, status %#x; see %s\n", status, journal);
    exit(1);
  }
  kill(daemon, number);
  waitpid(daemon, &status, 0);
}

// Takes the filesystem away as a power cut does, and lets its journal be replayed.
static void cut(pid_t daemon) {
  int root = open(bucket, O_RDONLY | O_DIRECTORY);
  uint32_t mode = WITHOUT_FLUSHING_THE_LOG;
  is_cut = true;
  if (root < 0 || ioctl(root, SHUTDOWN, &mode) != 0) die("FS_IOC_SHUTDOWN");
  is_over = true;
  close(root);
  for (int index = 0; index < WORKERS; index++) pthread_join(workers[index].thread, NULL);
  end(daemon, SIGKILL);
  umount2(mountpoint, MNT_DETACH);
  for (int tries = 0; umount2(bucket, 0) != 0; tries++) {
    if (errno != EBUSY || tries > 5000) die("umount");
    usleep(2000);
  }
  char command[8192];
  snprintf(command, sizeof command, "mount -o loop '%s' '%s'", image, bucket);
  if (system(command) != 0) die("mount");
}

static unsigned round_of(pid_t *daemon, uint64_t *random) {
  is_cut = is_over = false;
  for (int index = 0; index < WORKERS; index++)
    if (pthread_create(&workers[index].thread, NULL, work, &workers[index]) != 0) die("pthread_create");
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  // Soon after the start and late, every moment in between alike.
  usleep((unsigned)((*random >> 33) % (is_power ? 300000 : 100000)));
  if (is_power) {
    cut(*daemon);
  } else {
    end(*daemon, SIGKILL);
    is_over = true;
    for (int index = 0; index < WORKERS; index++) pthread_join(workers[index].thread, NULL);
  }
  *daemon = start();
  unsigned faults = 0;
  for (int index = 0; index < WORKERS; index++) faults += verify(&workers[index]);
  return faults;
}

int main(int count, char **arguments) {
  if (count != 7) {
    fprintf(stderr, "usage: crash-tool kills|cuts|lies BUCKETFS PLACE ROUNDS SEED OPTIONS\n");
    return 2;
  }
  lies = strcmp(arguments[1], "lies") == 0;
  is_power = lies || strcmp(arguments[1], "cuts") == 0;
  program = arguments[2];
  options = arguments[6];
  keeps = strstr(options, "replace=keep") != NULL;
  snprintf(bucket, sizeof bucket, "%s/bucket", arguments[3]);
  snprintf(mountpoint, sizeof mountpoint, "%s/mount", arguments[3]);
  snprintf(image, sizeof image, "%s/image", arguments[3]);
  snprintf(journal, sizeof journal, "%s/log", arguments[3]);
  int rounds = atoi(arguments[4]);
  uint64_t random = strtoull(arguments[5], NULL, 10);

  pid_t daemon = start();
  for (unsigned index = 0; index < WORKERS; index++) {
    struct worker *worker = &workers[index];
    worker->number = index;
    worker->random = random + index;
    // Numbers of their own, so that a mixture of two workers' files would show.
    worker->latest = index * 500000000u;
    // No file is there yet.
    for (unsigned slot = 0; slot <= TEMPORARY; slot++) worker->slots[slot].past_count = 1;
    snprintf(worker->folder, sizeof worker->folder, "%s/worker-%u", mountpoint, index);
    if (mkdir(worker->folder, 0755) != 0) die(worker->folder);
  }
  if (is_power) sync();
  unsigned faults = 0;
  int done = 0;
  while (done < rounds && faults == 0) {
    faults += round_of(&daemon, &random);
    done++;
  }
  unsigned long acknowledged = 0;
  for (int index = 0; index < WORKERS; index++) acknowledged += workers[index].acknowledged;
  umount2(mountpoint, 0);
  int status;
  waitpid(daemon, &status, 0);
  printf("%d rounds, %lu acknowledged, %u faults\n", done, acknowledged, faults);
  return faults != 0;
}
