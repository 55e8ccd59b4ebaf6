/// All commands, in the order in which help has them.
enum CommandTable {
  static let commands: [CommandDescription] = [
    MountCommand.description,
    UnmountCommand.description,
    StatusCommand.description,
    ListCommand.description,
    StatCommand.description,
    SetCommand.description,
    SetCommand.unset,
    FindCommand.description,
    DumpCommand.description,
    ApplyCommand.description,
    ExportCommand.description,
    ImportCommand.description,
    CheckCommand.description,
    EjectCommand.description,
    GenerateCommand.description,
  ]

  /// Those that people are told of.
  static var shown: [CommandDescription] { commands.filter { !$0.isHidden } }
}
