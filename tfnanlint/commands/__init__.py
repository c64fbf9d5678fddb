"""The subcommands: a module each, with `run(arguments) -> exit status`, imported only when it is asked for."""
