"""
Opens TCP connections, begins TLS on each, and breaks them, as fast as it can: HOST PORT SECONDS AT_ONCE. So many are open at a time, and then all
are broken together. Prints how many it has opened.
"""
import errno
import resource
import socket
import ssl
import struct
import sys
import time

host, port, seconds, at_once = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
resource.setrlimit(resource.RLIMIT_NOFILE, (at_once + 100, at_once + 100))


def client_hello():
    context = ssl.create_default_context()
    outgoing = ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname='n1').do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


hello = client_hello()
linger = struct.pack('ii', 1, 0)
end = time.monotonic() + seconds
made = 0
while time.monotonic() < end:
    kept = []
    while len(kept) < at_once and time.monotonic() < end:
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        if one.connect_ex((host, port)) not in (0, errno.EINPROGRESS):
            time.sleep(0.001)
        made += 1
        kept.append(one)
    for one in kept:
        try:
            one.send(hello)
        except OSError:
            pass
    for one in kept:
        one.close()
print(made)
