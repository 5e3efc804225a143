"""A method of one's own: the answer is the last number of the question."""
import json
import re
import sys

asked = json.loads(sys.stdin.readline())
numbers = re.findall(r"\d+", asked["question"])
usage = {"prompt_tokens": 0, "generated_tokens": 0, "calls": 0}
print(json.dumps({"answer": numbers[-1] if numbers else None, "usage": usage}))
