"""A WebSocket client for tests (RFC 6455), on the standard library alone."""

import base64
import json
import os
import socket
import struct

LONGEST = 300  # [s] a silence of more is an error


class WebSocket:
    def __init__(self, port, origin=None, path="/live", host=None, address="127.0.0.1"):
        self.socket = socket.create_connection((address, port), timeout=LONGEST)
        self.buffer = b""
        headers = [
            f"GET {path} HTTP/1.1",
            f"Host: {host or f'127.0.0.1:{port}'}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode(),
        ]
        if origin is not None:
            headers.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(headers) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.status = int(head.split(b" ")[1])

    def fill(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("closed")
        self.buffer += data

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send_frame(self, code, payload):
        mask = os.urandom(4)
        length = len(payload)
        head = bytes([0x80 | code])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", length)
        masked = bytes(byte ^ mask[k % 4] for k, byte in enumerate(payload))
        self.socket.sendall(head + mask + masked)

    def say(self, **message):
        self.send_frame(1, json.dumps(message).encode())

    def hear(self):
        """The next message: a dict for text, bytes for binary; answers pings on the way."""
        while True:
            first, second = self.take(2)
            length = second & 127
            if length == 126:
                (length,) = struct.unpack(">H", self.take(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self.take(8))
            payload = self.take(length)
            code = first & 15
            if code == 9:
                self.send_frame(10, payload)
            elif code == 8:
                raise ConnectionError("closed")
            elif code == 1:
                return json.loads(payload)
            elif code == 2:
                return payload

    def hear_until(self, condition):
        while True:
            message = self.hear()
            if condition(message):
                return message

    def close(self):
        self.socket.close()
