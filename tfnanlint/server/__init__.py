"""The language server: findings in the texts that an editor holds, and their fixes."""
