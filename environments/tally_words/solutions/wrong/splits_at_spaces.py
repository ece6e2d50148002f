import sys
from collections import Counter

words = sys.stdin.read().lower().split()
for word, times in sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])):
    print(word, times)
print("total", len(words))
