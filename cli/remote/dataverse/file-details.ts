/** What is said of a file to the interface. */
export interface FileDetails {
  readonly fileName: string
  readonly directoryLabel?: string
  readonly mimeType: string
  readonly restrict: boolean
  readonly tabIngest: boolean
}
