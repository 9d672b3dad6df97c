#!/usr/bin/env python3
"""Least-loaded allocation on a pod, in pure Python or under SimPy.

    cargo run --release -p octopus-pool --example export -- FOLDER
    python3 peers/replay.py FOLDER [--simpy]     # pip install simpy

FOLDER holds events.csv and topology.json. Each GiB goes to the least loaded MPD
its server is wired to, the lowest-numbered of equals, and back when its VM ends.
Under SimPy every VM is a process that takes its memory, waits, and returns it.
Prints the highest load of any MPD inside the window, which has to be the one
that the Rust simulator prints, and events a second.
"""

import argparse
import csv
import json
import pathlib
import time


def read(folder):
    """The MPDs of each server, the number of MPDs, and the events."""
    with open(folder / "topology.json", encoding="utf-8") as file:
        pod = json.load(file)
    mpds_of = [[] for _ in range(pod["servers"])]
    for mpd, servers in enumerate(pod["mpds"]):
        for server in servers:
            mpds_of[server].append(mpd)
    with open(folder / "events.csv", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        events = [tuple(map(int, row)) for row in rows]
    return mpds_of, len(pod["mpds"]), events


def take(load, mpds, gib):
    """Allocates GiB by GiB and returns what each MPD gave."""
    given = {}
    for _ in range(gib):
        mpd = min(mpds, key=load.__getitem__)
        load[mpd] += 1
        given[mpd] = given.get(mpd, 0) + 1
    return given


def give_back(load, given):
    for mpd, gib in given.items():
        load[mpd] -= gib


def pure(mpds_of, mpds, events):
    load, held, peak, opened = [0] * mpds, {}, 0, False
    for _, arrives, vm, server, gib, inside in events:
        if inside and not opened:
            opened, peak = True, max(load)
        if arrives:
            held[vm] = given = take(load, mpds_of[server], gib)
            if inside:
                peak = max(peak, max(load[mpd] for mpd in given))
        else:
            give_back(load, held.pop(vm))
    return peak


def under_simpy(mpds_of, mpds, events):
    import simpy

    load, state = [0] * mpds, {"peak": 0, "opened": False}
    ends = {vm: time_s for time_s, arrives, vm, *_ in events if not arrives}
    first = events[0][0]
    environment = simpy.Environment(initial_time=first - 1)

    def open_window():
        if not state["opened"]:
            state["opened"], state["peak"] = True, max(load)

    def machine(time_s, vm, server, gib, inside):
        # departures before arrivals at equal times: arrivals come half a step late
        yield environment.timeout(time_s + 0.5 - environment.now)
        if inside:
            open_window()
        given = take(load, mpds_of[server], gib)
        if inside:
            state["peak"] = max(state["peak"], max(load[mpd] for mpd in given))
        if vm in ends:
            yield environment.timeout(ends[vm] + 0.25 - environment.now)
            give_back(load, given)

    for time_s, arrives, vm, server, gib, inside in events:
        if arrives:
            environment.process(machine(time_s, vm, server, gib, inside))
    environment.run()
    return state["peak"]


def main():
    parser = argparse.ArgumentParser(description="least-loaded allocation, for comparison")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--simpy", action="store_true", help="a process a VM")
    arguments = parser.parse_args()
    mpds_of, mpds, events = read(arguments.folder)
    play = under_simpy if arguments.simpy else pure
    start = time.monotonic()
    peak = play(mpds_of, mpds, events)
    seconds = time.monotonic() - start
    print(f"events            {len(events)}")
    print(f"peak of an MPD    {peak} GiB")
    print(f"events a second   {len(events) / seconds:.0f}")


if __name__ == "__main__":
    main()
