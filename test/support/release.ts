import { expect } from 'vitest'
import { deposit } from './cli-at-daemon.ts'
import type { TemporaryFolder } from './temporary-folder.ts'

/** A folder with metadata and a file. */
export const releasable = { 'data/metadata.yaml': 'title: Tides\n', 'data/a.csv': '1' }

/** `deposit release data` in a folder that succeeds; returns the address of the record. */
export async function release(
  { path }: TemporaryFolder,
  ...more: readonly string[]
): Promise<string> {
  const { status, stdout, stderr } = await deposit(['release', 'data', ...more], { folder: path })
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^\S+\/records\/\S+\n$/)
  return stdout.trim()
}
