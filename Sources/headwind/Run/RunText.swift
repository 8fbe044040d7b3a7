import Reactor

/// What `run` says to people, on standard error.
enum RunText {
  /// `3 connections, 120 B up, 4.1 kB down`
  static func traffic(_ traffic: RunTraffic) -> String {
    let drops = traffic.drops > 0 ? ", \(traffic.drops) dropped" : ""
    return count(traffic.connections, "connection")
      + ", \(UnitText.roundedBytes(traffic.upstreamBytes)) up, \(UnitText.roundedBytes(traffic.downstreamBytes)) down"
      + drops
  }

  private static func count(_ number: Int64, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// Three decimals below a second, else two.
  static func seconds(_ milliseconds: Double) -> String {
    let places = milliseconds < 1_000 ? 3 : 2
    let unit = places == 3 ? 1.0 : 10.0
    let number = Int64((milliseconds / unit).rounded())
    let scale: Int64 = places == 3 ? 1_000 : 100
    let fraction = "\(scale + number % scale)".dropFirst()
    return "\(number / scale).\(fraction) s"
  }

  static func table(_ summaries: [RunSummary]) -> String {
    var table = TextTable(
      ["PROFILE", "RUNS", "PASSED", "MEDIAN", "P95", "CONNECTIONS", "UP", "DOWN", "DROPS"],
      rightAligned: Set(1...8))
    for summary in summaries {
      let traffic = summary.traffic
      let runs =
        summary.done.count == summary.runs.count
        ? "\(summary.runs.count)"
        : "\(summary.done.count) of \(summary.runs.count)"
      table.add([
        summary.profile ?? "-", runs, "\(summary.passed)", time(summary, 0.5), time(summary, 0.95),
        "\(traffic.connections)", UnitText.roundedBytes(traffic.upstreamBytes),
        UnitText.roundedBytes(traffic.downstreamBytes), "\(traffic.drops)",
      ])
    }
    return "\n" + table.text(isColoured: false) + "\n"
  }

  private static func time(_ summary: RunSummary, _ quantile: Double) -> String {
    summary.durationMilliseconds(quantile: quantile).map(seconds) ?? "-"
  }

  static func noTraffic(connections: Int64) -> String {
    let found =
      connections == 0
      ? "no connection came to any proxy"
      : "\(count(connections, "connection")) came to the proxies, and no byte went on to an upstream"
    return
      "no traffic: \(found). The likely cause: the command doesn't read HTTP_PROXY, HTTPS_PROXY and ALL_PROXY, leaves "
      + "the host out (NO_PROXY; Go programs always leave out localhost), or goes to the upstream itself and not to "
      + "$HEADWIND_PROXY_NAME. --no-expect-traffic lets such a run pass"
  }

  static func otherProfile(_ name: String, insteadOf profile: String) -> String {
    "\(profile) was not in force all the time: somebody switched to \(name), or took the lease away (headwind events "
      + "says who)"
  }

  /// The seed, and how to do it again: all of it, and of several runs the first that failed.
  static func repetition(_ plan: RunPlan, _ results: [RunResult]) -> String {
    let daemonSeed = plan.daemonSeed.map { "seed \($0), the daemon's; " } ?? ""
    let seed = plan.seed.map { "seed \($0); " } ?? daemonSeed
    // To be copied: a line break within quotes stays one.
    func line(_ text: String) -> String {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
    var text = "headwind: \(seed)again: \(line(plan.repetition))\n"
    if plan.isMatrix, let failed = results.first(where: { $0.wasRun && !$0.passed }) {
      text += "headwind: \(failed.spec.name) again: \(line(plan.repetition(of: failed.spec)))\n"
    }
    return text
  }
}
