import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/** The manifest of this package, installed or not, compiled or not. */
const manifestPath = findPackageJSON('..', import.meta.url) ?? '../package.json'

/** The folder of the manifest. */
export const packageRoot = dirname(manifestPath)

/** The version of this package. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestPath, 'utf8'))
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isManifest ? String(manifest.version) : 'unknown'
}
