extension StreamSocket: NurseryMember {
  /// Silence is noticed after 15 s, so that it is early enough now; most connections never get so old.
  func grewUp() { SystemCall.keepAlive(descriptor) }
}
