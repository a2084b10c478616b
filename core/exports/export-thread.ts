import { AskedThread } from '../base/asked-thread.ts'
import { describe, type Source } from '../describe/describe.ts'
import type { ExportQuestion } from './export-worker.ts'
import type { ExportFormat } from './format.ts'
import { writtenFormats } from './registry.ts'

/** Characters of the JSON of a record from which on some format takes more than 20 ms to write. */
const largeLength = 65_536

/**
 * Writes records in other formats: large ones on a thread, beside the event loop. Formats of the
 * configuration are code of this process, and are always written here.
 */
export class ExportThread implements AsyncDisposable {
  readonly #thread = new AskedThread<ExportQuestion, string>(
    import.meta.url,
    'export-worker',
    'exports',
  )

  async write(source: Source, format: ExportFormat, style?: string): Promise<string> {
    const text = writtenFormats.includes(format) ? JSON.stringify(source) : ''
    return text.length < largeLength
      ? format.write(describe(source), style)
      : this.#thread.ask({ source: text, name: format.name, style })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}
