#!/usr/bin/env python3
"""Writes the reference values of agon-eval's statistics, beside this script.

Run it in an environment with the packages of versions.txt, which it writes as well:

    python3 -m venv venv && venv/bin/pip install statsmodels scipy numpy mpmath && venv/bin/python make.py

Wilson and Holm come from statsmodels, McNemar's exact test from statsmodels (binomial form). McNemar's mid-p and the power of
the exact test are summed over scipy's binomial distribution. statsmodels has neither Tango's interval of paired rates nor
Krippendorff's alpha: Tango's is solved by bisection in 50 digits from the constrained likelihood itself, that is, the rival's
chance is found as the root of its derivative and not by the closed form; alpha is computed from the coincidence matrix
(Krippendorff 2011) in fractions. Brier's score and its parts are computed in fractions, the calibration error by numpy's
array_split over sorted chances, E by mpmath in 50 digits. Samples come from a fixed seed.
"""
import csv
import os
import random
from fractions import Fraction as F

import mpmath as mp
import numpy as np
import scipy
import statsmodels
from scipy.stats import binom
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

mp.mp.dps = 50
HERE = os.path.dirname(os.path.abspath(__file__))
DRAW = random.Random(20261123)


def write(name, head, rows):
    with open(os.path.join(HERE, name), "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(head)
        out.writerows(rows)


def number(value):
    return repr(float(value))


def wilson():
    for n in (1, 2, 10, 37, 324, 10000):
        for hits in sorted({0, 1, n // 3, n // 2, n - 1, n}):
            for level in (0.9, 0.95, 0.99):
                low, high = proportion_confint(hits, n, alpha=1 - level, method="wilson")
                yield hits, n, level, number(low), number(high)


def tango_score(b, c, n, d):
    """The score of a supposed difference d: the rival's chance maximises the likelihood of (b, c, n - b - c) at (q + d, q, 1 - 2 q - d)."""
    b, c, n, d = map(mp.mpf, (b, c, n, d))

    def slope(q):
        parts = [(b, q + d, 1), (c, q, 1), (n - b - c, 1 - 2 * q - d, -2)]
        return sum(count * sign / chance for count, chance, sign in parts if count > 0)

    low, high = max(mp.mpf(0), -d), (1 - d) / 2
    edge = mp.mpf(10) ** -45
    if slope(low + edge) <= 0:
        q = low
    elif slope(high - edge) >= 0:
        q = high
    else:
        a, z = low + edge, high - edge
        for _ in range(170):
            middle = (a + z) / 2
            a, z = (middle, z) if slope(middle) > 0 else (a, middle)
        q = (a + z) / 2
    variance = n * (2 * q + d * (1 - d))
    return (b - c - n * d) / mp.sqrt(variance)


def tango():
    cases = [(0, 0, 100), (0, 0, 10), (5, 0, 20), (0, 7, 20), (1, 9, 44), (40, 22, 324), (53, 28, 324), (12, 12, 60), (3, 1, 10), (300, 250, 3000)]
    for b, c, n in cases:
        for level in (0.9, 0.95, 0.99):
            z = mp.sqrt(2) * mp.erfinv(mp.mpf(level))
            bounds = []
            for wanted, start, end in ((z, mp.mpf(-1), mp.mpf(b - c) / n), (-z, mp.mpf(b - c) / n, mp.mpf(1))):
                a, e = start, end
                for _ in range(60):
                    middle = (a + e) / 2
                    a, e = (middle, e) if tango_score(b, c, n, middle) > wanted else (a, middle)
                bounds.append((a + e) / 2)
            yield b, c, n, level, number(bounds[0]), number(bounds[1])


def mcnemars():
    for b, c in [(0, 0), (1, 0), (0, 6), (5, 5), (10, 3), (53, 28), (40, 22), (120, 90), (1000, 900), (7, 8)]:
        exact = mcnemar([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
        here = binom.pmf(min(b, c), b + c, 0.5)
        mid = 1.0 if b + c == 0 else 1 - here / 2 if b == c else 2 * binom.cdf(min(b, c), b + c, 0.5) - here
        yield b, c, number(min(1.0, exact)), number(mid)


def holms():
    for case, size in enumerate((1, 2, 3, 5, 12)):
        p = [round(DRAW.random() ** 3, 6) for _ in range(size)]
        if size == 5:
            p[1] = p[3]
        for raw, adjusted in zip(p, multipletests(p, method="holm")[1]):
            yield case, raw, number(adjusted)


def krippendorffs():
    for case in range(8):
        units = []
        for _ in range(6 + 5 * case):
            truth = DRAW.randrange(3)
            grades = [truth if DRAW.random() < 0.3 + 0.08 * case else DRAW.randrange(3) for _ in range(4)]
            units.append([grade if DRAW.random() < 0.8 else None for grade in grades])
        matrix = {}
        for unit in units:
            kept = [grade for grade in unit if grade is not None]
            for i, one in enumerate(kept):
                for j, other in enumerate(kept):
                    if i != j:
                        matrix[one, other] = matrix.get((one, other), F(0)) + F(1, len(kept) - 1)
        n = sum(matrix.values())
        of = {grade: sum(value for (one, _), value in matrix.items() if one == grade) for grade in range(3)}
        observed = sum(value for (one, other), value in matrix.items() if one != other) / n
        expected = sum(of[one] * of[other] for one in of for other in of if one != other) / (n * (n - 1))
        text = " ".join("".join("." if grade is None else str(grade) for grade in unit) for unit in units)
        yield text, number(1 - observed / expected)


def forecasts(count, ties):
    for _ in range(count):
        chance = F(DRAW.randrange(1, 8), 8) if ties else F(DRAW.randrange(10**12), 10**12)
        yield chance, DRAW.random() < float(chance) ** 1.3


def calibrations():
    for ties, count in ((False, 10), (False, 200), (False, 1000), (True, 60), (True, 400)):
        items = list(forecasts(count, ties))
        chances = [chance for chance, _ in items]
        assert ties or len(set(chances)) == count
        base = F(sum(right for _, right in items), count)
        groups = {}
        for chance, right in items:
            groups.setdefault(chance, []).append(right)
        score = sum((chance - right) ** 2 for chance, right in items) / count
        reliability = sum(len(g) * (chance - F(sum(g), len(g))) ** 2 for chance, g in groups.items()) / count
        resolution = sum(len(g) * (F(sum(g), len(g)) - base) ** 2 for g in groups.values()) / count
        ece = ""
        if not ties:
            order = sorted(items)
            bins = np.array_split(np.arange(count), 10)
            ece = number(sum(abs(sum(order[i][0] - order[i][1] for i in part)) for part in bins) / count)
        text = " ".join(f"{float(chance)!r}:{int(right)}" for chance, right in items)
        yield text, number(score), number(reliability), number(resolution), number(base * (1 - base)), ece


def powers():
    for n, discordance, effect in [(20, 0.5, 0.3), (198, 0.15, 0.08), (197, 0.15, 0.08), (324, 0.25, 0.08), (817, 0.25, 0.05), (816, 0.25, 0.05), (207, 0.25, 0.1), (206, 0.25, 0.1), (3113, 0.35, 0.03), (448, 0.35, 0.0)]:
        power = 0.0
        for differ in range(n + 1):
            losses = max((k for k in range(differ // 2 + 1) if 2 * k < differ and 2 * binom.cdf(k, differ, 0.5) <= 0.05), default=None) if differ < 40 else None
            if differ >= 40:
                losses = int(binom.ppf(0.025, differ, 0.5))
                while 2 * binom.cdf(losses, differ, 0.5) > 0.05:
                    losses -= 1
            if losses is not None:
                wins = (1 + effect / discordance) / 2
                power += binom.pmf(differ, n, discordance) * (binom.cdf(losses, differ, wins) + binom.cdf(losses, differ, 1 - wins))
        yield n, discordance, effect, number(power)


def bets():
    grid = [mp.mpf(at) / 100 for at in range(1, 100)]
    weights = [(p * (1 - p)) ** 4 for p in grid]
    for count, mean in ((0, 0), (5, 0), (60, 0), (60, 0.03), (60, -0.2), (300, 0.03)):
        values = [DRAW.choice([-1.0, 0.0, 0.0, 0.5, 1.0]) for _ in range(count)]
        total = mp.mpf(0)
        for p, weight in zip(grid, weights):
            product = mp.mpf(1)
            for value in values:
                product *= 1 + (2 * p - 1) * (mp.mpf(value) - mp.mpf(mean)) / (1 + abs(mp.mpf(mean)))
            total += weight * product
        yield " ".join(map(repr, values)), mean, number(total / sum(weights))


write("wilson.csv", ["hits", "n", "level", "low", "high"], wilson())
write("tango.csv", ["arm_only", "rival_only", "n", "level", "low", "high"], tango())
write("mcnemar.csv", ["arm_only", "rival_only", "exact", "mid_p"], mcnemars())
write("holm.csv", ["case", "p", "adjusted"], holms())
write("krippendorff.csv", ["units", "alpha"], krippendorffs())
write("calibration.csv", ["forecasts", "score", "reliability", "resolution", "uncertainty", "error"], calibrations())
write("power.csv", ["n", "discordance", "effect", "power"], powers())
write("bets.csv", ["differences", "mean", "e"], bets())
with open(os.path.join(HERE, "versions.txt"), "w") as file:
    file.write(f"statsmodels=={statsmodels.__version__}\nscipy=={scipy.__version__}\nnumpy=={np.__version__}\nmpmath=={mp.__version__}\n")
