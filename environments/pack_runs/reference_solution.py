def pack(text):
    packed = []
    at = 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at]:
            end += 1
        length = end - at
        if length >= 4 or text[at] == "#":
            packed.append(f"#{length}:{text[at]}")
        else:
            packed.append(text[at:end])
        at = end
    return "".join(packed)


def unpack(packed):
    text = []
    at = 0
    while at < len(packed):
        if packed[at] == "#":
            colon = packed.find(":", at)
            if colon == -1 or colon + 1 == len(packed):
                raise ValueError(f"no run at {at}")
            text.append(packed[colon + 1] * int(packed[at + 1 : colon]))
            at = colon + 2
        else:
            text.append(packed[at])
            at += 1
    result = "".join(text)
    if pack(result) != packed:
        raise ValueError("pack writes this text in another way")
    return result
