const words: Readonly<Record<string, string>> = {
  EACCES: 'you may not read it',
  EISDIR: 'that is a folder, and a file is asked for',
  ELOOP: 'links lead in a circle there',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'there is a file where a folder should be',
  EPERM: 'you may not read it',
}

/** Why something could not be done: where the system refused a file, in words and with its path. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!('code' in error) || !('path' in error)) return error.message
  const said = words[String(error.code)]
  return said === undefined ? error.message : `${said}: ${String(error.path)}`
}
