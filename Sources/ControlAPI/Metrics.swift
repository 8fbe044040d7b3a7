import Proxying
import Reactor
import Settings

// `GET /metrics`: toxiproxy's two series, a process's usual ones, and ours. Always on.
extension API {
  var metricsRoute: Route {
    let handler: Route.Handler = { [unowned self] _, _ in .now(metrics()) }
    var route = Route("metrics", ["GET": handler])
    route.anyMethod = handler
    return route
  }

  private func metrics() -> APIResponse {
    var text = MetricsText()
    addProcess(to: &text)
    addDaemon(to: &text)
    addLoop(to: &text)
    addControl(to: &text)
    addLimits(to: &text)
    // Sorted once: with thousands of them that takes a while.
    let proxies = registry.proxies
    text.single("headwind_proxies", .gauge, "Proxies that there are.", .integer(proxies.count))
    add(proxies, to: &text)
    addRoutes(of: proxies, to: &text)
    addPaths(to: &text)
    return APIResponse(status: 200, headers: [("Content-Type", MetricsText.contentType)], body: text.text)
  }

  /// The names that every exporter has.
  private func addProcess(to text: inout MetricsText) {
    let usage = ProcessUsage.now()
    text.single(
      "process_cpu_seconds_total", .counter, "User and system CPU time.",
      .seconds(nanoseconds: usage.cpuNanoseconds))
    text.single(
      "process_resident_memory_bytes", .gauge, "Resident memory.", usage.residentBytes.map(MetricValue.integer))
    text.single(
      "process_virtual_memory_bytes", .gauge, "Virtual memory.", usage.virtualBytes.map(MetricValue.integer))
    text.single(
      "process_open_fds", .gauge, "Open file descriptors.", usage.openDescriptors.map(MetricValue.integer))
    text.single(
      "process_max_fds", .gauge, "Most file descriptors that may be open.",
      usage.maxDescriptors.map(MetricValue.integer))
    text.single(
      "process_start_time_seconds", .gauge, "Start of the process since 1970-01-01 00:00 UTC.",
      usage.startedAt.map { .seconds(nanoseconds: $0.nanoseconds) })
  }

  private func addDaemon(to text: inout MetricsText) {
    text.family("headwind_build_info", .gauge, "The version that runs.") {
      $0.add(.integer(1), MetricLabel("version", Version.current))
    }
    text.family("headwind_profile_info", .gauge, "The profile in force for all proxies without one of their own.") {
      $0.add(.integer(1), MetricLabel("profile", registry.inForce(for: nil).profile?.name ?? "none"))
    }
    text.single("headwind_leases", .gauge, "Leases that are live.", .integer(registry.leaseCount))
    text.single(
      "headwind_buffered_bytes", .gauge, "Memory of the bytes that wait in all links, in whole blocks.",
      .integer(registry.bufferedBytes))
    text.single(
      "headwind_buffered_bytes_limit", .gauge, "Above it a link reads only when it holds nothing.",
      .integer(registry.limits.processBytes))
    text.single(
      "headwind_buffer_free_bytes", .gauge, "Memory kept for bytes to come; given back when all is quiet.",
      .integer(registry.freeBytes))
    text.single(
      "headwind_sessions_limit", .gauge, "Live sessions in all above which connections wait.",
      .integer(registry.limits.sessions))
    text.single(
      "headwind_events_total", .counter, "Events so far; the newest one has this number as its id.",
      .integer(registry.events.newest))
    text.single(
      "headwind_event_streams", .gauge, "Readers of the event stream.", .integer(eventFeed?.readerCount ?? 0))
    text.single(
      "headwind_log_lines_dropped_total", .counter,
      "Lines of the log that nobody took: a pipe that is full or closed, a full disk.",
      .integer(registry.log.droppedLines))
    text.single(
      "headwind_forgotten_counters_total", .counter,
      "Counters of deleted proxies and former addresses that were forgotten to bound memory, oldest first.",
      .integer(registry.archive.forgotten))
  }

  private func addLoop(to text: inout MetricsText) {
    text.family(
      "headwind_event_loop_turn_seconds", .histogram,
      "Length of each turn of an event loop without its waiting: what is due meanwhile waits so long at most."
    ) { family in
      for (index, loop) in registry.loopsInUse.enumerated() {
        family.add(loop.turns, MetricLabel("loop", String(index)))
      }
    }
    text.family("headwind_event_loop_sessions", .gauge, "Live sessions of each event loop.") { family in
      for (index, loop) in registry.loopsInUse.enumerated() {
        family.add(.integer(loop.sessions), MetricLabel("loop", String(index)))
      }
    }
    text.single(
      "headwind_event_loop_longest_turn_seconds", .gauge, "The longest turn of the last one to two minutes.",
      .seconds(nanoseconds: heartbeat.longestTurnNanoseconds))
    text.family(
      "headwind_event_loop_lag_seconds", .histogram, "How late a timer came that is due once a second."
    ) { $0.add(heartbeat.lag) }
  }

  private func addControl(to text: inout MetricsText) {
    text.family("headwind_control_requests_total", .counter, "Control requests answered.") { family in
      let answers = requests.answers.sorted { a, b in
        (a.key.status, a.key.handler, a.key.method) < (b.key.status, b.key.handler, b.key.method)
      }
      for (kind, count) in answers {
        family.add(
          .integer(count), MetricLabel("code", String(kind.status)), MetricLabel("handler", kind.handler),
          MetricLabel("method", kind.method))
      }
    }
    text.family(
      "headwind_control_request_duration_seconds", .histogram,
      "From a complete control request to its answer; event streams are left out."
    ) { family in
      for (handler, histogram) in requests.durations.sorted(by: { $0.key < $1.key }) {
        family.add(histogram, MetricLabel("handler", handler))
      }
    }
    text.single(
      "headwind_control_connections", .gauge, "Connections to the control port.",
      server.map { .integer($0.connectionCount) })
    text.single(
      "headwind_control_accept_failures_total", .counter,
      "Times that the control port couldn't accept, for want of descriptors mostly.",
      server.map { .integer($0.acceptFailures) })
  }
}
