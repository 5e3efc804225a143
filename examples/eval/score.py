"""A scorer of one's own: 1 for the right number, 0.5 for one that is off by at most a tenth."""
import json
import sys

given = json.loads(sys.stdin.readline())
right = float(given["gold"][0])
try:
    off = abs(float(given["answer"]) - right)
    score = 1.0 if off == 0 else 0.5 if off <= abs(right) / 10 else 0.0
except ValueError:
    score = 0.0
print(json.dumps({"score": score}))
