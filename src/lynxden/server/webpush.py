"""Web Push: messages to browsers that are closed, encrypted for them (RFC 8291), signed by us (RFC 8292).

Needs the package `cryptography` (`lynxden[push]`); without it nobody is reminded. All of it blocks: call it
in a thread.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import importlib.util
import ipaddress
import json
import os
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lynxden.server.errors import Code, Refusal

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey

AVAILABLE = importlib.util.find_spec("cryptography") is not None
SECONDS = 10.0
"""For one message, in all."""
RECORD = 4096
"""Bytes of a record; a message is one."""
MOST_ENDPOINT = 1000
"""Characters of an address."""
GONE = (404, 410)
"""Answers by which a push service says that a subscription has ended."""
VALID = 12 * 3600
"""Seconds for which we sign."""


class PushError(Exception):
    """A message that could not be delivered."""


@dataclass(frozen=True)
class Subscription:
    """Where a browser can be reached, and how to write to it."""

    endpoint: str
    p256dh: str
    """Its public key."""
    auth: str
    """Its secret."""


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# --- Keys -----------------------------------------------------------------------------------------------


def new_key() -> str:
    """A private key of ours."""
    from cryptography.hazmat.primitives.asymmetric import ec

    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return encode(number.to_bytes(32, "big"))


def public_key(private: str) -> str:
    """The public key, for browsers."""
    return encode(_point(_private(private).public_key()))


def _private(text: str) -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.derive_private_key(int.from_bytes(decode(text), "big"), ec.SECP256R1())


def _point(key: EllipticCurvePublicKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


# --- Subscriptions --------------------------------------------------------------------------------------


def check(subscription: Subscription, local: bool) -> None:
    """Refuse what is no subscription, and addresses to which we do not write."""
    from cryptography.hazmat.primitives.asymmetric import ec

    parts = urlsplit(subscription.endpoint)
    try:
        good = bool(parts.hostname) and (parts.port or 443) > 0 and not parts.username
    except ValueError:
        good = False
    if not good or parts.scheme not in (("https", "http") if local else ("https",)):
        raise Refusal(Code.OPTIONS, "the endpoint of a subscription is an https:// address")
    if not local and _literal(parts.hostname or "") is False:
        raise Refusal(Code.OPTIONS, "the endpoint of a subscription is a public address")
    try:
        point, secret = decode(subscription.p256dh), decode(subscription.auth)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError as error:
        raise Refusal(Code.OPTIONS, "p256dh and auth are the keys of a subscription, in base64url") from error
    if len(secret) != 16:
        raise Refusal(Code.OPTIONS, "auth is a secret of 16 bytes, in base64url")


def _literal(host: str) -> bool | None:
    """Whether a host that is written as an address is public; None for a name."""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return None


# --- Messages -------------------------------------------------------------------------------------------


def encrypt(subscription: Subscription, text: bytes) -> bytes:
    """A message that this browser alone can read."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    theirs = decode(subscription.p256dh)
    own = ec.generate_private_key(ec.SECP256R1())
    point = _point(own.public_key())
    shared = own.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs))
    salt = os.urandom(16)
    key, nonce = derive(shared, decode(subscription.auth), theirs, point, salt)
    sealed = AESGCM(key).encrypt(nonce, text + b"\x02", None)
    return salt + RECORD.to_bytes(4, "big") + bytes([len(point)]) + point + sealed


def derive(shared: bytes, auth: bytes, theirs: bytes, ours: bytes, salt: bytes) -> tuple[bytes, bytes]:
    """The key and the nonce of a message (RFC 8291, section 3.4)."""
    secret = _expand(_hash(auth, shared), b"WebPush: info\0" + theirs + ours, 32)
    root = _hash(salt, secret)
    return (
        _expand(root, b"Content-Encoding: aes128gcm\0", 16),
        _expand(root, b"Content-Encoding: nonce\0", 12),
    )


def _hash(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def _expand(key: bytes, info: bytes, size: int) -> bytes:
    return _hash(key, info + b"\x01")[:size]


def signature(private: str, endpoint: str, contact: str, now: int) -> str:
    """Who writes, for the push service (RFC 8292); `now` in seconds."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, utils

    parts = urlsplit(endpoint)
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": now + VALID, "sub": contact}
    head = encode(json.dumps({"typ": "JWT", "alg": "ES256"}).encode())
    signed = f"{head}.{encode(json.dumps(claims).encode())}"
    pair = utils.decode_dss_signature(_private(private).sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    made = b"".join(number.to_bytes(32, "big") for number in pair)
    return f"vapid t={signed}.{encode(made)}, k={public_key(private)}"


def deliver(
    subscription: Subscription, text: bytes, topic: str, authority: str, ttl: int, local: bool
) -> bool:
    """Send a message; whether the subscription is still valid. `PushError` if it could not be delivered."""
    parts = urlsplit(subscription.endpoint)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    body = encrypt(subscription, text)
    try:
        connection = _connect(host, port, parts.scheme == "https", local)
        try:
            connection.request(
                "POST",
                parts.path + (f"?{parts.query}" if parts.query else "") or "/",
                body,
                {
                    "Authorization": authority,
                    "Content-Encoding": "aes128gcm",
                    "Content-Type": "application/octet-stream",
                    "TTL": str(ttl),
                    "Topic": topic,
                    "Urgency": "normal",
                },
            )
            status = connection.getresponse().status  # what else it says does not matter to us
        finally:
            connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise PushError(f"{host}: {error}") from error
    if status in GONE:
        return False
    if not 200 <= status < 300:  # a redirection is not followed
        raise PushError(f"{host} answered {status}")
    return True


def _connect(host: str, port: int, secure: bool, local: bool) -> http.client.HTTPConnection:
    """A connection to a public address: the one that was looked at, whatever the name means later."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(each[4][0]) for each in found]
    if not addresses or not (local or all(ipaddress.ip_address(each).is_global for each in addresses)):
        raise PushError(f"{host} is no public address")
    plain = socket.create_connection((addresses[0], port), timeout=SECONDS)
    connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    try:
        context = ssl.create_default_context() if secure else None
        connection.sock = context.wrap_socket(plain, server_hostname=host) if context else plain
    except BaseException:
        plain.close()
        raise
    return connection
