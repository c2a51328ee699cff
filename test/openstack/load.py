# The clients outside of the cluster: each does one thing again and again and prints a line of JSON for each try. When its standard
# input ends it looks whether everything that it was told to be safe is still there, prints that, and ends.
# Argument: JSON with the addresses and passwords.
import http.client
import json
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pika
import pymysql

world = json.loads(sys.argv[1])
patience = 5.0
printing = threading.Lock()
ending = threading.Event()
tokens = []
rows = []
confirmed = []
consumed = set()


def tell(facts):
    with printing:
        sys.stdout.write(json.dumps(facts) + "\n")
        sys.stdout.flush()


def now():
    return round(time.time() * 1000)


def repeat(service, interval, attempt):
    while not ending.is_set():
        asked = now()
        try:
            attempt()
            tell({"service": service, "asked": asked, "answered": now(), "ok": True})
        except Exception as error:
            what = f"{type(error).__name__}: {error}"[:200]
            tell({"service": service, "asked": asked, "answered": now(), "ok": False, "error": what})
        ending.wait(max(0.05, interval - (now() - asked) / 1000))


def identity(method, path, headers, body=None):
    connection = http.client.HTTPConnection(world["keystone"], 5000, timeout=patience)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer
    finally:
        connection.close()


def issue_token():
    user = {"name": "admin", "domain": {"id": "default"}, "password": world["adminPassword"]}
    scope = {"project": {"name": "admin", "domain": {"id": "default"}}}
    request = {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": scope}}
    answer = identity("POST", "/v3/auth/tokens", {"Content-Type": "application/json"}, json.dumps(request))
    if answer.status != 201:
        raise RuntimeError(f"status {answer.status}")
    tokens.append(answer.getheader("X-Subject-Token"))


def validate_token(token=None):
    """The latest one, unless another is meant."""
    if not tokens:
        raise RuntimeError("there is no token yet")
    token = token or tokens[-1]
    answer = identity("GET", "/v3/auth/tokens", {"X-Auth-Token": token, "X-Subject-Token": token})
    if answer.status != 200:
        raise RuntimeError(f"status {answer.status}")


class Rows:
    """Writes numbers through the database's VIP, a transaction each."""

    def __init__(self):
        self.connection = None
        self.number = 0

    def attempt(self):
        self.number += 1
        try:
            if self.connection is None:
                self.connection = pymysql.connect(
                    host=world["db"], user="rows", password=world["rowsPassword"], database="rows", autocommit=True,
                    connect_timeout=patience, read_timeout=patience, write_timeout=patience)
            with self.connection.cursor() as cursor:
                cursor.execute("insert into numbers values (%s)", (self.number,))
            rows.append(self.number)
        except Exception:
            if self.connection is not None:
                self.connection._force_close()
            self.connection = None
            raise


class Queue:
    """A connection to the broker through its VIP, opened again after a failure."""

    def __init__(self):
        self.connection = None
        self.channel = None
        self.number = 0

    def open(self):
        if self.connection is not None:
            return
        # A heartbeat bounds how long a connection to a lost broker seems to live.
        self.connection = pika.BlockingConnection(pika.ConnectionParameters(
            world["rabbitmq"], heartbeat=4, socket_timeout=patience, stack_timeout=2 * patience,
            blocked_connection_timeout=patience))
        self.channel = self.connection.channel()
        self.channel.queue_declare("orders", durable=True)
        self.channel.confirm_delivery()

    def drop(self):
        connection, self.connection = self.connection, None
        if connection is not None:
            try:
                connection._impl._transport.abort()
            except Exception:
                pass

    def publish(self):
        self.number += 1
        try:
            self.open()
            persistent = pika.BasicProperties(delivery_mode=2)
            self.channel.basic_publish("", "orders", str(self.number), persistent, mandatory=True)
            confirmed.append(self.number)
        except Exception:
            self.drop()
            raise

    def consume(self):
        try:
            self.open()
            method, _, body = self.channel.basic_get("orders")
            if method is None:
                return False
            self.channel.basic_ack(method.delivery_tag)
            consumed.add(int(body))
            return True
        except Exception:
            self.drop()
            raise


def cache():
    """A client with a list of servers, which takes the next one where one does not answer."""
    for server in world["memcached"]:
        try:
            with socket.create_connection((server, 11211), timeout=0.5) as connection:
                connection.sendall(b"set probe 0 60 2\r\nup\r\nget probe\r\n")
                answer = b""
                while b"END\r\n" not in answer:
                    part = connection.recv(200)
                    if not part:
                        raise ConnectionError("closed")
                    answer += part
                if b"STORED\r\n" in answer and b"\r\nup\r\n" in answer:
                    return
        except OSError:
            continue
    raise RuntimeError("no server answers")


def patiently(attempt):
    """Whether it succeeds within some tries: what is looked for is what is lost, not what is slow."""
    for _ in range(20):
        try:
            return attempt()
        except Exception as error:
            last = error
            time.sleep(1)
    raise last


def is_lost(token):
    try:
        patiently(lambda: validate_token(token))
        return False
    except Exception:
        return True


def stored_rows():
    connection = pymysql.connect(host=world["db"], user="rows", password=world["rowsPassword"], database="rows")
    with connection.cursor() as cursor:
        cursor.execute("select n from numbers")
        return {number for number, in cursor.fetchall()}


def account(queue):
    stored = patiently(stored_rows)
    while patiently(queue.consume):
        pass
    with ThreadPoolExecutor(6) as several:
        lost_tokens = sum(several.map(is_lost, tokens))
    tell({"account": {
        "tokens": {"acknowledged": len(tokens), "lost": lost_tokens},
        "rows": {"acknowledged": len(rows), "lost": len(set(rows) - stored)},
        "messages": {"acknowledged": len(confirmed), "lost": len(set(confirmed) - consumed)},
    }})


workers = [
    threading.Thread(target=repeat, args=work, daemon=True)
    for work in [
        ("issue a token", 0.25, issue_token),
        ("validate a token", 0.25, validate_token),
        ("write a row", 0.1, Rows().attempt),
        ("publish a message", 0.1, Queue().publish),
        ("consume a message", 0.05, Queue().consume),
        ("set and get in the cache", 0.2, cache),
    ]
]
for worker in workers:
    worker.start()
sys.stdin.read()
ending.set()
for worker in workers:
    worker.join()
account(Queue())
