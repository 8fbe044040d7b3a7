/// The script for zsh: a file `_headwind` in a directory of `fpath`, or to be sourced behind `compinit`.
enum ZshCompletion {
  static var script: String {
    let table = CompletionTable()
    let cases = CompletionCases(table: table)
    return [head, cases.steps, words(table), cases.values, cases.operands, body].joined(separator: "\n")
  }

  private static let head = """
    #compdef headwind
    # zsh completion for headwind, made by `headwind completions zsh`.

    """

  /// Sets `steps` and `options` to what the command `$1` offers, each with what it is.
  private static func words(_ table: CompletionTable) -> String {
    let rows = table.rows.map { row in
      let steps = row.steps + (row.command.isEmpty ? [CompletionTable.help] : [])
      let words = steps.map { "        " + entry($0.words[0], $0.summary) + "\n" }.joined()
      let options = row.options.map { "        " + entry($0.names[0], $0.summary) + "\n" }.joined()
      return """
            \(row.command.shellQuoted))
              steps=(
        \(words)      )
              options=(
        \(options)      )
              ;;

        """
    }
    return "__headwind_words() {\n  steps=() options=()\n  case $1 in\n\(rows.joined())  esac\n}\n"
  }

  private static func entry(_ word: String, _ summary: String) -> String { "\(word):\(summary)".shellQuoted }

  private static let body = #"""
    # An option's value on the line that names are asked for with.
    __headwind_note() {
      case $1:$kind in
        --control:* | --token-file:*) context+=("$1" "$2") ;;
        *:directory) context+=(--profiles "$2") ;;
      esac
    }

    # In `known` the names that there are, each with what it is.
    __headwind_names() {
      local word name summary
      local -a of
      for word in "${operands[@]}"; do of+=(--of "$word"); done
      known=()
      while IFS=$'\t' read -r name summary; do
        known+=("${name//:/\\:}:$summary")
      done < <("$program" completions --names "$1" "${of[@]}" "${context[@]}" 2>/dev/null)
    }

    # Offers what `kind` says.
    __headwind_offer() {
      local -a known more
      case $kind in
        file) _files; return ;;
        directory) _files -/; return ;;
        word\ *|words\ *) known=(${=kind#* }) ;;
        name\ *|names\ *) __headwind_names "${kind#* }" ;;
        *) return 1 ;;
      esac
      [[ $kind != *\ attributes ]] || more=(-S '')
      if [[ $kind == (words|names)\ * ]]; then
        compset -P '*,'
        more=(-qS ,)
      fi
      _describe -V "${kind##* }" known "${more[@]}"
    }

    # Follows the words to their command; what is before the cursor decides what is offered there.
    __headwind_walk() {
      local i word
      for ((i = 2; i < CURRENT; i++)); do
        word=${(Q)words[i]}
        if [[ -n $option ]]; then
          __headwind_note "$option" "$word"
          option=''
        elif [[ $ended == no && $word == -- ]]; then
          ended=yes
          __headwind_operand "$command" x && [[ $kind == command ]] && other=$i && return
        elif [[ $ended == no && $word == -*=* ]]; then
          __headwind_value "$command" "${word%%=*}" && __headwind_note "${word%%=*}" "${word#*=}"
        elif [[ $ended == no && $word == -?* ]]; then
          __headwind_value "$command" "$word" && option=$word
        elif ((${#operands} > 0)) || ! __headwind_step "$command" "$word"; then
          operands+=("$word")
        fi
      done
      return 0
    }

    _headwind() {
      local command='' kind='' option='' ended=no other='' offered=1
      local program=${${(Q)words[1]}/#\~\//$HOME/}
      local -a steps options operands context
      __headwind_walk
      __headwind_words "$command"
      if [[ -n $other ]]; then
        shift $other words
        ((CURRENT -= other))
        _normal
        return
      elif [[ -n $option ]]; then
        __headwind_offer
        return
      elif [[ $ended == no && $PREFIX == -*=* ]]; then
        __headwind_value "$command" "${PREFIX%%=*}" || return
        compset -P 1 '*='
        __headwind_offer
        return
      elif [[ $ended == no && $PREFIX == -* ]]; then
        _describe -o option options
        return
      fi
      ((${#operands} > 0 || ${#steps} == 0)) || { _describe -V command steps && offered=0; }
      __headwind_operand "$command" ${#operands} && __headwind_offer && offered=0
      ((offered == 0)) || _describe -o option options && offered=0
      return offered
    }

    if [[ ${funcstack[1]-} == _headwind ]]; then
      _headwind "$@"
    else
      compdef _headwind headwind
    fi

    """#
}
