"""An S3 server on loopback: OpenStack Swift with its s3api, in one process.

    /usr/bin/python3 s3-server.py FOLDER PORT ACCESS SECRET

Keeps its objects in FOLDER, over restarts too. Prints READY when it can be asked. Needs Debian's
python3-swift and nothing else: rings, account, container and object servers are made here.
"""

import eventlet

eventlet.monkey_patch()  # before anything that opens a socket is imported

import os
import signal
import socket
import sys
from array import array

folder, port, access, secret = os.path.abspath(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5]

SWIFT_CONF = """[swift-hash]
swift_hash_path_suffix = t
swift_hash_path_prefix = t
[storage-policy:0]
name = only
default = yes
[swift-constraints]
max_header_size = 32768
"""

PROXY_CONF = f"""[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
swift_dir = {folder}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
conn_timeout = 10
node_timeout = 30
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_{access.replace(':', '_')} = {secret} .admin
[filter:s3api]
use = egg:swift#s3api
s3_acl = no
location = us-east-1
force_swift_request_proxy_log = false
auth_pipeline_check = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true
""" + "".join(
    f"[filter:{name}]\nuse = egg:swift#{name}\n"
    for name in ("catch_errors", "gatekeeper", "listing_formats", "copy", "slo", "dlo", "symlink")
)


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


os.makedirs(os.path.join(folder, "devices", "one", "tmp"), exist_ok=True)
conf = write("swift.conf", SWIFT_CONF)

from swift.common import constraints, storage_policy, utils, wsgi

utils.SWIFT_CONF_FILE = constraints.SWIFT_CONF_FILE = storage_policy.SWIFT_CONF_FILE = conf
utils.HASH_PATH_SUFFIX = utils.HASH_PATH_PREFIX = b"t"
constraints.reload_constraints()
storage_policy.reload_storage_policies()

from eventlet.wsgi import server as serve_wsgi
from swift.account.server import AccountController
from swift.common.ring import RingData
from swift.container.server import ContainerController
from swift.obj.server import ObjectController


class Silence:
    def write(self, *_):
        pass

    def flush(self):
        pass


def listen(number=0):
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind(("127.0.0.1", number))
    found.listen(200)
    return found


def serve(on, application):
    pool = eventlet.GreenPool(200)
    eventlet.spawn(
        serve_wsgi,
        on,
        application,
        Silence(),
        protocol=wsgi.SwiftHttpProtocol,
        custom_pool=pool,
        log_output=False,
    )


def place(on):
    number = on.getsockname()[1]
    return {
        "id": 0, "zone": 0, "region": 1, "device": "one", "weight": 1.0, "meta": "",
        "ip": "127.0.0.1", "port": number,
        "replication_ip": "127.0.0.1", "replication_port": number,
    }


settings = {
    "devices": os.path.join(folder, "devices"),
    "mount_check": "false",
    "swift_dir": folder,
    "bind_ip": "127.0.0.1",
    "workers": "0",
    "log_level": "ERROR",
    "fallocate_reserve": "0",
    "disable_fallocate": "true",
}
controllers = {
    "account": AccountController,
    "container": ContainerController,
    "object": ObjectController,
}
sockets = {name: listen() for name in controllers}
for name, on in sockets.items():
    RingData([array("H", [0] * 16)], [place(on)], 28).save(os.path.join(folder, f"{name}.ring.gz"))
for name, controller in controllers.items():
    serve(sockets[name], controller(settings))

proxy = wsgi.loadapp(write("proxy.conf", PROXY_CONF), global_conf={"log_name": "proxy"})
serve(listen(port), proxy)
for name in (signal.SIGTERM, signal.SIGINT):
    signal.signal(name, lambda *_: os._exit(0))
print("READY", flush=True)
while True:
    eventlet.sleep(3600)
