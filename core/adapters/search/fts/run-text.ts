import type { Run } from '../../../search/document-terms.ts'
import { gapToken } from '../../../search/field-tokens.ts'

/** Tokens that are joined to one string at a time: a million strings take many times their text. */
const joinedTokens = 1000

/** The text of a column: runs of tokens, with a gap between them that no phrase reaches across. */
export class RunText {
  #text = ''
  #tokens: string[] = []

  add(run: Run): void {
    if (run.length === 0) return
    if (this.#text !== '' || this.#tokens.length > 0) this.#tokens.push(gapToken)
    for (const token of run) {
      this.#tokens.push(token)
      if (this.#tokens.length >= joinedTokens) this.#join()
    }
  }

  toString(): string {
    this.#join()
    return this.#text
  }

  #join(): void {
    if (this.#tokens.length === 0) return
    const joined = this.#tokens.join(' ')
    this.#text = this.#text === '' ? joined : `${this.#text} ${joined}`
    this.#tokens = []
  }
}
