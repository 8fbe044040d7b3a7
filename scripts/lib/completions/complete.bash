#!/usr/bin/env bash
# complete.bash SCRIPT LINES: what bash offers at the end of each line, all in a line of output, parted by tabs. The words
# are cut as bash cuts them, and the function of the script is called as bash calls it.
# shellcheck source=/dev/null
source "$1"

while IFS= read -r line; do
  COMP_LINE=$line COMP_POINT=${#line} COMP_WORDS=()
  read -ra words <<<"$line"
  for word in "${words[@]}"; do
    while [[ $word =~ ^([^=:]*)([=:]+)(.*)$ ]]; do
      [[ -z ${BASH_REMATCH[1]} ]] || COMP_WORDS+=("${BASH_REMATCH[1]}")
      COMP_WORDS+=("${BASH_REMATCH[2]}")
      word=${BASH_REMATCH[3]}
    done
    [[ -z $word ]] || COMP_WORDS+=("$word")
  done
  [[ $line != *' ' ]] || COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _headwind headwind "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  IFS=$'\t'
  printf '%s\n' "${COMPREPLY[*]}"
  IFS=$' \t\n'
done <"$2"
