"""The full-size training step in PyTorch, the peer of bench/training-step.ts. Reads a number of steps from each line of
standard input, runs them, and answers the seconds that each took as a JSON array. Needs torch (Debian: python3-torch)."""

import json
import sys
import time

import torch

N, D, d, H, C, T = (int(value) for value in sys.argv[1:7])
threads = int(sys.argv[7])
torch.set_num_threads(threads)
torch.manual_seed(0)

def layer(rows, columns):
    return torch.nn.Parameter(torch.randn(rows, columns) * (2 / rows) ** 0.5), torch.nn.Parameter(torch.zeros(columns))

g1, gb1 = layer(2 * d, H)
g2, gb2 = layer(H, D)
f1, fb1 = layer(D, H)
f2, fb2 = layer(H, d)
optimiser = torch.optim.Adam([g1, gb1, g2, gb2, f1, fb1, f2, fb2], lr=1e-4)

real = torch.rand(N, D)
labels = torch.randint(0, C, (N,))
attributes = torch.randn(C, d)

def unit(x):
    return x / (x.pow(2).sum(1, keepdim=True) + 1e-12).sqrt()

def ipot(cost):
    kernel = torch.exp(-cost / 0.5)
    a = torch.full((N, 1), 1 / N)
    plan = None
    for _ in range(T):
        k = kernel if plan is None else kernel * plan
        b = (1 / N) / (a.t() @ k)
        a = (1 / N) / (k @ b.t())
        plan = k * a * b
    return plan

def nca(x):
    predicted = torch.relu(x @ f1 + fb1) @ f2 + fb2
    return torch.nn.functional.cross_entropy(0.5 * unit(predicted) @ unit(attributes).t(), labels)

def step():
    noise = torch.randn(N, d)
    hidden = torch.relu(torch.cat([attributes[labels], noise], 1) @ g1 + gb1)
    generated = torch.relu(hidden @ g2 + gb2)
    cost = 1 - unit(real) @ unit(generated).t()
    with torch.no_grad():
        plan = ipot(cost)
    loss = (plan * cost).sum() + 0.05 * (nca(real) + nca(generated))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.item()

for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    print(json.dumps(times), flush=True)
