# complete.zsh SCRIPT LINES: what zsh offers at the end of each line, all in a line of output, parted by tabs. An
# interactive zsh in a terminal of its own loads the script by compinit and completes the lines; compadd, through which all
# that is offered goes, tells of it.
zmodload zsh/zpty zsh/datetime
export PROBE=$(mktemp -d)
trap 'rm -rf $PROBE' EXIT
cp $1 $PROBE/_headwind
cat >$PROBE/rc <<'RC'
PROMPT=''
fpath=($PROBE $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a hits
    builtin compadd -A hits "$@"
    (($#hits == 0)) || print -rl -- $hits >>$PROBE/found
  fi
  builtin compadd "$@"
}
probe() {
  : >$PROBE/found
  BUFFER=$(<$PROBE/line) CURSOR=$#BUFFER
  zle list-choices
  BUFFER=''
  mv $PROBE/found $PROBE/done
}
zle -N probe
bindkey '^X^P' probe
: >$PROBE/ready
RC

# Reads the terminal meanwhile: a full one would hold up the shell in it.
wait_for() {
  local end=$((EPOCHREALTIME + 30)) text all
  until [[ -e $PROBE/$1 ]]; do
    if ((EPOCHREALTIME > end)); then
      print -u2 -r -- "zsh: nothing within 30 s: $all"
      exit 1
    fi
    zpty -rt probe text && all+=$text
    sleep 0.01
  done
}

zpty probe zsh -f -i
zpty -w probe "source $PROBE/rc"
wait_for ready
while IFS= read -r line; do
  print -rn -- $line >$PROBE/line
  zpty -wn probe $'\C-x\C-p'
  wait_for done
  print -r -- ${(pj:\t:)${(f)"$(<$PROBE/done)"}}
  rm $PROBE/done
done <$2
zpty -d probe
