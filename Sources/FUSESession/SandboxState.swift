package import SystemCalls

/// What the daemon has given up, for its report: as the thread that answers finds it.
package struct SandboxState: Sendable {
  private let landlock: Int
  private let unmounter: Int32?
  private let names: [(capability: Capabilities, name: StaticString)]

  /// - Parameters:
  ///   - landlock: the version of Landlock that is in force; 0 for none.
  ///   - unmounter: the process that takes the mount away.
  ///   - names: what capabilities are called.
  package init(landlock: Int, unmounter: Int32?, names: [(capability: Capabilities, name: StaticString)]) {
    self.landlock = landlock
    self.unmounter = unmounter
    self.names = names
  }

  /// The capabilities that the calling thread could use: those with a name by it, `others` for the rest.
  package var capabilities: [StaticString] {
    let permitted = System.capabilities.permitted
    let named = names.filter { permitted.contains($0.capability) }
    let isAll = permitted.subtracting(named.reduce(into: []) { $0.formUnion($1.capability) }).isEmpty
    return named.map(\.name) + (isAll ? [] : ["others"])
  }

  /// Appends the member `sandbox`: `landlock`, a version or 0; `noNewPrivileges`; `capabilities`, names of those that are
  /// left; `unmounter`, a pid, where there is one.
  func append(to output: inout ByteBuffer) {
    output.append(",\"sandbox\":{\"landlock\":")
    output.append(decimal: UInt64(landlock))
    output.append(",\"noNewPrivileges\":")
    output.append(System.hasNoNewPrivileges ? "true" : "false")
    output.append(",\"capabilities\":[")
    var isFirst = true
    for name in capabilities {
      output.append(isFirst ? "\"" : ",\"")
      output.append(name)
      output.append("\"")
      isFirst = false
    }
    output.append("]")
    if let unmounter {
      output.append(",\"unmounter\":")
      output.append(decimal: UInt64(unmounter))
    }
    output.append("}")
  }
}
