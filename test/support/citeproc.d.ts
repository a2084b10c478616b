/** The part of citeproc that tests use; it brings no types. */
declare module 'citeproc' {
  interface Engine {
    setOutputFormat(format: 'text'): void
    updateItems(ids: readonly string[]): void
    makeBibliography(): readonly [unknown, readonly string[]] | false
  }
  const CSL: {
    readonly Engine: new (
      sys: {
        readonly retrieveLocale: (language: string) => string
        readonly retrieveItem: (id: string) => unknown
      },
      style: string,
      language: string,
      force: boolean,
    ) => Engine
  }
  export default CSL
}
