#!/bin/sh
# The protocol by hand, with curl: ask, be answered 402, sign, ask again. Signing is the one step that needs a program.
#
#   export SERVER=http://localhost:4021
#   export BUYER_KEY=$(node -p "JSON.parse(fs.readFileSync('data/sandbox/wallet.json')).private_key")
#   sh examples/walkthrough.sh '/api/deals/basic?state=OH&limit=1'
set -eu
SERVER=${SERVER:-http://localhost:4021}
path=${1:-/api/deals/basic?state=OH&limit=1}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The value of a header of the answer that curl wrote down
header() { tr -d '\r' < "$work/headers" | awk -v name="$1" 'tolower($0) ~ "^" tolower(name) ":" { sub(/^[^:]*: */, ""); print; exit }'; }
ask() { curl -sS -g -D "$work/headers" -o "$work/body" -w '%{http_code}' "$@" "$SERVER$path"; }

echo "1. GET $path"
status=$(ask)
echo "   $status"
if [ "$status" != 402 ]; then cat "$work/body"; exit 0; fi

echo "2. PAYMENT-REQUIRED, base64 of JSON, says what it costs and whom to pay:"
header PAYMENT-REQUIRED | base64 -d | tr -d '{}[]' | tr ',' '\n' | grep -E '"(amount|asset|network|payTo|maxTimeoutSeconds)"' | sed 's/^/   /'

echo "3. Sign it (MAX_USD=${MAX_USD:-0.25} at most)"
signature=$(node "$here/sign.ts" "$(header PAYMENT-REQUIRED)")

echo "4. The same GET with PAYMENT-SIGNATURE"
status=$(ask -H "PAYMENT-SIGNATURE: $signature")
echo "   $status"
if [ "$status" = 200 ]; then
  echo "5. PAYMENT-RESPONSE says how it was settled; Receipt-Id: $(header Receipt-Id)"
  header PAYMENT-RESPONSE | base64 -d | tr -d '{}[]' | tr ',' '\n' | grep -E '"(success|transaction)"' | sed 's/^/   /'
else
  echo "5. Nothing was charged:"
fi
cat "$work/body"
echo
