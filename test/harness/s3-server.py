"""
An S3 server on loopback: OpenStack Swift with its S3 interface, as Debian ships it (python3-swift),
its four servers in one process. It wants a folder on a disk with extended attributes, and four free ports, the first
for S3; what it holds stays in the folder, so it can be killed and started again.

  /usr/bin/python3 s3-server.py FOLDER PORT PORT PORT PORT ACCESS_KEY SECRET_KEY

It prints a line once it listens, and ends with its standard input.
"""

import array
import os
import pwd
import sys
import time

folder, keys = sys.argv[1], sys.argv[6:8]
ports = dict(zip(("proxy", "account", "container", "object"), map(int, sys.argv[2:6])))
user, _, login = keys[0].partition(":")


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


os.makedirs(os.path.join(folder, "disk"), exist_ok=True)
try:
    os.setxattr(os.path.join(folder, "disk"), "user.stave", b"1")
except OSError as error:
    sys.exit(f"{folder} takes no extended attributes: {error}")
write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = stave\n\n[storage-policy:0]\nname = one\ndefault = yes\n")

import swift.common.utils  # noqa: E402

# Other modules of Swift read this when they are imported, so set it first.
swift.common.utils.SWIFT_CONF_FILE = os.path.join(folder, "swift.conf")

import eventlet  # noqa: E402

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402
from swift.common.http_protocol import SwiftHttpProtocol  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

COMMON = f"""[DEFAULT]
swift_dir = {folder}
devices = {folder}
mount_check = false
user = {pwd.getpwuid(os.getuid()).pw_name}
log_level = ERROR
log_address = {folder}/no-syslog
fallocate_reserve = 0
"""

PIPELINE = "catch_errors gatekeeper listing_formats s3api tempauth copy slo dlo proxy-server"
FILTERS = "".join(
    f"\n[filter:{name}]\nuse = egg:swift#{name}\n"
    for name in ("catch_errors", "gatekeeper", "listing_formats", "copy", "slo", "dlo")
)


def configuration(name):
    if name != "proxy":
        return COMMON + f"\n[pipeline:main]\npipeline = {name}-server\n\n[app:{name}-server]\nuse = egg:swift#{name}\n"
    return COMMON + f"""
[pipeline:main]
pipeline = {PIPELINE}

[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
{FILTERS}
[filter:tempauth]
use = egg:swift#tempauth
user_{user}_{login} = {keys[1]} .admin

[filter:s3api]
use = egg:swift#s3api
s3_acl = false
dns_compliant_bucket_names = true
location = us-east-1
"""


for name in ("account", "container", "object"):
    device = {
        "id": 0, "zone": 0, "region": 1, "weight": 1, "device": "disk", "meta": "",
        "ip": "127.0.0.1", "port": ports[name],
        "replication_ip": "127.0.0.1", "replication_port": ports[name],
    }
    # One partition with one copy on the one device.
    RingData([array.array("H", [0])], [device], 32).save(os.path.join(folder, f"{name}.ring.gz"))


class Cache:
    """What memcached would do, in this one process."""

    def __init__(self):
        self.held = {}

    def get(self, key, *_, **__):
        value, until = self.held.get(key, (None, 0))
        return value if until > time.time() else None

    def set(self, key, value, **options):
        self.held[key] = (value, time.time() + (options.get("time") or 3600))

    def delete(self, key, *_, **__):
        self.held.pop(key, None)


def with_cache(app):
    cache = Cache()

    def call(env, start_response):
        env["swift.cache"] = cache
        return app(env, start_response)

    return call


class Silent:
    def write(self, *_):
        pass


for name in ("object", "container", "account", "proxy"):
    app = loadapp(write(f"{name}.conf", configuration(name)), global_conf={"log_name": name})
    app = with_cache(app) if name == "proxy" else app
    listener = eventlet.listen(("127.0.0.1", ports[name]))
    eventlet.spawn(
        wsgi.server, listener, app, Silent(), protocol=SwiftHttpProtocol,
        capitalize_response_headers=False, log_output=False, max_size=256,
    )

print("listening", flush=True)
# The parent process holds the other end of stdin, so this process ends when the test dies.
while eventlet.tpool.execute(os.read, 0, 1):
    pass
os._exit(0)
