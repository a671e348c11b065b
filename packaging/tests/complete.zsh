# Presses Tab in an interactive zsh that finds fathom's completion in FOLDER, and prints what was completed:
# complete.zsh FOLDER. A shell that does not complete leaves this waiting, so it is run with a time limit.
zmodload zsh/zpty
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -U compinit && compinit -u -D && print RE''ADY"
zpty -r shell seen '*READY*'
zpty -w -n shell $'fathom sur\t'
zpty -r shell seen '*fathom survey*' && print survey
zpty -w -n shell $'--bud\t'
zpty -r shell seen '*--budget*' && print -- --budget
zpty -d shell
