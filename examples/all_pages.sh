#!/bin/sh
# Fetch every page of a list into a folder, for a nightly job: sh, curl, sed and the signing script.
#
#   SERVER=... BUYER_KEY=0x... sh examples/all_pages.sh '/api/deals/basic?state=OH&limit=500' pages
#
# Each page is paid once: it is written before the next one is requested, and an interrupted run continues from the
# cursor of the last page. A cursor belongs to its query; after a new snapshot, start again in a new folder.
set -eu
SERVER=${SERVER:-http://localhost:4021}
query=${1:?a list, such as /api/deals/basic?limit=500}
folder=${2:?a folder for the pages}
here=$(dirname "$0")
mkdir -p "$folder"
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
# The value of a response header
header() {
  tr -d '\r' < "$headers" |
    awk -v name="$1" 'tolower($0) ~ "^" tolower(name) ":" { sub(/^[^:]*: */, ""); print; exit }'
}
cursor_of() { sed -n 's/.*"next_cursor":"\([^"]*\)".*/\1/p' "$1"; }
url_after() {
  case $query in *\?*) echo "$SERVER$query&cursor=$1" ;; *) echo "$SERVER$query?cursor=$1" ;; esac
}

n=1
url=$SERVER$query
while [ -e "$folder/$n.json" ]; do
  cursor=$(cursor_of "$folder/$n.json")
  if [ -z "$cursor" ]; then echo "all $n pages are here"; exit 0; fi
  n=$((n + 1))
  url=$(url_after "$cursor")
done

while :; do
  status=$(curl -sS -g -D "$headers" -o /dev/null -w '%{http_code}' "$url")
  if [ "$status" != 402 ]; then echo "page $n: $status, expected 402" >&2; exit 1; fi
  signature=$(node "$here/sign.ts" "$(header PAYMENT-REQUIRED)")
  status=$(curl -sS -g -D "$headers" -o "$folder/$n.part" -w '%{http_code}' -H "PAYMENT-SIGNATURE: $signature" "$url")
  if [ "$status" = 404 ]; then echo "no match, no charge"; rm -f "$folder/$n.part"; exit 0; fi
  if [ "$status" != 200 ]; then echo "page $n: $status" >&2; cat "$folder/$n.part" >&2; exit 1; fi
  mv "$folder/$n.part" "$folder/$n.json"
  echo "page $n: receipt $(header Receipt-Id)"
  cursor=$(cursor_of "$folder/$n.json")
  if [ -z "$cursor" ]; then break; fi
  n=$((n + 1))
  url=$(url_after "$cursor")
done
