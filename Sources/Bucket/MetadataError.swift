/// Why a change of metadata is refused, or a read has no answer. Nothing was changed.
package enum MetadataError: Error, Hashable, Sendable {
  /// The value cannot be stored.
  case value(ValueError)
  /// The name is of a namespace that no object has.
  case unsupportedName
  /// A custom entry needs a key.
  case emptyKey
  /// A key of more than 1,024 bytes.
  case keyTooLong
  /// The keys and values of the object's custom metadata together would pass their limit.
  case customMetadataFull
  /// The property cannot be set by anyone.
  case readOnlyProperty
  /// Folders do not have the property.
  case notOnFolders
  /// It is not set.
  case notSet
  /// It is set, and was to be created.
  case alreadySet
  /// It was to be created and replaced at once, or flags were given where none can mean anything.
  case conflictingFlags
  /// Not the JSON that was asked for.
  case malformedJSON
  /// An update names what is no property.
  case unknownMember
  /// The object has another generation than the update asks for.
  case generationMismatch
  /// The object has another metageneration than the update asks for.
  case metagenerationMismatch
  /// The content has another digest than the one that was to be stored.
  case digestMismatch
}
