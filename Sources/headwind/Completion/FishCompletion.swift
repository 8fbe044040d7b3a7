/// The script for fish, from 3.0 on.
enum FishCompletion {
  static var script: String {
    let table = CompletionTable()
    return [head, steps(table), words(table), values(table), operands(table), body].joined(separator: "\n")
  }

  private static let head = "# fish completion for headwind, made by `headwind completions fish`.\n"

  /// Prints the command that word `$argv[2]` leads to in the group `$argv[1]`.
  private static func steps(_ table: CompletionTable) -> String {
    let steps = [CompletionTable.help] + table.rows.flatMap(\.steps)
    return function(
      "__headwind_step", "$argv[1] $argv[2]",
      steps.map { step in (step.words.map { "\(step.group) \($0)" }, "echo \(quoted(step.command))") })
  }

  /// Prints what the command `$argv[1]` offers, each with what it is: words, or options behind `options`.
  private static func words(_ table: CompletionTable) -> String {
    func lines(_ entries: [(String, String)]) -> String {
      entries.isEmpty
        ? "true" : "printf '%s\\t%s\\n'" + entries.map { " \\\n            \(quoted($0.0)) \(quoted($0.1))" }.joined()
    }
    let cases = table.rows.flatMap { row in
      let help = row.command.isEmpty ? [CompletionTable.help] : []
      return [
        (["words \(row.command)"], lines((row.steps + help).map { ($0.words[0], $0.summary) })),
        (["options \(row.command)"], lines(row.options.map { ($0.names[0], $0.summary) })),
      ]
    }
    return function("__headwind_words", "$argv[1] $argv[2]", cases)
  }

  /// Prints what the value of option `$argv[2]` of the command `$argv[1]` is; fails for a switch.
  private static func values(_ table: CompletionTable) -> String {
    let cases = table.rows.flatMap { row in
      Dictionary(grouping: row.valued) { $0.kind?.code ?? "" }.sorted { $0.key < $1.key }.map { code, options in
        (options.flatMap(\.names).map { "\(row.command) \($0)" }, "echo \(quoted(code))")
      }
    }
    return function("__headwind_value", "$argv[1] $argv[2]", cases)
  }

  /// Prints what operand `$argv[2]`, counted from 0, of the command `$argv[1]` is; fails where there is none.
  private static func operands(_ table: CompletionTable) -> String {
    let cases = table.rows.flatMap { row in
      row.operands.enumerated().map { place, operand in
        (["\(row.command):\(operand.isRepeatable ? "*" : "\(place)")"], "echo \(quoted(operand.kind.code))")
      }
    }
    return function("__headwind_operand", "$argv[1]:$argv[2]", cases)
  }

  private static func function(_ name: String, _ subject: String, _ cases: [(patterns: [String], line: String)])
    -> String
  {
    let text = cases.map { "        case \($0.patterns.map(quoted).joined(separator: " "))\n            \($0.line)\n" }
    return
      "function \(name)\n    switch \"\(subject)\"\n\(text.joined())        case '*'\n            return 1\n    end\nend\n"
  }

  /// Between quotes fish reads `\\` and `\'` (fish(1), "Quotes").
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }

  private static let body = #"""
    # An option's value on the line that names are asked for with.
    function __headwind_note
        if contains -- $argv[1] --control --token-file
            printf '%s\n' $argv[1] $argv[2]
        else if test "$argv[3]" = directory
            printf '%s\n' --profiles $argv[2]
        end
    end

    # Prints what `kind`, $argv[1], offers for the word $argv[2]. Behind that: the program, how many operands there are, these,
    # and the options to ask for names with.
    function __headwind_offer
        set -l kind (string split -m 1 ' ' -- $argv[1])
        set -l cur $argv[2]
        set -l asking $argv[5..-1]
        set -l of
        for i in (seq 1 $argv[4] | string match -v 0)
            set of $of --of $asking[1]
            set -e asking[1]
        end
        switch $kind[1]
            case file
                __fish_complete_path $cur
            case directory
                __fish_complete_directories $cur ''
            case word
                string split ' ' -- $kind[2]
            case words
                set -l head (string match -r '^.*,' -- $cur)
                string split ' ' -- $kind[2] | while read -l name
                    echo "$head$name"
                end
            case name
                $argv[3] completions --names $kind[2] $of $asking 2>/dev/null
            case names
                set -l head (string match -r '^.*,' -- $cur)
                $argv[3] completions --names $kind[2] $of $asking 2>/dev/null | while read -l name
                    echo "$head$name"
                end
        end
    end

    # Follows the words to their command; what is before the cursor decides what is offered there.
    function __headwind_complete
        set -l words (commandline -opc)
        set -l cur (commandline -ct)
        set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
        set -l command ''
        set -l option ''
        set -l kind ''
        set -l ended no
        set -l operands
        set -l context
        set -l place 1
        for word in $words[2..-1]
            set place (math $place + 1)
            if test -n "$option"
                set context $context (__headwind_note $option $word $kind)
                set option ''
            else if test $ended = no; and test "$word" = --
                set ended yes
                if test "$(__headwind_operand $command x)" = command
                    set -l rest $words[(math $place + 1)..-1]
                    test (count $words) -gt $place; or set rest
                    complete -C (string join ' ' -- (string escape -- $rest) $cur)
                    return
                end
            else if test $ended = no; and string match -q -- '-*=*' $word
                set -l parts (string split -m 1 = -- $word)
                if set kind (__headwind_value $command $parts[1])
                    set context $context (__headwind_note $parts[1] $parts[2] $kind)
                end
            else if test $ended = no; and string match -q -- '-?*' $word
                if set kind (__headwind_value $command $word)
                    set option $word
                end
            else if test (count $operands) -eq 0; and set -l next (__headwind_step $command $word)
                set command $next
            else
                set operands $operands $word
            end
        end
        set -l asking $program (count $operands) $operands $context
        if test -n "$option"
            __headwind_offer $kind "$cur" $asking
        else if test $ended = no; and string match -q -- '-*=*' $cur
            set -l parts (string split -m 1 = -- $cur)
            if set kind (__headwind_value $command $parts[1])
                __headwind_offer $kind "$parts[2]" $asking | while read -l line
                    echo "$parts[1]=$line"
                end
            end
        else if test $ended = no; and string match -q -- '-*' $cur
            __headwind_words options $command
        else
            test (count $operands) -gt 0; or __headwind_words words $command
            if set kind (__headwind_operand $command (count $operands))
                __headwind_offer $kind "$cur" $asking
            end
        end
    end

    complete -c headwind -f -k -a '(__headwind_complete)'

    """#
}
