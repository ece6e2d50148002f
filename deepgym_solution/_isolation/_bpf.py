"""A classic-BPF assembler as small as a system-call filter needs.

A *block* is a piece of program that ends in a return on every path. Blocks nest: a test takes the block for
yes and the block for no and is a block again, so all jumps go forward over blocks of known length and no
labels are needed. Nothing here knows a system call; nothing here talks to the kernel.
"""

import struct
from typing import NamedTuple

# linux/bpf_common.h
_LOAD_WORD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_JUMP = 0x05  # BPF_JMP | BPF_JA
_RETURN = 0x06  # BPF_RET | BPF_K
EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K

# Where struct seccomp_data holds its fields. Both machines are little-endian: the low half comes first.
_NUMBER_OFFSET = 0
_ARCH_OFFSET = 4
_ARGUMENTS_OFFSET = 16

# A conditional jump's offsets are one byte each.
_LONGEST_CONDITIONAL_JUMP = 255
# BPF_MAXINSNS: the kernel refuses longer programs.
MAX_INSTRUCTIONS = 4096


class Instruction(NamedTuple):
    """One struct sock_filter."""

    code: int
    jump_true: int
    jump_false: int
    value: int


Block = tuple[Instruction, ...]


def returning(action: int) -> Block:
    """The block that ends the filter with this action."""
    return (Instruction(_RETURN, 0, 0, action),)


def with_number(block: Block) -> Block:
    """Run the block on the number of the system call."""
    return _loading(_NUMBER_OFFSET, block)


def with_arch(block: Block) -> Block:
    """Run the block on the AUDIT_ARCH value of the calling convention."""
    return _loading(_ARCH_OFFSET, block)


def with_argument(index: int, block: Block) -> Block:
    """Run the block on the low 32 bits of an argument.

    Only arguments that the kernel itself cuts to 32 bits may be judged by them.
    """
    return _loading(_ARGUMENTS_OFFSET + 8 * index, block)


def masked(mask: int, block: Block) -> Block:
    """Run the block on the loaded value's bits that are in the mask."""
    return (Instruction(_AND, 0, 0, mask), *block)


def when(test: int, value: int, yes: Block, no: Block) -> Block:
    """Run one of two blocks.

    Args:
        test: EQUAL, AT_LEAST or ANY_BIT.
        value: What the loaded value is compared with.
        yes: Runs when the test holds.
        no: Runs when it does not.
    """
    if len(yes) <= _LONGEST_CONDITIONAL_JUMP:
        return (Instruction(test, 0, len(yes), value), *yes, *no)
    return (Instruction(test, 1, 0, value), Instruction(_JUMP, 0, 0, len(yes)), *yes, *no)


def when_any_of(values: tuple[int, ...], yes: Block, no: Block) -> Block:
    """Run `yes` when the loaded value is one of the values, else `no`."""
    for value in values:
        no = when(EQUAL, value, yes, no)
    return no


def encode(program: Block) -> bytes:
    """The program as the kernel's array of struct sock_filter.

    Raises:
        ValueError: The program is longer than the kernel takes.
    """
    if len(program) > MAX_INSTRUCTIONS:
        raise ValueError(f"a filter of {len(program)} instructions is over the kernel's {MAX_INSTRUCTIONS}")
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _loading(offset: int, block: Block) -> Block:
    return (Instruction(_LOAD_WORD, 0, 0, offset), *block)
