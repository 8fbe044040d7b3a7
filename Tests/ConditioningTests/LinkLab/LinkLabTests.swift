import Conditioning
import Foundation
import Testing

/// The model against real TCP: medians that the link lab measured with the kernel's, in milliseconds.
@Suite struct LinkLabTests {
  struct Cell: CustomTestStringConvertible {
    let link: String
    let workload: LabWorkload
    let figure: String
    let median: Double

    init(_ link: String, _ workload: LabWorkload, _ figure: String, _ median: Double) {
      (self.link, self.workload, self.figure, self.median) = (link, workload, figure, median)
    }

    var testDescription: String { "\(link) \(workload.rawValue) \(figure)" }
  }

  /// Links without jitter or loss, where each repetition takes as long.
  static let steady = [
    Cell("lte", .new1k, "total_ms", 100.3), Cell("lte", .new14k, "total_ms", 102.5),
    Cell("lte", .new100k, "total_ms", 250.8), Cell("lte", .new1m, "total_ms", 450.6),
    Cell("lte", .put1m, "total_ms", 450.4), Cell("lte", .par6, "total_ms", 299.0),
    Cell("lte", .warm, "request_ms", 50.3), Cell("lte", .idleBurst, "second_ms", 67.0),
    Cell("lte", .idleBurst, "after_idle_ms", 200.5), Cell("lte", .tls, "total_ms", 202.4),
    Cell("lte-bloat", .new1m, "total_ms", 450.7), Cell("nlc-3g-like", .new1k, "total_ms", 420.8),
    Cell("nlc-3g-like", .new100k, "total_ms", 1_561), Cell("nlc-3g-like", .put1m, "total_ms", 26_650),
    Cell("nlc-3g-like", .pingpong, "rtt_ms", 205), Cell("dsl", .new1m, "total_ms", 4_377),
    Cell("dsl", .put1m, "total_ms", 33_980), Cell("dsl", .par6, "total_ms", 2_581),
    Cell("satellite", .new100k, "total_ms", 3_007), Cell("satellite", .new1m, "total_ms", 4_927),
    Cell("satellite", .put1m, "total_ms", 7_081), Cell("satellite", .idleBurst, "second_ms", 686),
    Cell("satellite", .idleBurst, "after_idle_ms", 2_406),
  ]

  @Test(arguments: steady)
  func takesAsLongAsRealTCP(cell: Cell) throws {
    var samples: [Double] = []
    for seed in UInt64(1)...3 {
      samples += try #require(cell.workload.run(over: .named(cell.link), seed: seed))[cell.figure] ?? []
    }
    let median = samples.sorted()[samples.count / 2]
    #expect(abs(median / cell.median - 1) < 0.03, "\(median) ms instead of \(cell.median)")
  }

  /// All cells, in files for `linklab.py compare`; takes seconds when optimised, minutes when not.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["HEADWIND_LINKLAB_OUT"] != nil))
  func writesAllCells() throws {
    let environment = ProcessInfo.processInfo.environment
    let repetitions = environment["HEADWIND_LINKLAB_N"].flatMap(Int.init) ?? 60
    let directory = try #require(environment["HEADWIND_LINKLAB_OUT"])
    for link in LabLink.all {
      try LabReport.write(link, repetitions: repetitions, seed: 1, to: directory, LabWorkload.allCases)
      try LabReport.write(
        link.with(.bbr), repetitions: repetitions, seed: 1, to: directory + "/bbr", [.new14k, .new100k, .new1m, .par6])
    }
  }
}
