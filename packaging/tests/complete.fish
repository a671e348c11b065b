# Loads fathom's completion for fish (FILE) and prints what it offers for two words: complete.fish FILE
source $argv[1]
complete --do-complete 'fathom sur' | string split --fields 1 \t
complete --do-complete 'fathom survey --bud' | string split --fields 1 \t
