/* Prints the addresses of a name, one a line, as the C library that it is linked with resolves it; exit code 2 where there are none. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(int count, char **words) {
  struct addrinfo hints, *found, *one;
  char text[INET6_ADDRSTRLEN];
  if (count != 2) return 1;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(words[1], 0, &hints, &found) != 0) return 2;
  for (one = found; one; one = one->ai_next) {
    void *address = one->ai_family == AF_INET ? (void *)&((struct sockaddr_in *)one->ai_addr)->sin_addr
                                              : (void *)&((struct sockaddr_in6 *)one->ai_addr)->sin6_addr;
    puts(inet_ntop(one->ai_family, address, text, sizeof text));
  }
  return 0;
}
