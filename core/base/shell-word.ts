/** A word for a shell, quoted where needed; on Windows for PowerShell, and where possible `cmd`. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return windowsWord(text)
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Only double quotes are quotes for both shells; in them, each expands some of the characters. */
function windowsWord(text: string): string {
  if (/^[\w./\\:=+-]+$/.test(text)) return text
  if (/["$`%\u201C-\u201E]/.test(text)) return powerShellWord(text)
  // A program reads \" as a quote in the word.
  return `"${text.replace(/\\+$/, '$&$&')}"`
}

/** A word for PowerShell. Curly quotes are quotes there, too. */
export function powerShellWord(text: string): string {
  if (/^[\w./\\:=+-]+$/.test(text)) return text
  return `'${text.replaceAll(/['\u2018-\u201B]/g, '$&$&')}'`
}
