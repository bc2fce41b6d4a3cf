# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The parts of `make pictures` (scripts/pictures.py)."""
