import re
import sys
from collections import Counter

words = [word.lower() for word in re.findall("[A-Za-z]+", sys.stdin.read())]
for word, times in sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])):
    print(word, times)
print("total", len(words))
