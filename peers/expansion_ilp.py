#!/usr/bin/env python3
"""The expansion e_k of a topology as an integer program, solved by HiGHS.

    pip install highspy
    python3 expansion_ilp.py TOPOLOGY.json [--k 6] [--time-s 60] [--threads 1]

TOPOLOGY.json follows schema octopus.topology/1. A binary x_s says that server s
is hot, y_m that MPD m is reached by a hot server:

    minimise  sum y_m   where  sum x_s = k  and  y_m >= x_s for every link.

y needs no integrality: at the least sum it is the largest x_s of its MPD.
Exit status: 0 solved, 2 unusable input, 3 not solved in time.
"""

import argparse
import json
import sys
import time

import highspy

SCHEMA = "octopus.topology/1"


def read(path):
    """The number of servers and the server list of each MPD."""
    try:
        with sys.stdin if path == "-" else open(path, encoding="utf-8") as file:
            pod = json.load(file)
        if pod.get("schema") != SCHEMA:
            raise ValueError(f"schema is {pod.get('schema')!r}, expected {SCHEMA!r}")
        servers, mpds = pod["servers"], pod["mpds"]
        if any(not 0 <= server < servers for mpd in mpds for server in mpd):
            raise ValueError(f"mpds names a server that is not below {servers}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        sys.exit(2)
    return servers, mpds


def model(servers, mpds, k):
    """The program, and the variables x_s."""
    highs = highspy.Highs()
    highs.silent()
    x = [highs.addBinary() for _ in range(servers)]
    y = [highs.addVariable(lb=0, ub=1, obj=1) for _ in mpds]
    highs.addConstr(sum(x[1:], start=x[0] + 0) == k)
    for reached, mpd in zip(y, mpds):
        for server in mpd:
            highs.addConstr(reached - x[server] >= 0)
    return highs, x


def main():
    parser = argparse.ArgumentParser(description="e_k as an integer program (HiGHS)")
    parser.add_argument("topology", help="a topology file, or - for standard input")
    parser.add_argument("--k", type=int, default=6)
    parser.add_argument("--time-s", type=float, default=60.0)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    servers, mpds = read(arguments.topology)
    if not 1 <= arguments.k <= servers:
        print(f"--k is {arguments.k}, expected 1 to {servers}", file=sys.stderr)
        sys.exit(2)

    highs, x = model(servers, mpds, arguments.k)
    highs.setOptionValue("time_limit", arguments.time_s)
    highs.setOptionValue("threads", arguments.threads)
    # |N(U)| is whole, so a gap below 1 is a proof
    highs.setOptionValue("mip_abs_gap", 0.999)
    highs.setOptionValue("mip_rel_gap", 0.0)
    start = time.monotonic()
    highs.minimize()
    seconds = time.monotonic() - start

    info = highs.getInfo()
    print(f"k                 {arguments.k}")
    print(f"lower bound       {info.mip_dual_bound:.3f}")
    hot = []
    if info.primal_solution_status == 2:
        hot = [server for server in range(servers) if highs.val(x[server]) > 0.5]
        reached = sum(any(server in mpd for server in hot) for mpd in mpds)
        print(f"incumbent         {reached}")
        print(f"servers           {hot}")
    else:
        print("incumbent         none")
    print(f"branch-and-bound nodes {info.mip_node_count}")
    print(f"seconds           {seconds:.1f}")
    solved = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    print(f"solved            {'yes' if solved else 'no'}")
    sys.exit(0 if solved else 3)


if __name__ == "__main__":
    main()
