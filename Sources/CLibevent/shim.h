#ifndef HEADWIND_CLIBEVENT_SHIM_H
#define HEADWIND_CLIBEVENT_SHIM_H

// event-config.h defines _GNU_SOURCE; glibc's fd_set must be seen before that, or it has one shape in Foundation's
// modules and another in this one ("fds_bits not present in definition of fd_set").
#include <sys/select.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

#endif
