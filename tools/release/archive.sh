# Sourced by tools/release.sh: archives that depend on nothing but what is in them.

# archive NAME: the folder NAME of the work folder as an archive.
archive() {
  tar --create --directory "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u+rw,go+r-w,a+X "$1" | gzip -9n > "$out/$1.tar.gz"
}

# archive_of_command BINARY NAME: the command with what belongs to it.
archive_of_command() {
  local folder=$work/$2
  mkdir -p "$folder/bin"
  cp "$1" "$folder/bin/nakiri"
  documents "$folder/share"
  cp README.md CHANGELOG.md SECURITY.md LICENSE-MIT LICENSE-APACHE "$folder"
  notices > "$folder/THIRD-PARTY"
  archive "$2"
}

# documents FOLDER: manual pages and completions, made by the command for this machine.
documents() {
  local nakiri
  nakiri=$(command_here)
  mkdir -p "$1/bash-completion/completions" "$1/zsh/vendor-completions" "$1/fish/vendor_completions.d"
  "$nakiri" man -o "$1/man/man1"
  "$nakiri" completions bash > "$1/bash-completion/completions/nakiri"
  "$nakiri" completions zsh > "$1/zsh/vendor-completions/_nakiri"
  "$nakiri" completions fish > "$1/fish/vendor_completions.d/nakiri.fish"
}

# notices: the crates that the command is made of, and their licences.
notices() {
  local crate licence folder file
  echo "The command contains these crates, under these licences."
  while IFS='|' read -r crate licence; do
    # Name and version as folders of crates are called.
    folder=$(echo "$crate" | sed -E 's/ v/-/; s/ .*//')
    printf '\n%s\n%s: %s\n' "$(printf '=%.0s' {1..80})" "$folder" "$licence"
    for file in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$folder"/{,*/}LICEN[CS]E*; do
      # Apache-2.0 is there once, as ours.
      if [ -f "$file" ] && ! grep -q 'Apache License' "$file"; then printf '\n'; cat "$file"; fi
    done
  done < <(cargo tree --locked -p nakiri-cli -e normal --prefix none --no-dedupe --format '{p}|{l}' | grep -v "$PWD" | sort -u)
}
