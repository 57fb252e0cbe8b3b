# Made by `npm run generate`; edits are lost.
"""The version of this package: that of the server it was made with."""

__version__ = "0.1.0"
