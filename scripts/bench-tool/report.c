#include "bench.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_rows = 256, most_values = 256, systems = 5, peers_end = 4 };

static const char *const names[systems] = {"native", "bucketfs", "passthrough_ll", "bindfs", "rings"};

/// What was measured of one piece of work.
struct row {
  char name[128], unit[16];
  double values[systems][most_values];
  size_t counts[systems];
  double requests;
};

static struct row rows[most_rows];
static size_t row_count;

static struct row *row_named(const char *name, const char *unit) {
  for (size_t i = 0; i < row_count; i++)
    if (strcmp(rows[i].name, name) == 0) return &rows[i];
  if (row_count == most_rows) exit(3);
  struct row *row = &rows[row_count++];
  snprintf(row->name, sizeof row->name, "%s", name);
  snprintf(row->unit, sizeof row->unit, "%s", unit);
  row->requests = -1;
  return row;
}

static int compare(const void *left, const void *right) {
  double one = *(const double *)left, two = *(const double *)right;
  return (one > two) - (one < two);
}

/// The median of what a system gave; negative where it gave nothing.
static double median(struct row *row, int system) {
  size_t count = row->counts[system];
  if (count == 0) return -1;
  qsort(row->values[system], count, sizeof(double), compare);
  double *middle = &row->values[system][count / 2];
  return count % 2 == 1 ? *middle : (middle[-1] + *middle) / 2;
}

static void print_number(double value) {
  if (value < 0) printf(" – |");
  else printf(value >= 100 ? " %.0f |" : value >= 10 ? " %.1f |" : " %.2f |", value);
}

static void print_ratio(double value, double other) {
  if (value < 0 || other <= 0) printf(" – |");
  else printf(" %.2f |", value / other);
}

int report(const char *path) {
  FILE *lines = fopen(path, "r");
  if (lines == NULL) fail(path);
  char name[128], unit[16], system[32];
  double value, requests;
  while (fscanf(lines, " %127[^\t]\t%15[^\t]\t%31[^\t]\t%lf\t%lf", name, unit, system, &value, &requests) == 5) {
    struct row *row = row_named(name, unit);
    for (int i = 0; i < systems; i++)
      // A peer that refused the work did nothing of it.
      if (strcmp(system, names[i]) == 0 && value > 0 && row->counts[i] < most_values) row->values[i][row->counts[i]++] = value;
    // Counted, not timed: the last round says as much as the median, with caches as warm as they get.
    if (strcmp(system, "bucketfs") == 0) row->requests = requests;
  }
  fclose(lines);
  printf("| work | unit | native | bucketfs | passthrough_ll | bindfs | to native | to the best peer | requests | by rings | to /dev/fuse |\n"
         "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (size_t i = 0; i < row_count; i++) {
    struct row *row = &rows[i];
    bool more_is_better = strcmp(row->unit, "MB/s") == 0;
    double medians[systems], best = -1;
    for (int j = 0; j < systems; j++) medians[j] = median(row, j);
    for (int j = 2; j < peers_end; j++)
      if (medians[j] >= 0 && (best < 0 || (more_is_better ? medians[j] > best : medians[j] < best))) best = medians[j];
    printf("| %s | %s |", row->name, row->unit);
    for (int j = 0; j < peers_end; j++) print_number(medians[j]);
    print_ratio(medians[1], medians[0]);
    print_ratio(medians[1], best);
    if (row->requests < 0) printf(" – |");
    else printf(row->requests == (double)(long)row->requests ? " %.0f |" : " %.2f |", row->requests);
    print_number(medians[peers_end]);
    print_ratio(medians[peers_end], medians[1]);
    printf("\n");
  }
  return 0;
}
