export { plain, quoted } from '../../core/base/plain.ts'

/** A word of a command line, for a shell: as it is where that is safe. */
export function shellWord(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
