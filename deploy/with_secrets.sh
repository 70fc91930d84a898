#!/bin/sh
# Runs a command with secrets from files, as systemd (LoadCredential=) and compose.yaml provide them: a file named after
# a setting has its value, such as CURSOR_SECRET; a file whose name ends in _FILE is itself the setting's file. Such a
# key file is copied so that only this user can open it, as the server demands: systemd grants access by an ACL, which
# shows as group access.
set -eu
folder=${CREDENTIALS_DIRECTORY:-/run/secrets}
private=
for file in "$folder"/[A-Z]*; do
  [ -f "$file" ] || continue
  name=${file##*/}
  case $name in
    *[!A-Z0-9_]*) continue ;;
    *_FILE)
      if [ -z "$private" ]; then
        private=$(umask 077 && mktemp -d "${RUNTIME_DIRECTORY:-/tmp}/keys.XXXXXX")
      fi
      (umask 177 && cat "$file" > "$private/$name")
      export "$name=$private/$name"
      ;;
    *) export "$name=$(cat "$file")" ;;
  esac
done
exec "$@"
