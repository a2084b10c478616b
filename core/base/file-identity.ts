import { stat } from 'node:fs/promises'

/**
 * Tells a file from every other one of this machine, its copies too, under whatever names they have;
 * undefined where it cannot be found.
 */
export async function fileIdentity(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && `${found.dev}-${found.ino}`
}
