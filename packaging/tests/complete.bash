# Loads fathom's completion for bash (FILE) and prints what it offers for two words: complete.bash FILE
source "$1"
complete -p fathom >/dev/null || exit 1
offers() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _fathom fathom "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[@]}"
}
offers fathom sur
offers fathom survey --bud
