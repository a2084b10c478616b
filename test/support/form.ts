/** A part of a form: a field, or a file if it has a `filename`. */
export interface Part {
  readonly name: string
  readonly filename?: string
  readonly content: string | Uint8Array
}

const boundary = 'a-boundary'

/** The media type of {@link form}. */
export const formType = `multipart/form-data; boundary=${boundary}`

/** A whole form, byte for byte, even one that a client library would refuse to write. */
export function form(...parts: readonly Part[]): Buffer<ArrayBuffer> {
  const chunks = parts.flatMap(({ name, filename, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]
  })
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
}
