import Reactor
import Settings

extension Command {
  static let man = Command(
    name: "man", summary: "Print the manual page, made from what this program itself goes by.",
    options: [.json],
    details: """
      The page is mdoc(7), for man and mandoc.

      Examples:
        headwind man | man -l -
        headwind man >/usr/local/share/man/man1/headwind.1
      """,
    run: { arguments throws(CommandError) in
      let page = ManualPage().text
      StandardOutput.write(arguments.has("--json") ? JSON.object([("page", .string(page))]).text + "\n" : page)
    })
}
