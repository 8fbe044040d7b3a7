# complete.fish SCRIPT LINES: what fish offers at the end of each line, all in a line of output, parted by tabs.
source $argv[1]
while read -l line
    set -l found (complete -C $line | string replace -r '\t.*' '')
    echo (string join \t -- $found)
end <$argv[2]
