// netprobe: times bytes through a TCP proxy on 127.0.0.1, for scripts/bench.
//
//   netprobe latency UPSTREAM_PORT TARGET_PORT COUNT INTERVAL_US EXPECTED_US
//   netprobe rate    UPSTREAM_PORT TARGET_PORT SECONDS
//   netprobe pingpong UPSTREAM_PORT TARGET_PORT COUNT INTERVAL_US
//   netprobe relay   UPSTREAM_PORT LISTEN_PORT DELAY_US
//
// One process is both ends: it listens on UPSTREAM_PORT, connects to TARGET_PORT (the proxy, or UPSTREAM_PORT itself
// for no proxy), accepts the proxy's connection and sends from there, downstream. One clock, so one-way times are exact.
// Near the moment when bytes are due it spins instead of sleeping: its own waking up would be in the result otherwise.
//
// Output: latency prints each message's nanoseconds, one a line; rate prints "BYTES NANOSECONDS BYTES_PER_SECOND", the
// last by least squares over a grid of 1 ms, which a burst at the start or the end does not bend. pingpong sends a byte
// up and, when it is there, one down; it prints "SENT_AT ROUND_TRIP" for each, nanoseconds of the monotonic clock.
//
// relay is the other part: the least that a proxy does which delays what comes down (one connection, epoll and a timer of
// the kernel's, nothing else). It prints "ready". What it is late by is what the machine takes: nothing in user space can
// be on time oftener.

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MILLISECOND = 1000000, PATIENCE_MS = 10000, BUFFER_BYTES = 256 * 1024 };

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "netprobe: %s: %s\n", what, strerror(errno));
  exit(1);
}

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int listen_on(int port) {
  struct sockaddr_in address = loopback(port);
  int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 16)) fail("listen");
  return listener;
}

static int connect_to(int port) {
  struct sockaddr_in address = loopback(port);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(client, (struct sockaddr *)&address, sizeof address)) fail("connect");
  return client;
}

static int accept_from(int listener) {
  struct pollfd wait = {.fd = listener, .events = POLLIN};
  if (poll(&wait, 1, PATIENCE_MS) != 1) fail("the proxy did not connect");
  int on = 1, server = accept(listener, NULL, NULL);
  if (server < 0) fail("accept");
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return server;
}

// Times between sends vary, or they could keep step with some timer of the proxy's.
static int64_t varied(int64_t interval) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return interval / 2 + (int64_t)(state % (uint64_t)(interval + 1));
}

// Sleeps until something arrives or it is nearly `wake`; the last millisecond is left to the caller's spinning.
static void sleep_until(int client, int64_t wake) {
  int64_t milliseconds = (wake - now()) / MILLISECOND;
  struct pollfd wait = {.fd = client, .events = POLLIN};
  if (milliseconds > 0) poll(&wait, 1, milliseconds > 100 ? 100 : (int)milliseconds);
}

// Number of whole messages that have arrived: message k must hold the number k.
static long receive_messages(int client, long received) {
  static unsigned char buffer[64 * sizeof(uint64_t)];
  static size_t held = 0;
  ssize_t got = recv(client, buffer + held, sizeof buffer - held, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) fail("the connection ended");
  if (got < 0) return received;
  held += (size_t)got;
  size_t used = 0;
  for (; held - used >= sizeof(uint64_t); used += sizeof(uint64_t), received++) {
    uint64_t number;
    memcpy(&number, buffer + used, sizeof number);
    if (number != (uint64_t)received) errno = EILSEQ, fail("wrong bytes");
  }
  held -= used;
  memmove(buffer, buffer + used, held);
  return received;
}

static void latency(int server, int client, long count, int64_t interval, int64_t expected) {
  int64_t *sent_at = calloc((size_t)count, sizeof *sent_at);
  if (!sent_at) fail("memory");
  long sent = 0, received = 0;
  int64_t next_send = now() + 5 * MILLISECOND;
  int64_t end = next_send + count * interval * 2 + expected * 2 + PATIENCE_MS * (int64_t)MILLISECOND;
  while (received < count) {
    int64_t moment = now();
    if (moment > end) errno = ETIMEDOUT, fail("messages are missing");
    if (sent < count && moment >= next_send) {
      uint64_t number = (uint64_t)sent;
      sent_at[sent++] = now();
      if (send(server, &number, sizeof number, 0) != sizeof number) fail("send");
      next_send = moment + varied(interval);
      continue;
    }
    int64_t due = received < sent ? sent_at[received] + expected - MILLISECOND : INT64_MAX;
    int64_t wake = sent < count && next_send < due ? next_send : due;
    sleep_until(client, wake);
    long before = received;
    received = receive_messages(client, received);
    int64_t arrived = now();
    for (; before < received; before++) printf("%lld\n", (long long)(arrived - sent_at[before]));
  }
  free(sent_at);
}

// Waits for one byte: spins for a millisecond, then sleeps, so that nobody on the same processor is kept from running.
static void take_byte(int from) {
  char byte;
  int64_t begin = now();
  ssize_t got;
  while ((got = recv(from, &byte, 1, MSG_DONTWAIT)) < 0) {
    if (errno != EAGAIN && errno != EINTR) break;
    if (now() - begin < MILLISECOND) continue;
    struct pollfd wait = {.fd = from, .events = POLLIN};
    if (poll(&wait, 1, PATIENCE_MS) != 1) fail("a byte is missing");
  }
  if (got != 1) fail("the connection ended");
}

static void pingpong(int server, int client, long count, int64_t interval) {
  int on = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setvbuf(stdout, NULL, _IOLBF, 0);
  int64_t next_send = now();
  for (long done = 0; done < count; done++) {
    int64_t left = next_send - now();
    if (left > 0) nanosleep(&(struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000}, NULL);
    int64_t begin = now();
    if (send(client, "?", 1, 0) != 1) fail("send");
    take_byte(server);
    if (send(server, "!", 1, 0) != 1) fail("send");
    take_byte(client);
    printf("%lld %lld\n", (long long)begin, (long long)(now() - begin));
    next_send = begin + varied(interval);
  }
}

// What is under way: 4,096 reads of a few bytes are more than the probe ever has there.
enum { UNDER_WAY_MAX = 4096, READ_BYTES = 512 };
struct delayed {
  int64_t due;
  ssize_t bytes;
  char data[READ_BYTES];
};

static void watch(int set, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  if (epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl");
}

static void relay_down(int client, int server, int64_t delay) {
  static struct delayed line[UNDER_WAY_MAX];
  unsigned first = 0, last = 0;
  int set = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  watch(set, server), watch(set, client), watch(set, timer);
  for (;;) {
    struct epoll_event event;
    if (epoll_wait(set, &event, 1, -1) < 0 && errno != EINTR) fail("epoll_wait");
    char nothing[READ_BYTES];
    if (event.data.fd == client && recv(client, nothing, sizeof nothing, MSG_DONTWAIT) == 0) return;
    uint64_t ticks;
    if (event.data.fd == timer && read(timer, &ticks, sizeof ticks) < 0) continue;
    if (event.data.fd == server) {
      struct delayed *next = &line[last % UNDER_WAY_MAX];
      next->bytes = recv(server, next->data, READ_BYTES, MSG_DONTWAIT);
      if (next->bytes == 0) return;
      if (next->bytes < 0) continue;
      next->due = now() + delay;
      if (++last - first > UNDER_WAY_MAX) errno = ENOBUFS, fail("too much is under way");
    }
    for (; first != last && line[first % UNDER_WAY_MAX].due <= now(); first++) {
      struct delayed *due = &line[first % UNDER_WAY_MAX];
      if (send(client, due->data, (size_t)due->bytes, 0) != due->bytes) fail("send");
    }
    if (first == last) continue;
    int64_t due = line[first % UNDER_WAY_MAX].due;
    struct itimerspec times = {.it_value = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000}};
    if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &times, NULL)) fail("timerfd_settime");
  }
}

static void relay(int upstream, int listen_port, int64_t delay) {
  int listener = listen_on(listen_port), on = 1;
  puts("ready");
  fflush(stdout);
  int client = accept_from(listener), server = connect_to(upstream);
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  relay_down(client, server, delay);
}

static void *flood(void *argument) {
  static char block[BUFFER_BYTES];
  int server = *(int *)argument;
  while (send(server, block, sizeof block, 0) > 0) {}
  return NULL;
}

// Least squares, one point at a time; times in seconds, values in bytes.
struct line {
  double n, t, v, tt, tv;
};

static void add_point(struct line *line, double t, double v) {
  line->n++, line->t += t, line->v += v, line->tt += t * t, line->tv += t * v;
}

static double slope(const struct line *line) {
  return (line->n * line->tv - line->t * line->v) / (line->n * line->tt - line->t * line->t);
}

static void rate(int server, int client, double seconds) {
  static char buffer[BUFFER_BYTES];
  pthread_t sender;
  if (pthread_create(&sender, NULL, flood, &server)) fail("thread");
  struct line line = {0};
  int64_t first = 0, last = 0, grid = 0;
  long long total = 0;
  do {
    struct pollfd wait = {.fd = client, .events = POLLIN};
    if (poll(&wait, 1, PATIENCE_MS) != 1) fail("nothing arrives");
    ssize_t got = recv(client, buffer, sizeof buffer, 0);
    if (got <= 0) fail("the connection ended");
    last = now();
    if (!first) first = grid = last;
    for (; grid + MILLISECOND <= last; grid += MILLISECOND) add_point(&line, (double)(grid - first) / 1e9, (double)total);
    total += got;
  } while ((double)(last - first) < seconds * 1e9);
  printf("%lld %lld %.1f\n", total, (long long)(last - first), slope(&line));
}

static long number(const char *text) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end || value <= 0) fprintf(stderr, "netprobe: not a positive number: %s\n", text), exit(64);
  return value;
}

static const char usage[] =
  "usage: netprobe latency UPSTREAM_PORT TARGET_PORT COUNT INTERVAL_US EXPECTED_US\n"
  "       netprobe rate UPSTREAM_PORT TARGET_PORT SECONDS\n"
  "       netprobe pingpong UPSTREAM_PORT TARGET_PORT COUNT INTERVAL_US\n"
  "       netprobe relay UPSTREAM_PORT LISTEN_PORT DELAY_US\n";

int main(int count, char **words) {
  int is_latency = count == 7 && !strcmp(words[1], "latency"), is_rate = count == 5 && !strcmp(words[1], "rate");
  int is_pingpong = count == 6 && !strcmp(words[1], "pingpong");
  int is_relay = count == 5 && !strcmp(words[1], "relay");
  if (!is_latency && !is_rate && !is_pingpong && !is_relay) {
    fputs(usage, stderr);
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);
  if (is_relay) {
    relay((int)number(words[2]), (int)number(words[3]), number(words[4]) * 1000);
    return 0;
  }
  int listener = listen_on((int)number(words[2]));
  int client = connect_to((int)number(words[3]));
  int server = accept_from(listener);
  if (is_latency)
    latency(server, client, number(words[4]), number(words[5]) * 1000, number(words[6]) * 1000);
  else if (is_rate)
    rate(server, client, (double)number(words[4]));
  else
    pingpong(server, client, number(words[4]), number(words[5]) * 1000);
  return 0;
}
