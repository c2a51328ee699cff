# The clients outside of the cluster: each does one thing again and again through the address, and prints a line of JSON for each try. When its standard
# input ends it looks whether everything that it was told to be safe is still there, prints that, and ends.
# Argument: JSON with the address and the ports.
import json
import sys
import threading
import time
import urllib.request

import pika
import pymysql

world = json.loads(sys.argv[1])
patience = 4.0
printing = threading.Lock()
ending = threading.Event()
rows = []
confirmed = []


def tell(facts):
    with printing:
        sys.stdout.write(json.dumps(facts) + "\n")
        sys.stdout.flush()


def now():
    return round(time.time() * 1000)


def repeat(service, attempt):
    while not ending.is_set():
        asked = now()
        try:
            attempt()
            tell({"service": service, "asked": asked, "answered": now(), "ok": True})
        except Exception as error:
            what = f"{type(error).__name__}: {error}"[:200]
            tell({"service": service, "asked": asked, "answered": now(), "ok": False, "error": what})
        ending.wait(0.1)


def shop():
    with urllib.request.urlopen(f"http://{world['address']}:{world['shop']}/", timeout=patience) as answer:
        answer.read()


def open_database():
    return pymysql.connect(
        host=world["address"], port=world["database"], user="lab", password="lab", database="lab", autocommit=True,
        connect_timeout=patience, read_timeout=patience, write_timeout=patience)


class Rows:
    """Writes numbers, a transaction each, over a connection that is kept."""

    def __init__(self):
        self.connection = None
        self.number = now() % 1_000_000_000

    def attempt(self):
        self.number += 1
        try:
            self.connection = self.connection or open_database()
            with self.connection.cursor() as cursor:
                cursor.execute("insert into numbers values (%s)", (self.number,))
            rows.append(self.number)
        except Exception:
            if self.connection is not None:
                self.connection._force_close()
            self.connection = None
            raise


class Messages:
    """Publishes numbers and waits for their confirmation, over a connection that is kept."""

    def __init__(self):
        self.connection = None
        self.channel = None
        self.number = 0

    def open(self):
        if self.connection is not None:
            return
        login = pika.PlainCredentials("guest", "guest")
        self.connection = pika.BlockingConnection(pika.ConnectionParameters(
            world["address"], world["broker"], credentials=login, heartbeat=4, socket_timeout=patience,
            stack_timeout=2 * patience, blocked_connection_timeout=patience))
        self.channel = self.connection.channel()
        self.channel.queue_declare("orders", durable=True)
        self.channel.confirm_delivery()

    def drop(self):
        connection, self.connection = self.connection, None
        try:
            connection._impl._transport.abort()
        except Exception:
            pass

    def publish(self):
        self.number += 1
        try:
            self.open()
            durable = pika.BasicProperties(delivery_mode=2)
            self.channel.basic_publish("", "orders", str(self.number), durable, mandatory=True)
            confirmed.append(self.number)
        except Exception:
            self.drop()
            raise

    def all(self):
        try:
            self.open()
            found = set()
            while True:
                method, _, body = self.channel.basic_get("orders")
                if method is None:
                    return found
                found.add(int(body))
                self.channel.basic_ack(method.delivery_tag)
        except Exception:
            self.drop()
            raise


def stored_rows():
    with open_database().cursor() as cursor:
        cursor.execute("select n from numbers")
        return {number for number, in cursor.fetchall()}


def patiently(attempt):
    """What is looked for is what is lost, not what is slow."""
    for _ in range(20):
        try:
            return attempt()
        except Exception as error:
            last = error
            time.sleep(1)
    raise last


workers = [
    threading.Thread(target=repeat, args=work, daemon=True)
    for work in [
        ("read the shop", shop),
        ("write a row", Rows().attempt),
        ("publish a message", Messages().publish),
    ]
]
for worker in workers:
    worker.start()
sys.stdin.read()
ending.set()
for worker in workers:
    worker.join()
stored = patiently(stored_rows)
queued = patiently(Messages().all)
tell({"kept": {
    "rows": {"acknowledged": len(rows), "lost": len(set(rows) - stored)},
    "messages": {"acknowledged": len(confirmed), "lost": len(set(confirmed) - queued)},
}})
