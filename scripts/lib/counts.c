// counts: preloaded into a program, counts the calls that it makes of the system's library, for scripts/counts.
//
//   LD_PRELOAD=counts.so COUNTS_FILE=FILE PROGRAM...
//
// FILE holds one number of 64 bits for each name of COUNTED, in that order and in the machine's own byte order, and is
// up to date at any time. glibc only: its own names of the allocator need no dlsym, which allocates itself.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
  ALLOCATIONS, READS, EMPTY_READS, WRITES, WAITS, EVENT_CHANGES, TIMERS_SET,
  ACCEPTS, EMPTY_ACCEPTS, DIALS, OPTIONS_SET, OPTIONS_ASKED, ENDS, CLOSES, COUNTED
};

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static uint64_t unused[COUNTED];
static uint64_t *counts = unused;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("COUNTS_FILE");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof unused, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) counts = memory;
  close(file);
}

static void count(int what) { __atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
  count(ALLOCATIONS);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(ALLOCATIONS);
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count(ALLOCATIONS);
  return __libc_realloc(old, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count(ALLOCATIONS);
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(ALLOCATIONS);
  return __libc_memalign(alignment, size);
}

// The real function of this name, asked for once.
#define REAL(name)                                             \
  static __typeof__(&name) real;                               \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t recv(int descriptor, void *buffer, size_t size, int flags) {
  REAL(recv);
  ssize_t result = real(descriptor, buffer, size, flags);
  count(result < 0 && errno == EAGAIN ? EMPTY_READS : READS);
  return result;
}

ssize_t send(int descriptor, const void *buffer, size_t size, int flags) {
  REAL(send);
  count(WRITES);
  return real(descriptor, buffer, size, flags);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  REAL(sendmsg);
  count(WRITES);
  return real(descriptor, message, flags);
}

int epoll_wait(int descriptor, struct epoll_event *events, int most, int timeout) {
  REAL(epoll_wait);
  count(WAITS);
  return real(descriptor, events, most, timeout);
}

int epoll_ctl(int descriptor, int operation, int other, struct epoll_event *event) {
  REAL(epoll_ctl);
  count(EVENT_CHANGES);
  return real(descriptor, operation, other, event);
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
  REAL(timerfd_settime);
  count(TIMERS_SET);
  return real(descriptor, flags, new, old);
}

// What a connection takes beyond its bytes.

int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
  REAL(accept4);
  int result = real(descriptor, address, length, flags);
  count(result < 0 ? EMPTY_ACCEPTS : ACCEPTS);
  return result;
}

int socket(int family, int type, int protocol) {
  REAL(socket);
  count(DIALS);
  return real(family, type, protocol);
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  REAL(connect);
  count(DIALS);
  return real(descriptor, address, length);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length) {
  REAL(setsockopt);
  count(OPTIONS_SET);
  return real(descriptor, level, name, value, length);
}

int getsockopt(int descriptor, int level, int name, void *value, socklen_t *length) {
  REAL(getsockopt);
  count(OPTIONS_ASKED);
  return real(descriptor, level, name, value, length);
}

int getsockname(int descriptor, struct sockaddr *address, socklen_t *length) {
  REAL(getsockname);
  count(OPTIONS_ASKED);
  return real(descriptor, address, length);
}

int shutdown(int descriptor, int how) {
  REAL(shutdown);
  count(ENDS);
  return real(descriptor, how);
}

int close(int descriptor) {
  REAL(close);
  count(CLOSES);
  return real(descriptor);
}
