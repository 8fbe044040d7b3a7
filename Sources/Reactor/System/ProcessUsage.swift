internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What this process takes of its machine; nil where the system doesn't tell, or has no descriptor left to tell it by.
package struct ProcessUsage: Sendable {
  /// User and system time of all threads.
  package let cpuNanoseconds: Int64
  package let residentBytes: Int64?
  package let virtualBytes: Int64?
  package let openDescriptors: Int64?
  /// The soft limit.
  package let maxDescriptors: Int64?
  package let startedAt: WallTime?

  package static func now() -> ProcessUsage {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    let memory = memory()
    return ProcessUsage(
      cpuNanoseconds: time.nanoseconds, residentBytes: memory?.resident, virtualBytes: memory?.virtual,
      openDescriptors: openDescriptors(), maxDescriptors: (try? Descriptors.softLimit()).map(Int64.init(clamping:)),
      startedAt: startedAt)
  }

  /// Looked up once: it must not move when the clock is set.
  private static let startedAt = findStart()
}

extension timespec {
  fileprivate var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}

#if os(Linux)
  // See proc(5). Only what is the process's own: a sandbox may hide the rest of /proc.
  extension ProcessUsage {
    private static func memory() -> (resident: Int64, virtual: Int64)? {
      guard let pages = firstBytes(of: "/proc/self/statm")?.split(separator: " "), pages.count > 1,
        let size = Int64(pages[0]), let resident = Int64(pages[1])
      else { return nil }
      let pageBytes = Int64(sysconf(Int32(_SC_PAGESIZE)))
      return (resident * pageBytes, size * pageBytes)
    }

    /// Since Linux 6.2 the directory's size is their number. Before that each is looked at, at about 1 µs.
    private static func openDescriptors() -> Int64? {
      var status = stat()
      guard stat("/proc/self/fd", &status) == 0 else { return nil }
      if status.st_size > 0 { return Int64(status.st_size) }
      guard let directory = opendir("/proc/self/fd") else { return nil }
      defer { closedir(directory) }
      var count: Int64 = 0
      while readdir(directory) != nil { count += 1 }
      // ".", ".." and the one that it is read by.
      return max(0, count - 3)
    }

    /// Clock ticks after the boot, field 22. The program's name, in parentheses before it, may hold spaces.
    private static func findStart() -> WallTime? {
      guard let text = firstBytes(of: "/proc/self/stat"), let name = text.lastIndex(of: ")") else { return nil }
      let fields = text[name...].split(separator: " ")
      let perSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
      guard fields.count > 20, let ticks = Int64(fields[20]), perSecond > 0 else { return nil }
      var sinceBoot = timespec()
      clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
      let age = sinceBoot.nanoseconds - ticks * (1_000_000_000 / perSecond)
      return WallTime.now.advanced(nanoseconds: -age)
    }

    private static func firstBytes(of path: String) -> String? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { SystemCall.close(descriptor) }
      return withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { buffer in
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
      }
    }
  }
#else
  // See <libproc.h>.
  extension ProcessUsage {
    private static func all() -> proc_taskallinfo? {
      var info = proc_taskallinfo()
      let size = Int32(MemoryLayout<proc_taskallinfo>.size)
      return proc_pidinfo(getpid(), PROC_PIDTASKALLINFO, 0, &info, size) == size ? info : nil
    }

    private static func memory() -> (resident: Int64, virtual: Int64)? {
      all().map { (Int64(clamping: $0.ptinfo.pti_resident_size), Int64(clamping: $0.ptinfo.pti_virtual_size)) }
    }

    private static func openDescriptors() -> Int64? {
      all().map { Int64($0.pbsd.pbi_nfiles) }
    }

    private static func findStart() -> WallTime? {
      all().map {
        WallTime(
          nanoseconds: Int64(clamping: $0.pbsd.pbi_start_tvsec) * 1_000_000_000
            + Int64(clamping: $0.pbsd.pbi_start_tvusec) * 1_000)
      }
    }
  }
#endif
