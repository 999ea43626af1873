"""`python -m evenscale` is the command line."""

from evenscale.cli import main

if __name__ == "__main__":
    main()
