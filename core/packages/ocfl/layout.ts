import { createHash } from 'node:crypto'

/** The declaration of a storage root: its name, and its text. @see OCFL 1.1, §4.1 */
export const rootDeclaration = { name: '0=ocfl_1.1', text: 'ocfl_1.1\n' } as const

/** The declaration of an object. @see OCFL 1.1, §3.3 */
export const objectDeclaration = { name: '0=ocfl_object_1.1', text: 'ocfl_object_1.1\n' } as const

/** The extension that says where an object lies in the root. */
export const layoutName = '0003-hash-and-id-n-tuple-storage-layout'

/** `ocfl_layout.json`. */
export const layout = {
  extension: layoutName,
  description:
    'Objects lie in folders named by the first nine digits of the SHA-256 of their id, three in each, ' +
    'and then by the id itself, percent-encoded',
} as const

/** `config.json` of the extension. */
export const layoutConfig = {
  extensionName: layoutName,
  digestAlgorithm: 'sha256',
  tupleSize: 3,
  numberOfTuples: 3,
} as const

/** Longest encoded id in the name of a folder. */
const mostCharacters = 100

/**
 * The folder of an object below the root, with slashes.
 *
 * @see https://ocfl.github.io/extensions/0003-hash-and-id-n-tuple-storage-layout.html
 */
export function objectPath(id: string): string {
  const digest = createHash('sha256').update(id).digest('hex')
  const tuples = [0, 3, 6].map((at) => digest.slice(at, at + layoutConfig.tupleSize))
  const encoded = [...Buffer.from(id)].map(encodeByte).join('')
  const name =
    encoded.length > mostCharacters ? `${encoded.slice(0, mostCharacters)}-${digest}` : encoded
  return [...tuples, name].join('/')
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte)
  return /[\w-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
}
