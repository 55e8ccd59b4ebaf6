internal import SystemCalls

// A background daemon is forked off here, before any thread exists; everything else is in files of its own, since what
// stands in this one belongs to the main actor and could not be called from libfuse's threads.
exit(code: Command.run(System.commandLine.map { Argument(bytes: $0) }))
