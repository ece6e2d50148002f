"""`python -m deepgym` is the command `deepgym`."""

from deepgym.cli import main

if __name__ == "__main__":
    main()
