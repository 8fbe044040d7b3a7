#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  /// The control API on a Unix socket.
  @Suite(.blocking)
  struct UnixControlTests {
    private let directory: ShortDirectory
    private let path: String

    init() throws {
      directory = try ShortDirectory()
      path = directory.path + "/hw.sock"
    }

    private func start(_ options: [String] = [], control: String? = nil) throws -> Program {
      let program = try Program(Program.headwind, ["serve", "--control", control ?? "unix:\(path)"] + options)
      let ready = try Daemon.readyLine(of: program)
      #expect(ready["control"].string == "unix:\(path)")
      return program
    }

    private func end(_ program: Program) {
      program.send(SIGTERM)
      #expect(program.exit() == 0)
    }

    @Test func itIsItsUsersAloneAndGoneInTheEnd() throws {
      // Whoever started it has no mask.
      let script = #"umask 0; exec "$0" "$@""#
      let program = try Program(
        "/bin/sh", ["-c", script, Program.headwind, "serve", "--control", "unix:\(path)"])
      #expect(try Daemon.readyLine(of: program)["control"].string == "unix:\(path)")
      #expect(UnixSockets.mode(path) == 0o600)
      #expect(try Connection(toSocketAt: path).ask("GET", "/profile").json["name"] == "none")
      end(program)
      #expect(UnixSockets.mode(path) == nil)
    }

    /// A user who isn't root can't even connect to root's.
    @Test(.enabled(if: geteuid() == 0)) func anotherUserCantConnect() throws {
      let program = try start()
      let script = #"import os,socket,sys; os.setuid(65534); socket.socket(socket.AF_UNIX).connect(sys.argv[1])"#
      #expect(chmod(directory.path, 0o755) == 0)
      let python = "/usr/bin/python3"
      guard FileManager.default.isExecutableFile(atPath: python) else { return end(program) }
      let other = try Program(python, ["-c", script, path])
      #expect(other.exit() == 1 && other.errors.contains("PermissionError"), "\(other.errors)")
      end(program)
    }

    @Test func commandsReachItByOptionAndEnvironment() throws {
      let upstream = try Upstream.echo()
      let program = try start(["--proxy", "p=127.0.0.1:0,\(upstream.address)"])
      let url = "unix:\(path)"
      for words in [["status"], ["use", "3g"], ["toxics", "p"], ["events"], ["wait", "--timeout", "5s"]] {
        #expect(try Program.run(words + ["--control", url]).status == 0, "\(words)")
        #expect(try Program.run(words, environment: ["HEADWIND_URL": url]).status == 0, "\(words)")
      }
      let with = try Program.run(["with", "edge", "--control", url, "--", "/bin/sh", "-c", "echo $HEADWIND_URL"])
      #expect(with.status == 0 && with.output == "\(url)\n", "\(with)")
      let run = try Program.run(["run", "--control", url, "--profile", "lte", "--quiet", "--", "true"])
      #expect(run.status == 0, "\(run)")
      end(program)
      let gone = try Program.run(["status", "--control", url])
      #expect(gone.status == 1 && gone.errors.contains("no daemon at \(url): no such file or directory"))
    }

    // MARK: What lies at the path

    @Test func aLiveDaemonsIsRefusedAndADeadOnesReplaced() throws {
      let first = try start()
      let second = try Program.run(["serve", "--control", "unix:\(path)"])
      #expect(
        second.status == 1 && second.errors == "headwind: control address unix:\(path): another program listens there\n"
      )
      #expect(try Connection(toSocketAt: path).ask("GET", "/readyz").status == 200)
      first.send(SIGKILL)
      #expect(eventually { first.ended() != nil })
      #expect(UnixSockets.mode(path) != nil)
      end(try start())
    }

    @Test func anythingElseIsLeftAlone() throws {
      for make in [{ FileManager.default.createFile(atPath: $0, contents: nil) }, { mkdir($0, 0o700) == 0 }]
        as [(String) -> Bool]
      {
        #expect(make(path))
        let result = try Program.run(["serve", "--control", "unix:\(path)"])
        #expect(result.status == 1 && result.errors.contains("which is left alone"), "\(result)")
        #expect(UnixSockets.mode(path) != nil)
        try FileManager.default.removeItem(atPath: path)
      }
    }

    /// Deleted and made anew by somebody else, say.
    @Test func whatIsAnotherOnesInTheEndStays() throws {
      let program = try start()
      unlink(path)
      let other = try UnixSockets.bound(to: path, listens: true)
      end(program)
      #expect(UnixSockets.mode(path) != nil)
      withExtendedLifetime(other) {}
    }

    @Test func aStartThatFailsLeavesNothing() throws {
      let taken = try ListeningSocket()
      let result = try Program.run(
        ["serve", "--control", "unix:\(path)", "--proxy", "p=\(taken.address),127.0.0.1:1"])
      #expect(result.status == 1 && result.errors.contains("in use"))
      #expect(UnixSockets.mode(path) == nil)
    }

    static let refusals =
      [
        ("unix:@headwind", 64, "everybody on this machine may connect"), ("unix:", 64, "no path"),
        ("unix:/tmp/\(String(repeating: "a", count: 120))", 1, "allowed: at most 107"),
        ("unix:/nowhere/hw.sock", 1, "bind: No such file or directory"),
      ] as [(String, Int32, String)]

    @Test(arguments: refusals)
    func pathsThatWontDoAreToldSo(control: String, status: Int32, says: String) throws {
      let result = try Program.run(["serve", "--control", control])
      #expect(result.status == status && result.errors.contains(says), "\(result)")
    }

    @Test func theConfigFilesPathBeginsWhereItStands() throws {
      let config = directory.path + "/config.json5"
      try "{control: 'unix:hw.sock'}".write(toFile: config, atomically: true, encoding: .utf8)
      let program = try Program(Program.headwind, ["serve", "--config", config])
      #expect(try Daemon.readyLine(of: program)["control"].string == "unix:\(path)")
      // A reload keeps it.
      program.send(SIGHUP)
      #expect(eventually { program.errors.contains("reloaded") })
      #expect(try Connection(toSocketAt: path).ask("GET", "/readyz").status == 200)
      end(program)
    }

    /// The rules about names and web pages are the same there.
    @Test func webPagesAreKeptOutThereToo() throws {
      let program = try start()
      for (headers, status) in [
        (["Host": "evil.example"], 403), (["Origin": "http://evil.example"], 403), (["Host": "localhost"], 200),
      ] as [([String: String], Int)] {
        #expect(try Connection(toSocketAt: path).ask("GET", "/version", headers: headers).status == status)
      }
      end(program)
    }

    // MARK: Sockets that are passed on

    private func passing(_ socket: Socket, _ options: [String], name: String? = "control") throws -> Program {
      let names = name.map { "export LISTEN_FDNAMES=\($0); " } ?? ""
      let script = "export LISTEN_PID=$$ LISTEN_FDS=1; \(names)" + #"exec "$0" "$@""#
      return try Program(
        "/bin/sh", ["-c", script, Program.headwind, "serve"] + options, passing: [socket.descriptor: 3])
    }

    @Test func aPassedSocketIsTheControlPort() throws {
      let tcp = try ListeningSocket()
      for (name, options) in [
        ("control", []), (nil, []), ("headwind.socket", []), ("unknown", ["--control", "\(tcp.address)"]),
      ] as [(String?, [String])] {
        let program = try passing(tcp, options, name: name)
        #expect(try Daemon.readyLine(of: program)["control"].string == "\(tcp.address)")
        let api = API(address: tcp.address)
        #expect(try api.get("/readyz").status == 200)
        program.send(SIGHUP)
        #expect(eventually { program.errors.contains("reloaded") })
        #expect(try api.get("/readyz").status == 200)
        // Closed on exec, and only for us: the socket itself lives on.
        end(program)
      }
      let unix = try UnixSockets.bound(to: path, listens: true)
      #expect(chmod(path, 0o666) == 0)
      let program = try passing(unix, [])
      #expect(try Daemon.readyLine(of: program)["control"].string == "unix:\(path)")
      #expect(eventually { program.errors.contains("SocketMode=0600") })
      #expect(try Connection(toSocketAt: path).ask("GET", "/readyz").status == 200)
      end(program)
      // Whoever made it will want it again.
      #expect(UnixSockets.mode(path) == 0o666)
    }

    @Test func aPassedSocketThatWontDoEndsTheStart() throws {
      let (tcp, remote) = (try ListeningSocket(), try ListeningSocket(host: "0.0.0.0"))
      let deaf = try UnixSockets.bound(to: path, listens: false)
      for (socket, options, name, says) in [
        (tcp, ["--control", "127.0.0.1:1"], "control", "the control address is 127.0.0.1:1, but a socket at"),
        (tcp, ["--control", "unix:/x"], "control", "but a socket at"), (tcp, [], "web", "allowed: one, named control"),
        (remote, [], "control", "can be reached from other machines"),
        (deaf, [], "control", "no listening stream socket"),
      ] as [(Socket, [String], String, String)] {
        let program = try passing(socket, options, name: name)
        #expect(program.exit() == 1 && program.errors.contains(says), "\(program.errors)")
      }
      // Those of another process are no business of ours.
      let script = #"export LISTEN_PID=1 LISTEN_FDS=1; exec "$0" "$@""#
      let other = try Program(
        "/bin/sh", ["-c", script, Program.headwind, "serve", "--control", "127.0.0.1:0"], passing: [tcp.descriptor: 3])
      #expect(try Daemon.readyLine(of: other)["control"].string != "\(tcp.address)")
      end(other)
    }
  }
#endif
