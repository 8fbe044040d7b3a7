#if os(Linux)
  // glibc's; Swift's module of it leaves it out.
  @_silgen_name("malloc_usable_size")
  private func mallocUsableSize(_ pointer: UnsafeMutableRawPointer) -> Int

  /// What malloc has for an object: its own size in steps of sixteen, less eight.
  package func heapBytes(_ object: AnyObject) -> Int {
    mallocUsableSize(Unmanaged.passUnretained(object).toOpaque())
  }
#endif
