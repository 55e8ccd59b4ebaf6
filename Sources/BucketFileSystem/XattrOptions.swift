package import Bucket

/// What the person who mounts decides about xattrs.
package struct XattrOptions: Sendable {
  /// Which names are listed.
  package enum List: String, Sendable, CaseIterable {
    /// Those that are stored and may be written back.
    case stored
    /// All that can be read, but a digest that would have to be computed.
    case all
  }

  /// What becomes of a value that a copy brings along under the name of a read-only property.
  package enum Foreign: String, Sendable, CaseIterable {
    /// It is refused.
    case refuse
    /// It is kept as the custom entry of that key.
    case keep
  }

  package var list = List.stored
  package var names = PropertyNames.properties
  package var foreign = Foreign.refuse
  /// Whether an md5Hash that is set must be the content's.
  package var verifyMD5 = false

  package init() {}
}
