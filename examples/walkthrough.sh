#!/bin/sh
# The payment protocol by hand, with curl: request, get 402, sign, request again. Only signing needs a program.
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
# The value of a response header
header() {
  tr -d '\r' < "$work/headers" |
    awk -v name="$1" 'tolower($0) ~ "^" tolower(name) ":" { sub(/^[^:]*: */, ""); print; exit }'
}
# Fields of a base64 JSON header, one per line
fields() { base64 -d | tr -d '{}[]' | tr ',' '\n' | grep -E "$1" | sed 's/^/   /'; }
request() { curl -sS -g -D "$work/headers" -o "$work/body" -w '%{http_code}' "$@" "$SERVER$path"; }

echo "1. GET $path"
status=$(request)
echo "   $status"
if [ "$status" != 402 ]; then cat "$work/body"; exit 0; fi

echo "2. PAYMENT-REQUIRED, base64 of JSON, has the payment terms:"
header PAYMENT-REQUIRED | fields '"(amount|asset|network|payTo|maxTimeoutSeconds)"'

echo "3. Sign it (MAX_USD=${MAX_USD:-0.25} at most)"
signature=$(node "$here/sign.ts" "$(header PAYMENT-REQUIRED)")

echo "4. The same GET with PAYMENT-SIGNATURE"
status=$(request -H "PAYMENT-SIGNATURE: $signature")
echo "   $status"
if [ "$status" = 200 ]; then
  echo "5. PAYMENT-RESPONSE has the settlement; Receipt-Id: $(header Receipt-Id)"
  header PAYMENT-RESPONSE | fields '"(success|transaction)"'
else
  echo "5. Nothing was charged:"
fi
cat "$work/body"
echo
