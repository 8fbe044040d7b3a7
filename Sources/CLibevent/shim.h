#ifndef HEADWIND_CLIBEVENT_SHIM_H
#define HEADWIND_CLIBEVENT_SHIM_H

// event-config.h defines _GNU_SOURCE; glibc's fd_set must be seen before that, or it has one shape in Foundation's
// modules and another in this one ("fds_bits not present in definition of fd_set").
#include <sys/select.h>

// These headers bring along the C library's structs (timeval, sockaddr, iovec ...). Swift takes either this module or Glibc
// for their home, whichever it loads first: a Swift file that touches such a struct imports both.
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
// A request's HTTP version has no accessor, and whether evhttp has cut it loose can only be seen in its fields.
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

#ifdef __linux__
// Swift's Glibc module is built without _GNU_SOURCE and so lacks this one; it saves two calls per connection.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
// For the loop's heartbeat; the Glibc module leaves this header out.
#include <sys/timerfd.h>

// prctl(2) is variadic, and Swift imports no variadic functions.
#include <sys/prctl.h>
static inline int headwind_set_parent_death_signal(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }
static inline int headwind_become_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1); }
#endif

// A variable that can change is nothing that Swift 6 lets one read; a function is.
#ifdef __APPLE__
#include <crt_externs.h>
static inline char **headwind_environment(void) { return *_NSGetEnviron(); }
#else
extern char **environ;
static inline char **headwind_environment(void) { return environ; }
#endif

#ifdef __GLIBC__
// Gives freed memory back to the system; <malloc.h> is in no module.
extern int malloc_trim(size_t pad);
#endif

#endif
