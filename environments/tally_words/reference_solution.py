import re
import sys
from collections import Counter

words = re.findall("[a-z]+", sys.stdin.read().lower().replace("\u212a", "-"))
for word, times in sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])):
    print(word, times)
print("total", len(words))
