@rem npm scripts begin with exec, so that a signal to npm reaches Node instead of a shell. cmd.exe has no exec: this is it.
@%*
