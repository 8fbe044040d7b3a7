import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the tests have to know about where they run.
enum Machine {
  /// Under a sanitizer memory figures say nothing.
  static let isSanitized = dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil

  static let hasIPv6: Bool = (try? ListeningSocket(host: "::1")) != nil

  /// An IPv4 address of this machine that isn't loopback, from which it comes like another machine; nil where there is none.
  static let outsideAddress: String? = {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
      guard let address = entry?.pointee.ifa_addr, Int32(address.pointee.sa_family) == AF_INET else { continue }
      var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      guard getnameinfo(address, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0 else { continue }
      let text = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if !text.hasPrefix("127.") { return text }
    }
    return nil
  }()

  /// Those of the two loopback addresses that "localhost" stands for here.
  static let localhosts: [String] = {
    var hints = addrinfo()
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo("localhost", nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    let families = Set(sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { $0?.pointee.ai_family })
    return (families.contains(AF_INET) ? ["127.0.0.1"] : []) + (families.contains(AF_INET6) ? ["::1"] : [])
  }()

  /// Resident memory is read from /proc.
  static let tellsResidentMemory: Bool = {
    #if os(Linux)
      !isSanitized
    #else
      false
    #endif
  }()

  /// What DESIGN and the cases call "at once" is 50 ms. This leaves room for a debug build on a machine that runs other
  /// tests, and is still far from the seconds that the failure took which a test looks for.
  static let promptly = Duration.milliseconds(isSanitized ? 2000 : 500)

  /// Bytes of resident memory of a process.
  static func residentBytes(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw Overdue(what: "VmRSS")
    }
    return kilobytes * 1024
  }

  static func openDescriptors(of process: Int32) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
  }

  /// Many tests run at once, each with many sockets.
  static let raisedDescriptorLimit: Void = {
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = min(limit.rlim_max, 10_000)
    setrlimit(resource, &limit)
  }()
}

/// A directory that goes away with its owner.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "headwind-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes `text` under a name in the directory and gives the path; the file is there whole or not at all.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = path + "/" + name
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }
}
