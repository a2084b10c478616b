import { readFileSync } from 'node:fs'
import { manifestPath } from './package-root.ts'

/** The version of this package. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestPath, 'utf8'))
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isManifest ? String(manifest.version) : 'unknown'
}
