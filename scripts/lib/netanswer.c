// netanswer: an HTTP server that costs as little as can be, for scripts/bench: what stands behind the proxies when
// requests are counted.
//
//   netanswer PORT
//
// Listens on 127.0.0.1:PORT, one thread. Every request gets the same answer; one whose path begins with /close gets it
// with "Connection: close", and is hung up on. Only requests without a body. Linux only, for its epoll.

#define _GNU_SOURCE // accept4

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 65536, EVENTS = 512, BUFFER_BYTES = 16 * 1024, BACKLOG = 4096 };

#define BODY "Content-Length: 12\r\n\r\nhello, wrk.\n"
static const char kept[] = "HTTP/1.1 200 OK\r\n" BODY;
static const char closed[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n" BODY;
static const char close_prefix[] = "GET /close";

// How much of a request has come: bytes (counted no further than the prefix is long), how many of them are as the
// prefix's, and how much of the empty line behind its head.
static struct request {
  unsigned char seen, alike, ended;
} requests[MOST_DESCRIPTORS];

static void fail(const char *what) {
  fprintf(stderr, "netanswer: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int listen_on(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, BACKLOG)) fail("listen");
  return listener;
}

static void watch(int poller, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl");
}

static void accept_all(int poller, int listener) {
  int connection, on = 1;
  while ((connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    if (connection >= MOST_DESCRIPTORS) {
      close(connection);
      continue;
    }
    requests[connection] = (struct request){0};
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(poller, connection);
  }
}

// Whether this byte is the last one of a request's head.
static int ends_head(struct request *request, char byte) {
  if (request->seen < sizeof close_prefix - 1) {
    request->alike += byte == close_prefix[request->seen];
    request->seen++;
  }
  if (byte == "\r\n\r\n"[request->ended])
    request->ended++;
  else
    request->ended = byte == '\r';
  return request->ended == 4;
}

static void answer(int connection) {
  static char buffer[BUFFER_BYTES];
  struct request *request = &requests[connection];
  ssize_t got = recv(connection, buffer, sizeof buffer, 0);
  if (got < 0 && errno == EAGAIN) return;
  int is_over = got <= 0;
  for (ssize_t index = 0; index < got && !is_over; index++) {
    if (!ends_head(request, buffer[index])) continue;
    is_over = request->alike == sizeof close_prefix - 1;
    const char *text = is_over ? closed : kept;
    size_t length = is_over ? sizeof closed - 1 : sizeof kept - 1;
    if (send(connection, text, length, MSG_NOSIGNAL) != (ssize_t)length) is_over = 1;
    *request = (struct request){0};
  }
  if (is_over) close(connection);
}

int main(int count, char **words) {
  int port = count == 2 ? atoi(words[1]) : 0;
  if (port <= 0 || port > 65535) {
    fputs("usage: netanswer PORT\n", stderr);
    return 64;
  }
  int listener = listen_on(port), poller = epoll_create1(0);
  watch(poller, listener);
  for (;;) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(poller, events, EVENTS, -1);
    for (int index = 0; index < ready; index++) {
      if (events[index].data.fd == listener)
        accept_all(poller, listener);
      else
        answer(events[index].data.fd);
    }
  }
}
