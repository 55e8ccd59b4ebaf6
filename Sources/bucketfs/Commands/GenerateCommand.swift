/// `bucketfs generate`: what is installed beside the program and follows from the command table.
struct GenerateCommand {
  private static let kinds = ["man", "man-mount", "bash", "zsh", "fish"]

  static let description = CommandDescription(
    name: "generate", summary: "print a manual page or completion", operands: [kinds.joined(separator: "|")],
    operandKind: .oneOf(kinds), count: 1...1, options: [], details: [], isHidden: true,
    run: { invocation throws(Command.Failure) in
      switch invocation.operands[0].text {
      case "man": Output.print(ManualPage.command)
      case "man-mount": Output.print(ManualPage.mount)
      case "bash": Output.print(Completion.bash)
      case "zsh": Output.print(Completion.zsh)
      case "fish": Output.print(Completion.fish)
      default: throw .usage("generate takes one of \(kinds.joined(separator: ", "))")
      }
    })
}
