#if os(Linux)
  // The standard library's own, for key paths; it has no public one.
  @_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
  private func instanceSize(_ type: AnyClass) -> Int

  /// What glibc's malloc has for an object: its own size in steps of sixteen, less eight. (malloc_usable_size(3) may say
  /// sixteen more, where what was left of a free piece was too small to be one.)
  package func heapBytes(_ object: AnyObject) -> Int {
    (instanceSize(type(of: object)) + 8 + 15) / 16 * 16 - 8
  }
#endif
