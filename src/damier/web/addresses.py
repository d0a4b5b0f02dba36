"""Addresses of clients, as limits and hashes use them."""

from __future__ import annotations

import ipaddress

from starlette.requests import HTTPConnection

IPV6_PREFIX = 64  # a household or a rented machine has at least that many addresses


def client_address(connection: HTTPConnection) -> str:
    """Return the address of a client; empty if it is unknown."""
    return network_of(connection.client.host) if connection.client else ""


def network_of(host: str) -> str:
    """Return an IPv4 address, or the network of an IPv6 address; other text is unchanged."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address) or address.is_loopback:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), IPV6_PREFIX), strict=False))
