/// Why a change of metadata did not happen.
package enum ChangeError<Refusal: Error>: Error {
  /// What was asked for is refused: the error of the change itself.
  case refused(Refusal)
  /// The record could not be read or written.
  case store(StoreError)
}
