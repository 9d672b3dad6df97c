#!/usr/bin/env python3
"""A random pod of 96 eight-port servers and 192 four-port MPDs, as JSON.

    python3 random_pod.py SEED > pod.json

Ports are matched by chance; a server twice on an MPD is exchanged away, servers
that share several MPDs are left alone.
"""

import json
import random
import sys

SERVERS, PORTS, WIDTH = 96, 8, 4


def doubled(ends, at):
    """Whether the server at a port stands on the same MPD twice."""
    start = at // WIDTH * WIDTH
    return ends[start : start + WIDTH].count(ends[at]) > 1


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        print("usage: random_pod.py SEED", file=sys.stderr)
        sys.exit(2)
    draw = random.Random(int(sys.argv[1]))
    ends = [server for server in range(SERVERS) for _ in range(PORTS)]
    draw.shuffle(ends)
    while (at := next((p for p in range(len(ends)) if doubled(ends, p)), None)) is not None:
        other = draw.randrange(len(ends))
        ends[at], ends[other] = ends[other], ends[at]
        if doubled(ends, at) or doubled(ends, other):
            ends[at], ends[other] = ends[other], ends[at]
    mpds = [sorted(ends[m : m + WIDTH]) for m in range(0, len(ends), WIDTH)]
    pod = {
        "schema": "octopus.topology/1",
        "name": f"random-96-{sys.argv[1]}",
        "server_ports": PORTS,
        "mpd_ports": WIDTH,
        "servers": SERVERS,
        "mpds": mpds,
    }
    json.dump(pod, sys.stdout)
    print()


if __name__ == "__main__":
    main()
