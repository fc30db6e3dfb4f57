import sys

try:
    from .cli import main
except ImportError as error:
    print(f"achilles: error: {error}", file=sys.stderr)
    sys.exit(1)

sys.exit(main())
