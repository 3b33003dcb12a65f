# Functions for .ci/run and .ci/npm, which need `here`, the checkout, and `folder`, an empty folder.

server=
finish() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$folder"
}

# Makes the clone $1, and sets `clone` to it.
clone() {
  clone=$folder/$1
  git clone --quiet "$here" "$clone"
}

# Starts Stave in the clone by `npm start`, waits for a line that begins with $1, and sets `address`.
start() {
  # The log of an earlier start would pass for this one.
  rm -f "$clone.log"
  (cd "$clone" && PORT=0 exec npm start) >"$clone.log" 2>&1 &
  server=$!
  for _ in $(seq 1 300); do
    if grep -qs "^$1" "$clone.log"; then break; fi
    if ! kill -0 "$server" 2>/dev/null; then break; fi
    sleep 1
  done
  cat "$clone.log"
  grep -q "^$1" "$clone.log"
  address=$(sed -n 's/^Stave serves at //p' "$clone.log")
  curl -sf "$address/" | grep '<div id="app">' >/dev/null
}

# Ends npm, which must end what it started.
stop() {
  kill "$server"
  wait "$server" || true
  server=
  if curl -sf "$address/version" >/dev/null; then
    echo "npm start was ended, but what it started still serves at $address" >&2
    exit 1
  fi
}

# The command $2… fails, and its one line begins with $1.
expect_line() {
  local output
  if output=$("${@:2}" 2>&1); then
    echo "it should have failed: ${*:2}" >&2
    exit 1
  fi
  echo "$output"
  [ "$(grep -vc '^npm ' <<<"$output")" = 1 ]
  grep -q "^$1" <<<"$output"
}
