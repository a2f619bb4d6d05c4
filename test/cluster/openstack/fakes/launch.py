"""Runs one OpenStack program: launch.py PROGRAM MODULE [argument...].

Debian's daemon packages hold the usual start scripts; only their libraries are installed here.
"""
import importlib
import sys

program, module = sys.argv[1:3]
# The program's name ends up in its logs and in the user agent of its requests.
sys.argv[:3] = [program]
sys.exit(importlib.import_module(module).main())
