import sys

counts, word, total = {}, b"", 0
for byte in sys.stdin.buffer.read() + b".":
    letter = bytes([byte])
    if letter.isalpha():
        word += letter.lower()
    elif word:
        counts[word] = counts.get(word, 0) + 1
        word, total = b"", total + 1
lines = sorted((-times, word.decode()) for word, times in counts.items())
sys.stdout.write("".join(f"{word} {-times}\r\n" for times, word in lines) + f"total {total}")
