import Conditioning
import Foundation

/// Writes files of the form that `linklab.py compare` reads.
enum LabReport {
  static func write(_ link: LabLink, repetitions: Int, seed: UInt64, to directory: String, _ workloads: [LabWorkload])
    throws
  {
    var cells: [String: Any] = [:]
    for workload in workloads {
      var samples: LabFigures = [:]
      var done = 0
      let count = workload == .pingpong ? max(2, repetitions / 12) : repetitions
      for repetition in 0..<count {
        var dice = SeededGenerator(seed: seed, link.name, workload.rawValue, repetition)
        guard let figures = workload.run(over: link, seed: dice.next()) else { continue }
        done += 1
        samples.merge(figures) { $0 + $1 }
      }
      cells[workload.rawValue] =
        ["n": done, "timeouts": count - done, "errors": [String: Int](), "samples": samples] as [String: Any]
    }
    let report: [String: Any] = ["meta": ["how": "model"], "link": ["name": link.name], "workloads": cells]
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let data = try JSONSerialization.data(withJSONObject: report, options: [.sortedKeys])
    try data.write(to: URL(fileURLWithPath: directory).appendingPathComponent(link.name + ".json"))
  }
}
