internal import CLibevent

#if os(Linux)
  internal import Glibc

  /// Stands between this program and a command that it has started, and outlives it if it is killed: then it ends the
  /// command with all that it has started. It does so, too, with what the command leaves running when it ends. Else it
  /// isn't to be noticed: it passes on what its parent sends, and ends as the command does.
  struct Guardian {
    /// What still runs may be about to end by itself, as a `tee` behind a pipe; then it is asked to, then made to.
    private static let patienceMilliseconds: UInt32 = 400
    private static let pollMilliseconds: UInt32 = 10

    private let parent: Int32
    private let command: Int32

    /// - Parameters:
    ///   - parent: of this process, which is the guardian's and nothing else from now on.
    ///   - words: the command line to start.
    static func run(parent: Int32, words: [[CChar]]) -> Never {
      // Keys of the terminal, and what else is for the whole group, the command gets itself.
      var all = sigset_t()
      sigfillset(&all)
      sigprocmask(SIG_BLOCK, &all, nil)
      ProcessTree.keepOrphans()
      headwind_set_parent_death_signal(SIGTERM)
      guard getppid() == parent else { ThisProcess.exit(128 + SIGKILL) }
      do throws(ChildProcess.Failure) {
        let command = try ChildProcess.spawn(FirstStep.becoming(words), at: FirstStep.path, ChildEnvironment().entries)
        Guardian(parent: parent, command: command).watch(&all)
      } catch {
        StandardError.write("headwind: \(error)\n")
        ThisProcess.exit(error.code)
      }
    }

    private func watch(_ signals: inout sigset_t) -> Never {
      while true {
        var what = siginfo_t()
        let signal = sigwaitinfo(&signals, &what)
        requireParent()
        if signal == SIGCHLD, let status = reap() { end(like: status) }
        // Sent to this process by its parent, and not by the system or to the group.
        if signal > 0, signal != SIGCHLD, what.si_code == SI_USER, what._sifields._kill.si_pid == parent {
          kill(command, signal)
        }
      }
    }

    /// Nobody is left to ask how anything has ended.
    private func requireParent() {
      guard getppid() != parent else { return }
      // Some may be another user's, out of reach.
      for _ in 0..<50 where !ProcessTree.descendants(of: getpid()).isEmpty { ProcessTree.killDescendants() }
      ThisProcess.exit(128 + SIGKILL)
    }

    /// - Returns: the command's status as wait(2) has it, once it has ended.
    private func reap() -> Int32? {
      var (status, ending) = (Int32(0), Int32?.none)
      while true {
        let found = waitpid(-1, &status, WNOHANG)
        if found < 0, errno == EINTR { continue }
        guard found > 0 else { return ending }
        if found == command { ending = status }
      }
    }

    private func end(like status: Int32) -> Never {
      let signal = status & 0x7F
      // Whoever has killed the command wants an end.
      if signal == 0 { waitForRest() }
      ProcessTree.signalDescendants(SIGTERM)
      waitForRest()
      ProcessTree.killDescendants()
      guard signal != 0 else { _exit((status >> 8) & 0xFF) }
      var none = rlimit()
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      Glibc.signal(signal, SIG_DFL)
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, signal)
      kill(getpid(), signal)
      sigprocmask(SIG_UNBLOCK, &set, nil)
      _exit(128 + signal)
    }

    private func waitForRest() {
      for _ in 0..<(Guardian.patienceMilliseconds / Guardian.pollMilliseconds) {
        _ = reap()
        guard !ProcessTree.descendants(of: getpid()).isEmpty else { return }
        requireParent()
        ThisProcess.pause(milliseconds: Guardian.pollMilliseconds)
      }
    }
  }
#endif
