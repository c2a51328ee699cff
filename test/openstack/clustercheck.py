# What clustercheck does behind xinetd in the deployment: answers 200 while this node's database is a synced member, 503 otherwise.
# Arguments: the address and the port to listen on.
import http.server
import sys

import pymysql


def synced():
    connection = pymysql.connect(unix_socket="/run/mysqld/mysqld.sock", user="root", connect_timeout=1, read_timeout=2)
    try:
        with connection.cursor() as cursor:
            cursor.execute("show status where variable_name in ('wsrep_local_state', 'wsrep_ready')")
            status = dict(cursor.fetchall())
            return status.get("wsrep_local_state") == "4" and status.get("wsrep_ready") == "ON"
    finally:
        connection.close()


class Check(http.server.BaseHTTPRequestHandler):
    def do_OPTIONS(self):
        try:
            status, text = (200, "synced") if synced() else (503, "not synced")
        except Exception as error:
            status, text = 503, str(error)
        body = f"{text}\n".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_OPTIONS

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Check).serve_forever()
