/// The script for bash, from 3.2 on, which macOS has. It needs nothing of the package bash-completion.
enum BashCompletion {
  static var script: String {
    let table = CompletionTable()
    let cases = CompletionCases(table: table)
    return [head, cases.steps, words(table), cases.values, cases.operands, body].joined(separator: "\n")
  }

  private static let head = """
    # bash completion for headwind, made by `headwind completions bash`.
    # shellcheck shell=bash disable=SC2034,SC2154

    """

  /// Sets `steps` and `options` to what the command `$1` offers.
  private static func words(_ table: CompletionTable) -> String {
    let rows = table.rows.map { row in
      let help = row.command.isEmpty ? CompletionTable.help.words : []
      let steps = row.steps.map { $0.words[0] } + help
      let options = row.options.map { $0.names[0] }
      return "    \(row.command.shellQuoted)) steps=\(steps.joined(separator: " ").shellQuoted) "
        + "options=\(options.joined(separator: " ").shellQuoted) ;;\n"
    }
    return "__headwind_words() {\n  steps='' options=''\n  case $1 in\n\(rows.joined())  esac\n}\n"
  }

  private static let body = #"""
    # The words before the cursor, in `words`, and the one that is being typed, in `cur`. Bash cuts words at = and :, too.
    __headwind_split() {
      local line=${COMP_LINE:0:COMP_POINT} rest raw i
      words=()
      for ((i = 0; i <= COMP_CWORD; i++)); do
        raw=${COMP_WORDS[i]}
        rest=${line#"${line%%[![:space:]]*}"}
        ((i < COMP_CWORD)) || raw=$rest
        if ((i > 0)) && [[ $rest == "$line" ]]; then
          words[${#words[@]} - 1]+=$raw
        else
          words+=("$raw")
        fi
        line=${rest#"$raw"}
      done
      cur=${words[${#words[@]} - 1]}
      unset "words[${#words[@]} - 1]"
    }

    # An option's value on the line that names are asked for with.
    __headwind_note() {
      case $1:$kind in
        --control:* | --token-file:*) context+=("$1" "$2") ;;
        *:directory) context+=(--profiles "$2") ;;
      esac
    }

    __headwind_names() {
      local word of=()
      for word in "${operands[@]}"; do of+=(--of "$word"); done
      "$program" completions --names "$1" "${of[@]}" "${context[@]}" 2>/dev/null | cut -f 1
    }

    # Offers what begins with $1 of what `kind` says; $2 stands in front of it in the same word.
    __headwind_offer() {
      local line list='' head=''
      case $kind in
        file)
          compopt -o filenames 2>/dev/null
          while IFS= read -r line; do COMPREPLY+=("$2$line"); done < <(compgen -f -- "$1")
          return
          ;;
        directory)
          compopt -o filenames 2>/dev/null
          while IFS= read -r line; do COMPREPLY+=("$2$line"); done < <(compgen -d -- "$1")
          return
          ;;
        word\ * | words\ *)
          list=${kind#* }
          list=${list// /$'\n'}
          ;;
        name\ * | names\ *) list=$(__headwind_names "${kind#* }") ;;
        *) return ;;
      esac
      [[ $kind != *\ attributes ]] || compopt -o nospace 2>/dev/null
      [[ $kind != words* && $kind != names* || $1 != *,* ]] || head=${1%,*},
      while IFS= read -r line; do
        [[ -z $line || ,$head == *,"$line",* || $head$line != "$1"* ]] || COMPREPLY+=("$2$head$(printf %q "$line")")
      done <<<"$list"
    }

    __headwind_match() {
      local line
      for line in $1; do [[ $line != "$2"* ]] || COMPREPLY+=("$line"); done
    }

    # The command line of another program, from word $1 on.
    __headwind_other() {
      local line
      if declare -F _command_offset >/dev/null; then
        for ((i = 1; i < COMP_CWORD; i++)); do
          [[ ${COMP_WORDS[i]} != -- ]] || { _command_offset $((i + 1)) && return; }
        done
      fi
      compopt -o filenames 2>/dev/null
      if ((${#words[@]} > $1)); then kind=-f; else kind=-c; fi
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$kind" -- "$cur")
    }

    # Follows the words to their command; what is before the cursor decides what is offered there.
    __headwind_walk() {
      local i word
      for ((i = 1; i < ${#words[@]}; i++)); do
        word=${words[i]//[\\\'\"]/}
        if [[ -n $option ]]; then
          __headwind_note "$option" "$word"
          option=''
        elif [[ $ended == no && $word == -- ]]; then
          ended=yes
          __headwind_operand "$command" x && [[ $kind == command ]] && other=$((i + 1)) && return
        elif [[ $ended == no && $word == -*=* ]]; then
          __headwind_value "$command" "${word%%=*}" && __headwind_note "${word%%=*}" "${word#*=}"
        elif [[ $ended == no && $word == -?* ]]; then
          __headwind_value "$command" "$word" && option=$word
        elif ((${#operands[@]} > 0)) || ! __headwind_step "$command" "$word"; then
          operands+=("$word")
        fi
      done
    }

    _headwind() {
      local IFS=$' \t\n' cur='' command='' kind='' option='' ended=no other='' steps='' options='' raw strip
      local program=${1/#\~\//$HOME/} words=() operands=() context=()
      COMPREPLY=()
      __headwind_split
      __headwind_walk
      __headwind_words "$command"
      if [[ -n $other ]]; then
        __headwind_other "$other"
        return
      elif [[ -n $option ]]; then
        __headwind_offer "$cur" ''
      elif [[ $ended == no && $cur == -*=* ]]; then
        ! __headwind_value "$command" "${cur%%=*}" || __headwind_offer "${cur#*=}" "${cur%%=*}="
      elif [[ $ended == no && $cur == -* ]]; then
        __headwind_match "$options" "$cur"
      else
        ((${#operands[@]} > 0)) || __headwind_match "$steps" "$cur"
        ! __headwind_operand "$command" "${#operands[@]}" || __headwind_offer "$cur" ''
        [[ -n $cur || ${#COMPREPLY[@]} -gt 0 ]] || __headwind_match "$options" ''
      fi
      # What bash has cut off in front of the word that it replaces.
      raw=${COMP_WORDS[COMP_CWORD]}
      strip=${cur%"$raw"}
      [[ $raw != [=:]* ]] || strip=$cur
      COMPREPLY=("${COMPREPLY[@]#"$strip"}")
    }

    complete -F _headwind headwind

    """#
}
