/** A rehearsal has come to the first request that would change something. */
export class RehearsalEnd extends Error {
  /** What would be done: `publish 4f2a…`. */
  readonly tried: string

  constructor(tried: string) {
    super(`would ${tried}`)
    this.tried = tried
  }
}
