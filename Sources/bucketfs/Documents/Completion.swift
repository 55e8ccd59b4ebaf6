/// Completion for shells, from the command table.
enum Completion {
  /// For bash.
  static var bash: String {
    var text = """
      # bash completion for bucketfs, made by the program itself.
      _bucketfs() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          mapfile -t COMPREPLY < <(compgen -W '\(words(CommandTable.shown.map(\.name))) help --help --version' -- "$word")
          return
        fi
        case $command in

      """
    for command in CommandTable.shown {
      let options = Invocation.options(of: command)
      text += "    \(command.name))\n      case $before in\n"
      for option in options where option.value != nil {
        text +=
          "        \(option.forms.joined(separator: "|"))) \(bashAction(option.kind, command, option)); return ;;\n"
      }
      text += "      esac\n      case $word in\n"
      text += "        -*) mapfile -t COMPREPLY < <(compgen -W '\(words(options.flatMap(\.forms)))' -- \"$word\") ;;\n"
      text += "        *) \(bashAction(command.operandKind, command, nil)) ;;\n      esac ;;\n"
    }
    return text + "  esac\n}\ncomplete -o filenames -F _bucketfs bucketfs\n"
  }

  private static func bashAction(
    _ kind: CommandDescription.Kind, _ command: CommandDescription, _ option: OptionDescription?
  ) -> String {
    if option?.letter == "o", command.name == "mount" {
      return "mapfile -t COMPREPLY < <(compgen -W '\(words(mountOptions))' -- \"$word\")"
    }
    return switch kind {
    case .path: "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
    case .folder: "mapfile -t COMPREPLY < <(compgen -d -- \"$word\")"
    case .nothing: ":"
    case .oneOf(let choices): "mapfile -t COMPREPLY < <(compgen -W '\(words(choices))' -- \"$word\")"
    }
  }

  /// For zsh.
  static var zsh: String {
    var text = "#compdef bucketfs\n# zsh completion for bucketfs, made by the program itself.\n_bucketfs() {\n"
    text += "  local -a commands\n  commands=(\n"
    for command in CommandTable.shown { text += "    '\(command.name):\(quoted(command.summary))'\n" }
    text += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
    text += "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n"
    for command in CommandTable.shown {
      text += "    \(command.name)) _arguments"
      for option in Invocation.options(of: command) {
        for form in option.forms {
          let help = quoted(option.help).replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: ",")
          let value = option.value.map { ":\($0):\(zshAction(option.kind, option))" } ?? ""
          text += " \\\n      '*\(form)[\(help)]\(value)'"
        }
      }
      text +=
        " \\\n      '*:\(command.operands[0].replacing(":", with: "")):\(zshAction(command.operandKind, nil))' ;;\n"
    }
    return text + "  esac\n}\n_bucketfs \"$@\"\n"
  }

  private static func zshAction(_ kind: CommandDescription.Kind, _ option: OptionDescription?) -> String {
    if option?.letter == "o" { return "(\(words(mountOptions)))" }
    return switch kind {
    case .path: "_files"
    case .folder: "_files -/"
    case .nothing: " "
    case .oneOf(let choices): "(\(words(choices)))"
    }
  }

  /// For fish.
  static var fish: String {
    var text = "# fish completion for bucketfs, made by the program itself.\n"
    let all = words(CommandTable.shown.map(\.name))
    for command in CommandTable.shown {
      text += "complete -c bucketfs -f -n 'not __fish_seen_subcommand_from \(all)' -a \(command.name)"
      text += " -d '\(quoted(command.summary))'\n"
      let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
      if command.operandKind == .folder {
        text += "complete -c bucketfs \(condition) -f -a '(__fish_complete_directories)'\n"
      }
      for option in Invocation.options(of: command) {
        text += "complete -c bucketfs \(condition)"
        if let letter = option.letter { text += " -s \(letter)" }
        if let name = option.name { text += " -l \(name)" }
        if option.value != nil { text += " -r" }
        if option.letter == "o" {
          text += " -a '\(words(mountOptions))'"
        } else if case .oneOf(let choices) = option.kind {
          text += " -f -a '\(words(choices))'"
        }
        text += " -d '\(quoted(option.help))'\n"
      }
    }
    return text
  }

  private static var mountOptions: [String] {
    MountOptions.documented.flatMap { option in
      option.choices.isEmpty
        ? [option.name + (option.value == nil ? "" : "=")] : option.choices.map { "\(option.name)=\($0)" }
    }
  }

  private static func words(_ words: [String]) -> String { words.joined(separator: " ") }

  /// Text inside of single quotation marks.
  private static func quoted(_ text: String) -> String { text.replacing("'", with: "’") }
}
