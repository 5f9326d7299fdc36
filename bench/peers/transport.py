"""IPOT as a plain NumPy loop, the peer of bench/transport.ts. Reads a number of solves from each line of standard input
and answers the seconds that each took, and the last cost, as JSON. Needs numpy (Debian: python3-numpy)."""

import json
import sys
import time

import numpy as np

N, M, T = (int(value) for value in sys.argv[1:4])
costs = np.fromfile(sys.argv[4], dtype=np.float32).reshape(N, M)

def ipot(cost, lam=0.5):
    kernel = np.exp(-cost / lam)
    a = np.full((N, 1), 1 / N, dtype=np.float32)
    plan = np.full((N, M), 1 / (N * M), dtype=np.float32)
    for _ in range(T):
        k = kernel * plan
        b = np.float32(1 / M) / (k.T @ a)
        a = np.float32(1 / N) / (k @ b)
        plan = a * k * b.T
    return plan

for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        start = time.perf_counter()
        plan = ipot(costs)
        times.append(time.perf_counter() - start)
    print(json.dumps({"times": times, "cost": float((plan * costs).sum())}), flush=True)
