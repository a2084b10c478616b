/** A part of a form as it is written: a field, or a file where it has a `filename`. */
export interface Part {
  readonly name: string
  readonly filename?: string
  readonly content: string | Uint8Array
}

const boundary = 'a-boundary'

/** The media type of {@link form}. */
export const formType = `multipart/form-data; boundary=${boundary}`

/** A whole form, byte for byte: what a client library would refuse to write can be written so. */
export function form(...parts: readonly Part[]): Buffer<ArrayBuffer> {
  const chunks = parts.flatMap(({ name, filename, content }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]
  })
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
}
