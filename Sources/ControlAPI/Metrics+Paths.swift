import Conditioning
import Proxying

// The part of `GET /metrics` that has series for each profile whose network has modelled TCP.
extension API {
  func addPaths(to text: inout MetricsText) {
    let paths = registry.pathCounters.map { (label: MetricLabel("profile", $0.profile), counters: $0.counters) }
    func counter(_ name: String, _ help: String, _ count: (ChannelCounters) -> Int64) {
      text.family(name, .counter, help) { family in
        for (direction, label) in API.directions {
          for path in paths { family.add(.integer(count(path.counters[direction])), label, path.label) }
        }
      }
    }
    counter("headwind_path_packets_total", "Modelled packets sent, acknowledgements too.") { $0.packets }
    counter("headwind_path_queue_drops_total", "Modelled packets that found no room in the queue.") { $0.dropped }
    counter("headwind_path_lost_packets_total", "Modelled packets lost on the way.") { $0.lost }
  }
}
