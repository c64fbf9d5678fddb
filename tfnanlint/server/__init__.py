"""The language server: what is found in the texts that an editor holds, and the repairs it can make of them."""
