/// The rows of the table as `case` commands of the grammar that bash and zsh share.
struct CompletionCases {
  let table: CompletionTable

  /// Sets `command` to the command that word `$2` leads to in the group `$1`.
  var steps: String {
    let steps = [CompletionTable.help] + table.rows.flatMap(\.steps)
    return function(
      "__headwind_step", "case \"$1 $2\" in",
      steps.map { step in
        "\(step.words.map { "\(step.group) \($0)".shellQuoted }.joined(separator: "|"))) command=\(step.command.shellQuoted) ;;"
      })
  }

  /// Sets `kind` to what the value of option `$2` of the command `$1` is; fails for a switch.
  var values: String {
    let rows = table.rows.compactMap { row -> String? in
      let kinds = Dictionary(grouping: row.valued) { $0.kind?.code ?? "" }.sorted { $0.key < $1.key }
      guard !kinds.isEmpty else { return nil }
      let cases = kinds.map { code, options in
        "      \(options.flatMap(\.names).joined(separator: "|"))) kind=\(code.shellQuoted) ;;\n"
      }
      return "\(row.command.shellQuoted)) case $2 in\n\(cases.joined())      *) return 1 ;;\n    esac ;;"
    }
    return function("__headwind_value", "case $1 in", rows)
  }

  /// Sets `kind` to what operand `$2`, counted from 0, of the command `$1` is; fails where there is none.
  var operands: String {
    let rows = table.rows.flatMap { row in
      row.operands.enumerated().map { place, operand in
        let pattern = operand.isRepeatable ? "\("\(row.command):".shellQuoted)*" : "\(row.command):\(place)".shellQuoted
        return "\(pattern)) kind=\(operand.kind.code.shellQuoted) ;;"
      }
    }
    return function("__headwind_operand", "case \"$1:$2\" in", rows)
  }

  private func function(_ name: String, _ head: String, _ cases: [String]) -> String {
    "\(name)() {\n  \(head)\n\(cases.map { "    \($0)\n" }.joined())    *) return 1 ;;\n  esac\n}\n"
  }
}
