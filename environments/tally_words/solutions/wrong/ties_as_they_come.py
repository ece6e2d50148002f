import re
import sys
from collections import Counter

words = re.findall("[a-z]+", sys.stdin.read().lower())
for word, times in Counter(words).most_common():
    print(word, times)
print("total", len(words))
