"""Verify a receipt of Dealfeed: python3 verify.py answer.json answer.jws jwks.json (package: cryptography)."""
import base64, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

answer, receipt, jwks = (open(path, "rb").read() for path in sys.argv[1:4])
b64 = lambda text: base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
head, payload, signature = receipt.strip().split(b".")
header, said = json.loads(b64(head)), json.loads(b64(payload))
assert header["alg"] == "EdDSA" and header["typ"] == "dealfeed-receipt+jwt"
key = next(k for k in json.loads(jwks)["keys"] if k["kid"] == header["kid"])
Ed25519PublicKey.from_public_bytes(b64(key["x"].encode())).verify(b64(signature), head + b"." + payload)
assert key["revoked"] is None and (key["until"] is None or said["sold_at"] <= key["until"])
assert said["content"] == {"sha256": hashlib.sha256(answer).hexdigest(), "bytes": len(answer)}
print("proven", said["receipt_id"], said["price"], said["request"]["path"])
