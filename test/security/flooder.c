/*
 * Opens TCP connections, begins TLS on each, and breaks them, as fast as it can: HOST PORT SECONDS AT_ONCE, with what begins TLS on standard input. So many
 * are open at a time, and then all are broken together. Prints how many it has begun.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count != 5) return 64;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(words[2]))};
  if (inet_pton(AF_INET, words[1], &to.sin_addr) != 1) return 64;
  int at_once = atoi(words[4]);
  struct rlimit limit = {at_once + 100, at_once + 100};
  setrlimit(RLIMIT_NOFILE, &limit);
  char hello[4096];
  ssize_t length = read(0, hello, sizeof hello);
  if (length <= 0) return 64;
  int *kept = calloc(at_once, sizeof *kept);
  struct linger breaks = {.l_onoff = 1, .l_linger = 0};
  double end = now() + atof(words[3]);
  long made = 0;
  while (now() < end) {
    int open = 0;
    for (; open < at_once && now() < end; open++) {
      int one = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      if (one < 0) break;
      setsockopt(one, SOL_SOCKET, SO_LINGER, &breaks, sizeof breaks);
      if (connect(one, (struct sockaddr *)&to, sizeof to) == 0 || errno == EINPROGRESS) made++;
      else usleep(1000);
      kept[open] = one;
    }
    for (int at = 0; at < open; at++) send(kept[at], hello, length, MSG_NOSIGNAL);
    for (int at = 0; at < open; at++) close(kept[at]);
  }
  printf("%ld\n", made);
  return 0;
}
