import { readBytes, UnreadableFile, type Contents } from './contents.ts'

/** Largest description that is read. Bytes. */
const mostBytes = 256 * 1000 * 1000

type JsonReading = { readonly value: unknown } | { readonly said: string }

/** Reads the description of a package, which may come from anybody; `said` is its fault. */
export async function readJson(contents: Contents, name: string): Promise<JsonReading> {
  const file = contents.files.find(({ path }) => path === name) ?? { path: name, size: 0 }
  try {
    const bytes = await readBytes(contents, file, mostBytes)
    const said = faultOfJson(bytes)
    if (said !== undefined) return { said }
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (error) {
    return { said: error instanceof UnreadableFile ? error.message : 'it is not JSON' }
  }
}

/** A text that memory holds may have more values than it holds. */
const mostOfJson = { depth: 100, values: 20_000_000 }

/** The fault of a JSON text that is too large to be read; its grammar is not judged. */
function faultOfJson(bytes: Uint8Array): string | undefined {
  let [depth, values, isText] = [0, 0, false]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === ascii.backslash) at += 1
      else if (byte === ascii.quote) isText = false
    } else if (byte === ascii.quote) isText = true
    else if (byte === ascii.comma) values += 1
    else if (byte === ascii.bracket || byte === ascii.brace) {
      values += 1
      depth += 1
      if (depth > mostOfJson.depth)
        return `its values are nested more than ${mostOfJson.depth} deep`
    } else if (byte === ascii.bracket + 2 || byte === ascii.brace + 2) depth -= 1
  }
  return values > mostOfJson.values ? `it has more than ${mostOfJson.values} values` : undefined
}

const ascii = { quote: 0x22, comma: 0x2c, bracket: 0x5b, backslash: 0x5c, brace: 0x7b }
