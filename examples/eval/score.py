"""A scorer of one's own: 1 for the right number, 0.5 for one that is off by at most a tenth."""
import json
import re
import sys
from fractions import Fraction


def number(text):
    """The first number of a text such as `420 coins`, `17/6` or `1,200`; None where there is none."""
    found = re.search(r"-?\d[\d,]*(\.\d+|/\d+)?", text)
    return Fraction(found[0].replace(",", "")) if found else None


given = json.loads(sys.stdin.readline())
right, said = number(given["gold"][0]), number(given["answer"])
if said is None:
    score = 0.0
else:
    off = abs(said - right)
    score = 1.0 if off < Fraction(1, 1_000_000) else 0.5 if off <= abs(right) / 10 else 0.0
print(json.dumps({"score": score}))
